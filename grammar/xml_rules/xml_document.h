/// The text of an XML file as a tree with places. Document type declarations are refused, and with them entities that
/// a file defines or includes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::grammar::xml_rules {

/// A decoded text and where it stands.
struct XmlText {
  std::string text;
  SourceRange range;
  /// The text stands in the file as it is, without entities: an offset in it is one in `range`.
  bool verbatim = false;
  /// The first part of the text of an element, which may have elements behind it.
  SourceRange first = {};

  /// The part from `begin` to `end` of the text, or all of it where offsets say nothing.
  SourceRange part(size_t begin, size_t end) const;
};

struct XmlAttribute {
  std::string name;
  XmlText value;
};

struct XmlNode {
  enum class Kind : uint8_t { Element, Comment };
  Kind kind = Kind::Element;
  /// Of an element.
  std::string name;
  /// All of it: an element with its tags.
  SourceRange range;
  /// The name in the start tag.
  SourceRange nameRange;
  std::vector<XmlAttribute> attributes;
  /// Elements and comments, in the order of the text.
  std::vector<XmlNode> children;
  /// Of a comment; of an element the text between its tags, without that of its children and without the blanks around
  /// it.
  XmlText text;

  const XmlText* attribute(std::string_view wanted) const;
  /// The first element of this name, or nullptr.
  const XmlNode* child(std::string_view wanted) const;
  /// The elements among the children.
  std::vector<const XmlNode*> elements() const;
};

struct XmlDocument {
  XmlNode root;
  /// Comments before and behind the root.
  std::vector<XmlNode> before, behind;
};

/// Reports the first error; nullopt then.
std::optional<XmlDocument> readXml(BufferId buffer, const SourceManager& sources, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::grammar::xml_rules
