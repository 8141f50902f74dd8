/// A diagram as DOT, for Graphviz and the tools that read it.
#pragma once

#include <string>

#include "report/drawing/diagram.h"

namespace amdahlc::drawing {

/// A digraph with modules as clusters. No text of the diagram can end a string, or be read as HTML. The same diagram
/// gives the same bytes.
std::string writeDot(const Diagram& diagram, const PictureOptions& options);

}  // namespace amdahlc::drawing
