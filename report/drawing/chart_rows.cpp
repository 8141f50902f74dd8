// Names and numbers of the rows of a chart, and the axis under them.
#include <algorithm>

#include "report/drawing/chart_parts.h"
#include "report/drawing/svg_text.h"

namespace amdahlc::drawing {
namespace {

constexpr double kColumnGap = 16, kTickLength = 4, kMinorTickLength = 2.5;
/// Room for a label of an axis.
constexpr double kLabelWidth = 50;

}  // namespace

void RowWidths::add(std::string_view nameText, const std::vector<std::string>& numberTexts) {
  name = std::max(name, widthOf(shortened(nameText, kNameCharacters), kFontSize));
  numbers.resize(std::max(numbers.size(), numberTexts.size()), 0);
  for (size_t i = 0; i < numberTexts.size(); ++i) numbers[i] = std::max(numbers[i], widthOf(numberTexts[i], kFontSize));
}

double RowWidths::right() const {
  double x = kChartLeft + name;
  for (const double width : numbers) x += kColumnGap + width;
  return x;
}

void writeRowTexts(SvgCanvas& out, const RowWidths& widths, double y, std::string_view name,
                   const std::vector<std::string>& numbers, RowStyle look) {
  const std::string cut = shortened(name, kNameCharacters);
  const std::string muted = fmt::format("fill=\"{}\"", kMutedColor);
  const std::string style = look == RowStyle::Item   ? ""
                            : look == RowStyle::Rest ? muted + " font-style=\"italic\""
                                                     : muted;
  if (cut != name) out.print("<g><title>{}</title>\n", escaped(name));
  out.writeText(kChartLeft, y, cut, style);
  if (cut != name) out.print("</g>\n");
  double x = kChartLeft + widths.name;
  for (size_t i = 0; i < std::min(numbers.size(), widths.numbers.size()); ++i) {
    x += kColumnGap + widths.numbers[i];
    out.writeText(x, y, numbers[i], (look == RowStyle::Title ? muted + " " : "") + "text-anchor=\"end\"");
  }
}

void writeHorizontalAxis(SvgCanvas& out, const Scale& scale, double left, double right, double top, double bottom) {
  const double width = right - left;
  const auto xOf = [&](double value) { return left + scale.position(value) * width; };
  for (const double value : scale.minorTicks())
    out.print("<path d=\"M{0:.1f},{1:.1f} v{2}\" stroke=\"{3}\"/>\n", xOf(value), bottom, kMinorTickLength, kAxisColor);
  for (const Tick& tick : scale.ticks(kLabelWidth / width)) {
    const double x = xOf(tick.value);
    out.print("<path d=\"M{0:.1f},{1:.1f} V{2:.1f}\" stroke=\"{3}\"/>\n", x, top, bottom, kGridColor);
    out.print("<path d=\"M{0:.1f},{1:.1f} v{2}\" stroke=\"{3}\"/>\n", x, bottom, kTickLength, kAxisColor);
    out.writeText(x, bottom + 15, tick.label, fmt::format("fill=\"{}\" text-anchor=\"middle\"", kMutedColor));
  }
  out.print("<path d=\"M{:.1f},{:.1f} H{:.1f}\" stroke=\"{}\"/>\n", left, bottom, right, kAxisColor);
}

}  // namespace amdahlc::drawing
