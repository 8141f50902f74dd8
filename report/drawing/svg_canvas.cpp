#include "report/drawing/svg_canvas.h"

#include <algorithm>

#include "support/characters.h"
#include "support/printable.h"

namespace amdahlc::drawing {
namespace {

constexpr size_t kHeaderLength = 10 * kNoteColumns;

}  // namespace

std::string escaped(std::string_view text) {
  std::string out = replaced(text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});
  // The two characters of Unicode's first plane above the surrogates that XML does not allow.
  for (const std::string_view forbidden : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (size_t at = 0; (at = out.find(forbidden, at)) != std::string::npos;) out.replace(at, forbidden.size(), "?");
  return out;
}

double widthOf(std::string_view text, double fontSize) {
  // Widths in ems of a common sans-serif font, rounded up. What is not ASCII may be as wide as it is high.
  double ems = 0;
  while (!text.empty()) {
    // A text may be wrong UTF-8.
    const size_t length = std::max<size_t>(1, utf8::sequenceLength(text));
    const char c = text.front();
    if (length > 1)
      ems += 1.0;
    else if (std::string_view("iljtf.,:;|!'()[] /").find(c) != std::string_view::npos)
      ems += 0.34;
    else if (std::string_view("mwMW@%").find(c) != std::string_view::npos)
      ems += 0.95;
    else
      ems += c >= 'A' && c <= 'Z' ? 0.72 : 0.6;
    text.remove_prefix(length);
  }
  return ems * fontSize;
}

std::string shortened(std::string_view text, size_t limit) {
  const size_t length = utf8::length(text);
  if (length <= limit) return std::string(text);
  const size_t tail = utf8::first(text, length - (limit - limit / 2 - 1)).size();
  return std::string(utf8::first(text, limit / 2)) + "\u2026" + std::string(text.substr(tail));
}

void SvgCanvas::writeText(double x, double y, std::string_view text, std::string_view attributes) {
  print("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>\n", x, y, attributes.empty() ? "" : " ", attributes,
        escaped(text));
}

void SvgCanvas::writeHeader(const std::vector<std::string>& paragraphs) {
  y_ = kMargin;
  bool isTitle = true;
  for (const std::string& paragraph : paragraphs)
    for (const std::string& line : utf8::wrapped(shortened(paragraph, kHeaderLength), kNoteColumns)) {
      const double size = isTitle ? 14 : kFontSize;
      y_ += isTitle ? 18 : kLineHeight;
      writeText(kMargin, y_, line, isTitle ? "font-size=\"14\" font-weight=\"bold\"" : "");
      addTextWidth(widthOf(line, size));
      isTitle = false;
    }
  y_ += 6;
}

void SvgCanvas::addTextWidth(double width) { textWidth_ = std::max(textWidth_, width); }

std::string SvgCanvas::document(double width, double height, std::string_view title, std::string_view head) && {
  std::string opening = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" "
      "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"{2}\">\n"
      "<title>{3}</title>\n"
      "{4}"
      "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>\n",
      width, height, kFontSize, escaped(title), head);
  return std::move(opening) + std::move(out_) + "</svg>\n";
}

}  // namespace amdahlc::drawing
