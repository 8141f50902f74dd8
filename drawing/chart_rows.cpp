// Names and numbers of the rows of a chart, and the axis under them.
#include <algorithm>

#include "drawing/chart_parts.h"
#include "drawing/svg_text.h"

namespace amdahlc::drawing {
namespace {

constexpr double kColumnGap = 16, kTickLength = 4, kMinorTickLength = 2.5;
/// Room for a label of an axis.
constexpr double kLabelWidth = 56;

}  // namespace

RowTexts::RowTexts(std::string rows, std::vector<std::string> columns)
    : rows_(std::move(rows)), columns_(std::move(columns)), nameWidth_(widthOf(rows_, kFontSize)) {
  for (const std::string& column : columns_) widths_.push_back(widthOf(column, kFontSize));
}

void RowTexts::add(std::string_view name, const std::vector<std::string>& numbers) {
  nameWidth_ = std::max(nameWidth_, widthOf(shortened(name, kNameCharacters), kFontSize));
  for (size_t i = 0; i < std::min(numbers.size(), widths_.size()); ++i)
    widths_[i] = std::max(widths_[i], widthOf(numbers[i], kFontSize));
}

double RowTexts::right() const {
  double x = kChartLeft + nameWidth_;
  for (const double width : widths_) x += kColumnGap + width;
  return x;
}

void RowTexts::writeTitles(SvgCanvas& out, double y) const {
  const std::string muted = fmt::format("fill=\"{}\"", kMutedColor);
  out.writeText(kChartLeft, y, rows_, muted);
  double x = kChartLeft + nameWidth_;
  for (size_t i = 0; i < columns_.size(); ++i) {
    x += kColumnGap + widths_[i];
    out.writeText(x, y, columns_[i], muted + " text-anchor=\"end\"");
  }
}

void RowTexts::writeRow(SvgCanvas& out, double y, std::string_view name, const std::vector<std::string>& numbers,
                        bool isRest) const {
  const std::string cut = shortened(name, kNameCharacters);
  const std::string style = isRest ? fmt::format("fill=\"{}\" font-style=\"italic\"", kMutedColor) : std::string();
  if (cut != name) out.print("<g><title>{}</title>\n", escaped(name));
  out.writeText(kChartLeft, y, cut, style);
  if (cut != name) out.print("</g>\n");
  double x = kChartLeft + nameWidth_;
  for (size_t i = 0; i < std::min(numbers.size(), widths_.size()); ++i) {
    x += kColumnGap + widths_[i];
    out.writeText(x, y, numbers[i], "text-anchor=\"end\"");
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
