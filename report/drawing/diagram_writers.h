/// Diagrams as SVG, and as DOT for Graphviz and the tools that read it. The same diagram gives the same bytes.
#pragma once

#include <optional>
#include <string>

#include "report/drawing/diagram.h"
#include "support/absence.h"

namespace amdahlc::drawing {

/// Why there is no picture of a diagram: it is too large; nullopt if it is not.
std::optional<Absence> absenceOfPicture(const Diagram& diagram);

/// An SVG document of its own. What is known of a node is its title, and a panel that a click opens, without any
/// script. No text of the diagram is markup.
std::string writeSvg(const Diagram& diagram, const PictureOptions& options);

/// A digraph with modules as clusters. No text of the diagram can end a string, or be read as HTML.
std::string writeDot(const Diagram& diagram, const PictureOptions& options);

}  // namespace amdahlc::drawing
