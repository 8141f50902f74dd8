/// YAML (and with it JSON) option files as nodes whose places are known. Included by .cpp files only: it brings
/// yaml-cpp's headers.
#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::driver {

/// One option file, read and parsed.
class YamlText {
 public:
  /// nullopt after reporting an unreadable file, or text that is not a single document as `syntaxId`.
  static std::optional<YamlText> read(const std::string& path, DiagId syntaxId, SourceManager& sources,
                                      DiagnosticEngine& diagnostics);

  const YAML::Node& root() const { return root_; }
  /// Where a node stands: all of a scalar that is written as it reads, otherwise its first character.
  SourceRange range(const YAML::Node& node) const;

 private:
  BufferId buffer_ = 0;
  std::string_view text_;
  YAML::Node root_;
};

/// `a list`, `a map`, ... for messages.
std::string_view kindName(const YAML::Node& node);

}  // namespace amdahlc::driver
