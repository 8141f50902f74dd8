#include "report/drawing/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace amdahlc::drawing {
namespace {

struct KindRow {
  NodeKind kind;
  /// Of the box in SVG: its fill, empty for that of the share, its stroke, and the colour of its text.
  std::string_view fill, stroke, text;
  /// The style of the node in DOT.
  std::string_view dot;
  std::string_view meaning;
};

constexpr KindRow kKinds[] = {
    {NodeKind::Plain, "", "stroke=\"#888888\"", "#000000", "rounded,filled", ""},
    {NodeKind::Measured, "", "stroke=\"#666666\"", "#000000", "rounded,filled", ""},
    {NodeKind::NoDeviceWork, "#f0f0f0", "stroke=\"#bbbbbb\" rx=\"7\"", "#666666", "rounded,filled,dashed",
     "launches nothing on the device"},
    {NodeKind::Missed, "url(#hatch)", "stroke=\"#333333\" stroke-dasharray=\"5 3\"", "#000000", "rounded,filled,dashed",
     "expected, but no event of the run is bound to it"},
    {NodeKind::NotExecuted, "#ffffff", "stroke=\"#999999\" stroke-dasharray=\"1 3\"", "#888888",
     "rounded,filled,dotted", "in a branch that did not run"},
    {NodeKind::Ambiguous, "#ffffff", "stroke=\"#333333\" stroke-dasharray=\"8 3 2 3\"", "#000000",
     "rounded,filled,dashed", "some event may belong to it, but none does with enough probability"},
    {NodeKind::Tensor, "#f7f7f7", "stroke=\"#bbbbbb\" rx=\"10\"", "#333333", "rounded,filled", "a tensor"},
    {NodeKind::Terminal, "#ffffff", "stroke=\"none\"", "#333333", "", ""},
    {NodeKind::Module, "", "stroke=\"#000000\" stroke-width=\"1.5\"", "#000000", "filled,bold",
     "a module, whose nodes are not drawn: the sum of their times, overlaps count twice"},
};

const KindRow& rowOf(NodeKind kind) { return *std::ranges::find(kKinds, kind, &KindRow::kind); }

// The ends of the scale, as red, green, blue.
constexpr int kLight[] = {247, 250, 255}, kDark[] = {8, 58, 120};
/// Text on colours with a larger relative luminance is black: there both have about the same contrast.
constexpr double kBlackTextFrom = 0.18;

}  // namespace

ColorScale::ColorScale(const Diagram& diagram) {
  for (const Node& node : diagram.nodes)
    if (node.time) largest_ = std::max(largest_, node.time->share);
}

std::string ColorScale::color(double share) const {
  const double at = largest_ > 0 ? std::clamp(share / largest_, 0.0, 1.0) : 0.0;
  std::string text = "#";
  for (size_t i = 0; i < 3; ++i) text += fmt::format("{:02x}", std::lround(kLight[i] + at * (kDark[i] - kLight[i])));
  return text;
}

std::string_view textColorOn(std::string_view color) {
  constexpr double kWeights[] = {0.2126, 0.7152, 0.0722};
  double luminance = 0;
  for (size_t i = 0; i < 3; ++i) {
    int channel = 0;
    const std::string_view digits = color.substr(std::min(1 + 2 * i, color.size()), 2);
    std::from_chars(digits.data(), digits.data() + digits.size(), channel, 16);
    const double value = channel / 255.0;
    luminance += kWeights[i] * (value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4));
  }
  return luminance < kBlackTextFrom ? "#ffffff" : "#000000";
}

std::string boxStyle(NodeKind kind, std::string_view fill) {
  const KindRow& row = rowOf(kind);
  return fmt::format("fill=\"{}\" {}", row.fill.empty() ? fill : row.fill, row.stroke);
}

std::string_view textColor(NodeKind kind) { return rowOf(kind).text; }

std::string_view dotStyle(NodeKind kind) { return rowOf(kind).dot; }

std::string_view meaningOf(NodeKind kind) { return rowOf(kind).meaning; }

}  // namespace amdahlc::drawing
