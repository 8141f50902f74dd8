/// Fewer nodes for the same graph: repeated modules once, deep modules as one node.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/drawing/diagram.h"

namespace amdahlc::drawing {

/// From this number of nodes on, `auto` folds repeated modules.
inline constexpr size_t kFoldFrom = 25;
/// `auto` draws modules as one node until there are no more nodes than this, as far as there are modules.
inline constexpr size_t kReadableNodes = 250;

/// What `fold` takes.
std::vector<std::string> foldChoices();

/// Folds a diagram. `how` is one of these:
///
///   auto    modules that follow each other in one parent, with alike contents of two nodes or more and names that
///           differ in a number only, become one, with count, sum and spread; if there are still too many nodes,
///           modules of the deepest levels become one node
///   none    nothing
///   0..9    this number of levels of modules is drawn; a module at a deeper level is one node
///
/// Where 25 nodes or more are left, so do, but with `none`, chains of one module that have the same names and the same
/// neighbours, and are not on the critical path.
///
/// Linear in the size of the diagram times its depth.
Diagram fold(const Diagram& diagram, std::string_view how);

}  // namespace amdahlc::drawing
