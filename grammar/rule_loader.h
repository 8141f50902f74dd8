/// Loads rule files and checks them.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/rules.h"
#include "ir/text.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::grammar {

inline constexpr std::string_view kRuleExtension = ".akp";

/// The base class is the disk.
class RuleFiles {
 public:
  virtual ~RuleFiles() = default;

  /// Whether there is a file of this path, not a folder or a device.
  virtual bool isFile(const std::filesystem::path& path) const;
  /// The text of a file; reports `file-unreadable` or `file-too-large` and returns nullopt.
  virtual std::optional<std::string> read(const std::filesystem::path& path, DiagnosticEngine& diagnostics) const;
  /// The rule files of a folder, sorted by name; empty for a folder that cannot be read.
  virtual std::vector<std::filesystem::path> rulesIn(const std::filesystem::path& folder) const;
};

/// The files of the disk.
const RuleFiles& ruleFilesOnDisk();

/// The file beside a library that has what only calls of a program need; it may not exist.
std::filesystem::path rulesOfPrograms(const std::filesystem::path& library);

/// A requested name and its place, on the command line or in a configuration.
struct RequestedName {
  std::string text;
  Location range;
};

struct RuleLoadOptions {
  /// Folders searched for shipped names (`-rules=amdahl4ml` is `<folder>/amdahl4ml.akp`), in order.
  std::vector<std::filesystem::path> libraryFolders;
  /// Rules disabled by name (`-disable-rule=`); an unknown name is an error with a suggestion.
  std::vector<RequestedName> disabled;
  /// Gets the buffers of libraries that are named without their path, if it is set.
  std::set<BufferId>* shipped = nullptr;
  /// Opsets to check operator names against. If empty, any opset that the ONNX library knows.
  std::vector<std::pair<std::string, int64_t>> opsets;
  /// Whether valid rules that are probably not intended are warned about.
  bool warns = true;
  /// Where files that are imported, and those that `openRules` opens, are read.
  const RuleFiles* files = &ruleFilesOnDisk();
};

/// Loads files, folders (every `.akp` inside, sorted by name) and shipped names, with their imports, and checks them.
/// Reports every error in one run; nullopt if there was one.
std::optional<ir::RuleSet> loadRules(const std::vector<RequestedName>& specifications, const RuleLoadOptions& options,
                                     SourceManager& sources, DiagnosticEngine& diagnostics);

/// Checks the text of one file, which imports none. `name` is the name of the file in messages and rules. Reports every
/// error; nullopt if there was one.
std::optional<ir::RuleSet> loadRuleText(const std::string& name, const std::string& text, SourceManager& sources,
                                        DiagnosticEngine& diagnostics);

/// Reads the rules in IR text: a part of it with the text of one file, which imports none. They were checked before, so
/// that only errors are reported.
ir::RuleReader ruleReader(SourceManager& sources);

}  // namespace amdahlc::grammar
