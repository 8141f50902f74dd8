/// Checks lowerings of calls and makes them plain data.
#pragma once

#include <optional>
#include <vector>

#include "grammar/ast.h"
#include "grammar/file_scope.h"
#include "grammar/pattern_builder.h"
#include "ir/rules.h"

namespace amdahlc::grammar {

/// The lowering that a declaration of the kind `Lower` states, without its targets; nullopt after reporting an error.
std::optional<ir::Lowering> buildLowering(const ast::Declaration& written, const FileScope& file,
                                          CheckContext& context);

/// Reports lowerings of one file that never apply, because an earlier one fits the same calls.
void reportRepeated(const std::vector<ir::Lowering>& lowerings, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::grammar
