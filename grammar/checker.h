/// Syntax trees of all files of a load into one rule set.
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
  std::string shown;  ///< what `ir::Rule::file` says
  BufferId buffer = 0;
  ast::File tree;
  std::vector<size_t> imports;  ///< indices of smaller files of the list
};

/// Checks files in order of declaration: each after those that it imports. nullopt after an error in any of them.
std::optional<ir::RuleSet> checkRules(const std::vector<SourceFile>& files, const RuleLoadOptions& options,
                                      const SourceManager& sources, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::grammar
