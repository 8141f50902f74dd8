/// What all SVG documents of this component have: texts that are escaped, measured and cut, an opening, a header.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace amdahlc::drawing {

inline constexpr double kMargin = 16, kFontSize = 11, kLineHeight = 15;
/// Of lines above a picture.
inline constexpr size_t kNoteColumns = 140;

/// `text` as the content of an element or of an attribute in quotes.
std::string escaped(std::string_view text);

/// About the width of a text in a sans-serif font of this size, rather too large than too small: the viewer chooses the
/// font.
double widthOf(std::string_view text, double fontSize);

/// At most `limit` characters: the middle of a longer text is `…`.
std::string shortened(std::string_view text, size_t limit);

/// Collects the elements of a document from top to bottom.
class SvgCanvas {
 public:
  template <typename... T>
  void print(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(values)...);
  }

  /// `attributes` is markup; the text is not.
  void writeText(double x, double y, std::string_view text, std::string_view attributes = "");

  /// Paragraphs from the top margin on, the first one as the title.
  void writeHeader(const std::vector<std::string>& paragraphs);

  /// Where the next element may begin.
  double y() const { return y_; }
  void moveDown(double by) { y_ += by; }
  /// The width of the widest text that was reported so.
  double textWidth() const { return textWidth_; }
  void addTextWidth(double width);

  /// The whole document. `head` is markup that comes before all elements: styles and definitions.
  std::string document(double width, double height, std::string_view title, std::string_view head) &&;

 private:
  std::string out_;
  double y_ = 0, textWidth_ = 0;
};

}  // namespace amdahlc::drawing
