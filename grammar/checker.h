/// Checks the syntax trees of all loaded files and lowers them to one rule set.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grammar/ast.h"
#include "grammar/rule_loader.h"
#include "ir/rules.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::grammar {

struct SourceFile {
  /// The name for `ir::Rule::file`.
  std::string shown;
  BufferId buffer = 0;
  ast::File tree;
  /// Indices into the list of files, all smaller than the index of this file.
  std::vector<size_t> imports;
};

/// Checks files in order, each after those that it imports. nullopt after an error in any of them.
std::optional<ir::RuleSet> checkRules(const std::vector<SourceFile>& files, const RuleLoadOptions& options,
                                      const SourceManager& sources, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::grammar
