/// YAML (and JSON) option files as nodes with source ranges. Include it in .cpp files only, because it includes
/// yaml-cpp's headers.
#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::api {

/// One option file, read and parsed.
class YamlText {
 public:
  /// nullopt after reporting an unreadable file, or text that is not a single document as `syntaxId`.
  static std::optional<YamlText> read(const std::string& path, DiagId syntaxId, SourceManager& sources,
                                      DiagnosticEngine& diagnostics);

  const YAML::Node& root() const { return root_; }
  /// The range of a node: a scalar whose text is its value has its full range, others have their first character.
  SourceRange range(const YAML::Node& node) const;
  /// The same; of a node that is not there, the beginning of the file.
  SourceRange rangeOrStart(const YAML::Node& node) const;
  /// Reports keys of a map that are unknown, or given twice, as `id`.
  void checkKeys(const YAML::Node& map, const std::vector<std::string>& known, DiagId id,
                 DiagnosticEngine& diagnostics) const;

 private:
  BufferId buffer_ = 0;
  std::string_view text_;
  YAML::Node root_;
};

/// `a list`, `a map`, ... for messages.
std::string_view kindName(const YAML::Node& node);

}  // namespace amdahlc::api
