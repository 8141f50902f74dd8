/// A rule file that is open in an editor, with the files it imports. Unlike `loadRules`, it keeps what can be read and
/// checked beside errors.
#pragma once

#include <filesystem>
#include <vector>

#include "grammar/checker.h"
#include "grammar/rule_loader.h"

namespace amdahlc::grammar {

struct OpenedRules {
  /// Each after those that it imports: the opened file is the last one. Empty if it could not be read.
  std::vector<SourceFile> files;
  CheckedFiles checked;
};

/// Reads a file from `options.files`, then its imports, and checks them. Reports what `loadRules` reports. The opened
/// file is the first buffer that it adds to `sources`.
OpenedRules openRules(const std::filesystem::path& path, const RuleLoadOptions& options, SourceManager& sources,
                      DiagnosticEngine& diagnostics);

}  // namespace amdahlc::grammar
