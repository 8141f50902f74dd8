/// Colours of pictures. They differ in lightness, not in hue alone, so that colour-blind people can tell them apart,
/// also in a print in grey.
#pragma once

#include <string>
#include <string_view>

#include "report/drawing/diagram.h"

namespace amdahlc::drawing {

inline constexpr std::string_view kEdgeColor = "#555555", kFrameColor = "#999999";
/// A red-orange, far from the blue of shares for all kinds of colour vision.
inline constexpr std::string_view kPathColor = "#d55e00";

/// Shares of busy time as shades of blue, from white for 0 to dark for the largest share of the picture.
class ColorScale {
 public:
  explicit ColorScale(const Diagram& diagram);
  explicit ColorScale(double largestShare) : largest_(largestShare) {}
  /// 0 if no node has a time.
  double largest() const { return largest_; }
  std::string color(double share) const;

 private:
  double largest_ = 0;
};

/// Black or white, whichever has more contrast to this colour, `#rrggbb`.
std::string_view textColorOn(std::string_view color);

/// Attributes of the box of a node: stroke, dashes, and the fill, which is `fill` where the kind has none of its own.
std::string boxStyle(NodeKind kind, std::string_view fill);
std::string_view textColor(NodeKind kind);
/// The style of a node in DOT.
std::string_view dotStyle(NodeKind kind);
/// For the legend; empty for a kind that explains itself.
std::string_view meaningOf(NodeKind kind);

}  // namespace amdahlc::drawing
