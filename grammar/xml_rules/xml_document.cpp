#include "grammar/xml_rules/xml_document.h"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>

#include "support/case_folding.h"
#include "support/limits.h"
#include "support/text_encoding.h"
#include "support/utf8.h"

namespace amdahlc::grammar::xml_rules {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

class Reader {
 public:
  Reader(BufferId buffer, std::string_view text, DiagnosticEngine& diagnostics)
      : buffer_(buffer), text_(text), diagnostics_(diagnostics), parser_(XML_ParserCreate("UTF-8"), XML_ParserFree) {}

  std::optional<XmlDocument> run() {
    if (!parser_) throw std::bad_alloc();
    XML_Parser parser = parser_.get();
    XML_SetUserData(parser, this);
    XML_SetElementHandler(
        parser,
        [](void* self, const char* name, const char** pairs) {
          guarded(self, [&](Reader& reader) { reader.start(name, pairs); });
        },
        [](void* self, const char*) { guarded(self, [](Reader& reader) { reader.end(); }); });
    XML_SetCharacterDataHandler(parser, [](void* self, const char* text, int length) {
      guarded(self, [&](Reader& reader) { reader.characters(text, length); });
    });
    XML_SetCommentHandler(
        parser, [](void* self, const char* text) { guarded(self, [&](Reader& reader) { reader.comment(text); }); });
    XML_SetXmlDeclHandler(parser, [](void* self, const char*, const char* encoding, int) {
      if (encoding != nullptr) guarded(self, [&](Reader& reader) { reader.declaredEncoding(encoding); });
    });
    XML_SetStartDoctypeDeclHandler(parser, [](void* self, const char*, const char*, const char*, int) {
      guarded(self, [](Reader& reader) {
        reader.refuse("a document type declaration is not read: it could define entities or name other files");
      });
    });
    const auto status = XML_Parse(parser, text_.data(), static_cast<int>(text_.size()), XML_TRUE);
    if (memoryRanOut_) throw std::bad_alloc();
    if (refused_) return std::nullopt;
    if (status != XML_STATUS_OK) {
      const auto at = static_cast<uint32_t>(std::clamp<int64_t>(XML_GetCurrentByteIndex(parser), 0, size()));
      diagnostics_.error(DiagId::XmlSyntax, SourceRange{buffer_, at, std::min(at + 1, size())},
                         fmt::format("not well-formed XML: {}", XML_ErrorString(XML_GetErrorCode(parser))));
      return std::nullopt;
    }
    return std::move(document_);
  }

 private:
  /// What a handler does, unless the file is refused. No exception may pass through the library.
  template <typename Work>
  static void guarded(void* self, Work work) {
    Reader& reader = *static_cast<Reader*>(self);
    if (reader.refused_) return;
    try {
      work(reader);
    } catch (const std::bad_alloc&) {
      reader.memoryRanOut_ = reader.refused_ = true;
      XML_StopParser(reader.parser_.get(), XML_FALSE);
    }
  }
  uint32_t size() const { return static_cast<uint32_t>(text_.size()); }

  /// Where the current token begins and ends.
  SourceRange token() const {
    const auto begin = static_cast<uint32_t>(XML_GetCurrentByteIndex(parser_.get()));
    const auto length = static_cast<uint32_t>(XML_GetCurrentByteCount(parser_.get()));
    return {buffer_, begin, std::min(begin + length, size())};
  }

  void refuse(const std::string& why) {
    refused_ = true;
    diagnostics_.error(DiagId::XmlSyntax, token(), why);
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  void declaredEncoding(const std::string& encoding) {
    if (!equalIgnoringCase(encoding, "utf-8") && !equalIgnoringCase(encoding, "us-ascii"))
      refuse(fmt::format("the file declares the encoding `{}`; only UTF-8 is read", encoding));
  }

  void start(const char* name, const char** pairs) {
    if (open_.size() >= limits::kXmlNesting)
      return refuse(fmt::format("elements nest deeper than {}", limits::kXmlNesting));
    XmlNode node;
    node.name = name;
    node.range = token();
    node.nameRange = {buffer_, node.range.begin + 1, node.range.begin + 1 + static_cast<uint32_t>(node.name.size())};
    size_t at = node.nameRange.end;
    for (; *pairs != nullptr; pairs += 2) {
      XmlAttribute attribute{pairs[0], {pairs[1], {}, false}};
      // The tag is well-formed: a name, `=`, and a value in quotes.
      const size_t open = text_.find_first_of("\"'", at);
      const size_t close = text_.find(text_[open], open + 1);
      attribute.value.range = {buffer_, static_cast<uint32_t>(open + 1), static_cast<uint32_t>(close)};
      attribute.value.verbatim = text_.substr(open + 1, close - open - 1) == attribute.value.text;
      at = close + 1;
      node.attributes.push_back(std::move(attribute));
    }
    open_.push_back(std::move(node));
  }

  void end() {
    XmlNode node = std::move(open_.back());
    open_.pop_back();
    const SourceRange last = token();
    const uint32_t startTagEnd = node.range.end;
    // An empty element `<a/>` ends where it starts.
    const bool isEmpty = last.begin <= node.range.begin;
    if (!isEmpty) node.range.end = last.end;
    // Text with elements or comments in it is not in one place.
    std::string& text = node.text.text;
    const size_t first = std::min(text.find_first_not_of(kBlanks), text.size());
    text = text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
    const SourceRange content{buffer_, isEmpty ? node.range.begin : startTagEnd, isEmpty ? node.range.end : last.begin};
    const std::string_view written = text_.substr(content.begin, content.end - content.begin);
    const size_t found = isEmpty || text.empty() ? std::string_view::npos : written.find_first_not_of(kBlanks);
    node.text.verbatim = found != std::string_view::npos && written.substr(found).starts_with(text);
    const auto begin = static_cast<uint32_t>(content.begin + found);
    node.text.range =
        node.text.verbatim ? SourceRange{buffer_, begin, begin + static_cast<uint32_t>(text.size())} : content;
    if (open_.empty())
      document_.root = std::move(node);
    else
      open_.back().children.push_back(std::move(node));
    seenRoot_ = seenRoot_ || open_.empty();
  }

  void characters(const char* text, int length) {
    if (open_.empty()) return;
    const std::string_view part(text, static_cast<size_t>(length));
    const size_t blanks = part.find_first_not_of(kBlanks);
    if (SourceRange& first = open_.back().text.first; first.end == 0 && blanks != std::string_view::npos) {
      first = token();
      first.begin = std::min(first.begin + static_cast<uint32_t>(blanks), first.end - 1);
    }
    open_.back().text.text.append(part);
  }

  void comment(const char* text) {
    XmlNode node;
    node.kind = XmlNode::Kind::Comment;
    node.range = token();
    node.nameRange = node.range;
    node.text = {text, node.range, false};
    auto& siblings = !open_.empty() ? open_.back().children : seenRoot_ ? document_.behind : document_.before;
    siblings.push_back(std::move(node));
  }

  BufferId buffer_;
  std::string_view text_;
  DiagnosticEngine& diagnostics_;
  std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_;
  XmlDocument document_;
  /// Elements whose end is still to come.
  std::vector<XmlNode> open_;
  bool seenRoot_ = false;
  bool refused_ = false;
  bool memoryRanOut_ = false;
};

}  // namespace

SourceRange XmlText::part(size_t begin, size_t end) const {
  if (!verbatim) return range;
  return {range.buffer, range.begin + static_cast<uint32_t>(begin), range.begin + static_cast<uint32_t>(end)};
}

const XmlText* XmlNode::attribute(std::string_view wanted) const {
  const auto found = std::ranges::find(attributes, wanted, &XmlAttribute::name);
  return found == attributes.end() ? nullptr : &found->value;
}

const XmlNode* XmlNode::child(std::string_view wanted) const {
  const auto found = std::ranges::find_if(
      children, [&](const XmlNode& node) { return node.kind == Kind::Element && node.name == wanted; });
  return found == children.end() ? nullptr : &*found;
}

std::vector<const XmlNode*> XmlNode::elements() const {
  std::vector<const XmlNode*> out;
  for (const XmlNode& node : children)
    if (node.kind == Kind::Element) out.push_back(&node);
  return out;
}

std::optional<XmlDocument> readXml(BufferId buffer, const SourceManager& sources, DiagnosticEngine& diagnostics) {
  const std::string_view text = sources.text(buffer);
  if (!checkEncoding(DiagId::XmlSyntax, buffer, text, diagnostics)) return std::nullopt;
  return Reader(buffer, text, diagnostics).run();
}

}  // namespace amdahlc::grammar::xml_rules
