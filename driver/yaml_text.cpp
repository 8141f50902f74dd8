#include "driver/yaml_text.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "support/edit_distance.h"
#include "support/file.h"
#include "support/limits.h"
#include "support/text_encoding.h"

namespace amdahlc::driver {
namespace {

/// Finds the start of the second document of a text, without building nodes.
class SecondDocument : public YAML::EventHandler {
 public:
  /// nullopt for a text of at most one document. Stops there, because yaml-cpp reads a `,` outside of lists and maps as
  /// endless empty documents.
  static std::optional<int> find(const std::string& text) {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    SecondDocument handler;
    if (!parser.HandleNextDocument(handler) || !parser.HandleNextDocument(handler)) return std::nullopt;
    return handler.begin_;
  }

  void OnDocumentStart(const YAML::Mark& mark) override { begin_ = mark.pos; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  int begin_ = 0;
};

}  // namespace

std::optional<YamlText> YamlText::read(const std::string& path, DiagId syntaxId, SourceManager& sources,
                                       DiagnosticEngine& diagnostics) {
  auto bytes = readFile(path, limits::kOptionFileBytes, diagnostics);
  if (!bytes) return std::nullopt;
  YamlText result;
  result.buffer_ = sources.add(inputName(path), std::move(*bytes));
  result.text_ = sources.text(result.buffer_);
  if (!checkEncoding(syntaxId, result.buffer_, result.text_, diagnostics)) return std::nullopt;
  const auto offset = [&](int position) {
    return static_cast<uint32_t>(std::clamp<int64_t>(position, 0, static_cast<int64_t>(result.text_.size())));
  };
  try {
    const std::string text(result.text_);
    if (const auto second = SecondDocument::find(text)) {
      const uint32_t at = offset(*second);
      const bool comma = result.text_.substr(at, 1) == ",";
      diagnostics.error(syntaxId, SourceRange{result.buffer_, at, at + (comma ? 1 : 0)},
                        comma ? "a `,` outside of lists and maps" : "a second document begins here; one is read");
      return std::nullopt;
    }
    result.root_ = YAML::Load(text);
  } catch (const YAML::DeepRecursion& exception) {
    const uint32_t at = offset(exception.mark.pos);
    diagnostics.error(syntaxId, SourceRange{result.buffer_, at, at},
                      fmt::format("lists and maps are nested too deep; {} levels are too many", exception.depth()));
    return std::nullopt;
  } catch (const YAML::Exception& exception) {
    const uint32_t at = offset(exception.mark.pos);
    diagnostics.error(syntaxId, SourceRange{result.buffer_, at, at}, "this is not YAML or JSON: " + exception.msg);
    return std::nullopt;
  }
  return result;
}

SourceRange YamlText::range(const YAML::Node& node) const {
  uint32_t at = static_cast<uint32_t>(std::clamp<int64_t>(node.Mark().pos, 0, static_cast<int64_t>(text_.size())));
  if (!node.IsScalar()) return {buffer_, at, at};
  const std::string& value = node.Scalar();
  if (at < text_.size() && (text_[at] == '"' || text_[at] == '\'')) ++at;
  if (text_.substr(at, value.size()) == value) return {buffer_, at, at + static_cast<uint32_t>(value.size())};
  return {buffer_, at, at};
}

SourceRange YamlText::rangeOrStart(const YAML::Node& node) const {
  return node.IsDefined() ? range(node) : SourceRange{range(root_).buffer, 0, 0};
}

void YamlText::checkKeys(const YAML::Node& map, const std::vector<std::string>& known, DiagId id,
                         DiagnosticEngine& diagnostics) const {
  std::set<std::string> seen;
  for (const auto& entry : map) {
    if (diagnostics.hasTooManyErrors()) break;
    const auto fault = [&](const std::string& message) { diagnostics.error(id, range(entry.first), message); };
    if (!entry.first.IsScalar()) {
      fault(fmt::format("expected a key, but got {}", kindName(entry.first)));
      continue;
    }
    const std::string& key = entry.first.Scalar();
    if (std::find(known.begin(), known.end(), key) == known.end())
      fault(fmt::format("unknown key `{}`{}", key, didYouMeanOrKnown(key, known)));
    else if (!seen.insert(key).second)
      fault(fmt::format("key `{}` is given twice", key));
  }
}

std::string_view kindName(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      return "a single value";
    case YAML::NodeType::Sequence:
      return "a list";
    case YAML::NodeType::Map:
      return "a map";
    case YAML::NodeType::Null:
    case YAML::NodeType::Undefined:
      break;
  }
  return "nothing";
}

}  // namespace amdahlc::driver
