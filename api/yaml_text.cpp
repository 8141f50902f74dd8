#include "api/yaml_text.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "support/bytes.h"
#include "support/edit_distance.h"
#include "support/file.h"
#include "support/limits.h"
#include "support/text_encoding.h"

namespace amdahlc::api {
namespace {

/// What a text has, found without building nodes: where a second document begins, and how large the values of the first
/// one are with its aliases written out. Every reader walks through them as if they were.
class DocumentScan : public YAML::EventHandler {
 public:
  struct Fault {
    int position = 0;
    std::string message;
  };

  /// nullopt for one document, or none, that can be read. Stops at the second one, because yaml-cpp reads a `,` outside
  /// of lists and maps as endless empty documents.
  static std::optional<Fault> find(const std::string& text) {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    DocumentScan scan;
    if (!parser.HandleNextDocument(scan)) return std::nullopt;
    if (scan.fault_ || !parser.HandleNextDocument(scan)) return scan.fault_;
    const auto at = static_cast<size_t>(std::max(scan.begin_, 0));
    const bool comma = at < text.size() && text[at] == ',';
    return Fault{scan.begin_, comma ? "a `,` outside of lists and maps" : "a second document begins here; one is read"};
  }

  void OnDocumentStart(const YAML::Mark& mark) override { begin_ = mark.pos; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t anchor) override { add(anchor, 1); }
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t anchor, const std::string& value) override {
    add(anchor, static_cast<int64_t>(value.size()) + 1);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto named = bytes_.find(anchor);
    if (!fault_ && named == bytes_.end()) fault_ = {mark.pos, "this alias is inside of the value that it names"};
    if (fault_) return;
    add(YAML::NullAnchor, named->second);
    if (written_ > limits::kAliasedBytes)
      fault_ = {mark.pos, fmt::format("the file is larger than {} once its aliases are written out",
                                      formatBytesExactly(limits::kAliasedBytes))};
  }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open_.emplace_back(anchor, written_);
  }
  void OnSequenceEnd() override {
    const auto [anchor, before] = open_.back();
    open_.pop_back();
    const int64_t inside = written_ - before;
    written_ = before;
    add(anchor, inside + 2);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    OnSequenceStart(mark, tag, anchor, style);
  }
  void OnMapEnd() override { OnSequenceEnd(); }

 private:
  void add(YAML::anchor_t anchor, int64_t bytes) {
    written_ += bytes;
    if (anchor != YAML::NullAnchor) bytes_[anchor] = bytes;
  }

  int begin_ = 0;
  std::optional<Fault> fault_;
  /// Of the values so far.
  int64_t written_ = 0;
  std::map<YAML::anchor_t, int64_t> bytes_;
  /// Lists and maps around a place, with what was written before them.
  std::vector<std::pair<YAML::anchor_t, int64_t>> open_;
};

}  // namespace

std::optional<YamlText> YamlText::read(const std::string& path, DiagId syntaxId, DiagId faultId, SourceManager& sources,
                                       DiagnosticEngine& diagnostics) {
  auto bytes = readFile(path, limits::kOptionFileBytes, diagnostics);
  if (!bytes) return std::nullopt;
  YamlText result;
  result.faultId_ = faultId;
  result.diagnostics_ = &diagnostics;
  result.buffer_ = sources.add(inputName(path), std::move(*bytes));
  result.text_ = sources.text(result.buffer_);
  if (!checkEncoding(syntaxId, result.buffer_, result.text_, diagnostics)) return std::nullopt;
  const auto broken = [&](int position, std::string message) {
    const auto at = static_cast<uint32_t>(std::clamp<int64_t>(position, 0, std::ssize(result.text_)));
    diagnostics.error(syntaxId, SourceRange{result.buffer_, at, at}, std::move(message));
    return std::nullopt;
  };
  try {
    const std::string text(result.text_);
    if (const auto fault = DocumentScan::find(text)) return broken(fault->position, fault->message);
    result.root_ = YAML::Load(text);
  } catch (const YAML::DeepRecursion& exception) {
    return broken(exception.mark.pos,
                  fmt::format("values are nested too deep; {} levels are too many", exception.depth()));
  } catch (const YAML::Exception& exception) {
    return broken(exception.mark.pos, "this is not YAML or JSON: " + exception.msg);
  }
  return result;
}

SourceRange YamlText::range(const YAML::Node& node) const {
  if (!node.IsDefined()) return {buffer_, 0, 0};
  auto at = static_cast<uint32_t>(std::clamp<int64_t>(node.Mark().pos, 0, std::ssize(text_)));
  if (!node.IsScalar()) return {buffer_, at, at};
  const std::string& value = node.Scalar();
  if (at < text_.size() && (text_[at] == '"' || text_[at] == '\'')) ++at;
  if (text_.substr(at, value.size()) == value) return {buffer_, at, at + static_cast<uint32_t>(value.size())};
  return {buffer_, at, at};
}

void YamlText::checkKeys(const YAML::Node& map, const std::vector<std::string>& known) const {
  std::set<std::string> seen;
  for (const auto& entry : map) {
    if (hasTooManyErrors()) break;
    if (!entry.first.IsScalar()) {
      fault(entry.first, fmt::format("expected a key, but got {}", kindName(entry.first)));
      continue;
    }
    const std::string& key = entry.first.Scalar();
    if (std::ranges::find(known, key) == known.end())
      fault(entry.first, fmt::format("unknown key `{}`{}", key, didYouMeanOrKnown(key, known)));
    else if (!seen.insert(key).second)
      fault(entry.first, fmt::format("key `{}` is given twice", key));
  }
}

std::optional<std::string> YamlText::string(const YAML::Node& map, const std::string& key) const {
  const YAML::Node node = map[key];
  if (!node.IsDefined()) return std::nullopt;
  if (node.IsScalar() && !node.Scalar().empty()) return node.Scalar();
  fault(node, fmt::format("`{}` takes a string", key));
  return std::nullopt;
}

std::string_view kindName(const YAML::Node& node) {
  if (node.IsScalar()) return "a single value";
  return node.IsSequence() ? "a list" : node.IsMap() ? "a map" : "nothing";
}

}  // namespace amdahlc::api
