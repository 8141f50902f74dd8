#include "report/drawing/svg_canvas.h"

#include <algorithm>

#include "report/drawing/svg_text.h"

namespace amdahlc::drawing {
namespace {

constexpr size_t kHeaderLength = 10 * kNoteColumns;

}  // namespace

void SvgCanvas::writeText(double x, double y, std::string_view text, std::string_view attributes) {
  print("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>\n", x, y, attributes.empty() ? "" : " ", attributes,
        escaped(text));
}

void SvgCanvas::writeHeader(const std::vector<std::string>& paragraphs) {
  y_ = kMargin;
  bool isTitle = true;
  for (const std::string& paragraph : paragraphs)
    for (const std::string& line : wrapped(shortened(paragraph, kHeaderLength), kNoteColumns)) {
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
