/// Checks the syntax trees of all loaded files and lowers them to one rule set.
#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grammar/ast.h"
#include "grammar/file_scope.h"
#include "grammar/rule_loader.h"
#include "ir/rules.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::grammar {

/// An import that was read.
struct Import {
  /// Of the written path.
  SourceRange range;
  /// Index into the list of files, smaller than that of the importing file.
  size_t file = 0;
};

struct SourceFile {
  std::filesystem::path path;
  /// The name for `ir::Rule::file`.
  std::string shown;
  BufferId buffer = 0;
  ast::File tree;
  std::vector<Import> imports;
};

/// What files declare. It refers to their trees.
struct CheckedFiles {
  /// Parallel to the list of files.
  std::vector<FileScope> scopes;
  /// Those in the scopes; stable addresses.
  std::deque<FragmentEntry> fragments;
  std::deque<ClassEntry> classes;
  ir::RuleSet rules;
  /// Names of rules that lack a match, because it has an error.
  std::set<std::string> damaged;
  /// There was no error in any file.
  bool complete = false;
};

/// Checks files in order, each after those that it imports.
CheckedFiles checkRules(const std::vector<SourceFile>& files, const RuleLoadOptions& options,
                        const SourceManager& sources, DiagnosticEngine& diagnostics);

/// A rule file that is open in an editor, with the files it imports. Unlike `loadRules`, it keeps what can be read and
/// checked beside errors.
struct OpenedRules {
  /// Each after those that it imports: the opened file is the last one. Empty if it could not be read.
  std::vector<SourceFile> files;
  CheckedFiles checked;
};

/// Reads a file from `options.files`, then its imports, and checks them. Reports what `loadRules` reports. The opened
/// file is the first buffer that it adds to `sources`.
OpenedRules openRules(const std::filesystem::path& path, const RuleLoadOptions& options, SourceManager& sources,
                      DiagnosticEngine& diagnostics);

/// The checked form of a fragment, with any values for its parameters; nullopt if it cannot be a match of its own.
std::optional<ir::Pattern> expandFragment(const FragmentEntry& fragment, const SourceManager& sources);

}  // namespace amdahlc::grammar
