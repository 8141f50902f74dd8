/// A diagram as SVG.
#pragma once

#include <optional>
#include <string>

#include "report/drawing/diagram.h"

namespace amdahlc::drawing {

/// Why a diagram is too large to be drawn, as a clause; empty if it is not.
std::string whyNotDrawn(const Diagram& diagram);

/// An SVG document of its own. What is known of a node is its title, and a panel that a click opens, without any
/// script. No text of the diagram is markup. The same diagram gives the same bytes.
std::string writeSvg(const Diagram& diagram, const PictureOptions& options);

}  // namespace amdahlc::drawing
