/// What a node says: on itself, and when it is asked.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "report/drawing/diagram.h"

namespace amdahlc::drawing {

/// Name; time; one column for each scenario, of nodes that it changes; spread; share; limit. Columns that say nothing
/// are empty.
std::vector<std::string> columnsOf(const Diagram& diagram, const Node& node);

/// Name of a frame, with its count where that is not the count of the frame around it.
std::string frameName(const Diagram& diagram, const Cluster& cluster);

/// (key, value): times first, then the facts of the node.
std::vector<std::pair<std::string, std::string>> factsOf(const Diagram& diagram, const Node& node);

/// Name and facts, one a line, each at most as long as a tooltip can show.
std::string titleOf(const Diagram& diagram, const Node& node);

}  // namespace amdahlc::drawing
