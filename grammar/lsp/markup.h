/// Text for people, as Markdown or plain, as the client shows it.
#pragma once

#include <string>
#include <string_view>

#include "grammar/lsp/protocol.h"

namespace amdahlc::lsp {

class Markup {
 public:
  explicit Markup(bool markdown) : markdown_(markdown) {}

  /// What the text is about: words, then a name as code.
  Markup& title(std::string_view words, std::string_view code);
  /// Text as it is. In Markdown, its own marks count: doc comments are written so.
  Markup& paragraph(std::string_view text);
  /// A line of a list: a name as code, then words.
  Markup& item(std::string_view code, std::string_view words);
  /// Lines of code. What is beyond the limit of lines is counted.
  Markup& code(std::string_view text, std::string_view language);

  /// `MarkupContent` of the protocol.
  Json value() const;

 private:
  void separate(bool inList);
  std::string asCode(std::string_view text) const;

  bool markdown_;
  bool inList_ = false;
  std::string text_;
};

}  // namespace amdahlc::lsp
