/// YAML (and JSON) option files as nodes with source ranges. Include it in .cpp files only, because it includes
/// yaml-cpp's headers.
#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::api {

/// One option file, read and parsed.
class YamlText {
 public:
  /// nullopt after reporting an unreadable file, or text that is not a single document as `syntaxId`. Faults of its
  /// values are reported as `faultId`. `diagnostics` must outlive it.
  static std::optional<YamlText> read(const std::string& path, DiagId syntaxId, DiagId faultId, SourceManager& sources,
                                      DiagnosticEngine& diagnostics);

  const YAML::Node& root() const { return root_; }
  /// The range of a node: a scalar whose text is its value has its full range, others have their first character, and a
  /// node that is not there the beginning of the file.
  SourceRange range(const YAML::Node& node) const;
  void fault(const YAML::Node& node, std::string message) const { fault(node, faultId_, std::move(message)); }
  void fault(const YAML::Node& node, DiagId id, std::string message) const {
    diagnostics_->error(id, range(node), std::move(message));
  }
  /// Users get no further error: a reader may stop.
  bool hasTooManyErrors() const { return diagnostics_->hasTooManyErrors(); }
  /// Reports keys of a map that are unknown, or given twice.
  void checkKeys(const YAML::Node& map, const std::vector<std::string>& known) const;
  /// The text at a key of a map; nullopt without the key, and after reporting a value of another kind.
  std::optional<std::string> string(const YAML::Node& map, const std::string& key) const;

 private:
  BufferId buffer_ = 0;
  std::string_view text_;
  YAML::Node root_;
  DiagId faultId_{};
  DiagnosticEngine* diagnostics_ = nullptr;
};

/// `a list`, `a map`, ... for messages.
std::string_view kindName(const YAML::Node& node);

}  // namespace amdahlc::api
