/// Where rule files are read from: the disk, or an editor's buffers in front of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"

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

}  // namespace amdahlc::grammar
