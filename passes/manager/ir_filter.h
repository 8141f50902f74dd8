/// The part of a dump of the IR that is about chosen nodes or kernels, for `-filter-print`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace amdahlc {

/// The statements of `text`, which is the printed form of `module`, about
/// - the operators named by `names`, or of kernels whose rule or label they name;
/// - candidates and kernels with these operators, and all that facets say of those kernels;
/// - rules of these candidates, and events that are bound to these kernels;
/// with the blocks around them. `found[i]` is set if `names[i]` names something. It is no input for a run.
std::string filteredIr(std::string_view text, const ir::Module& module, const std::vector<std::string>& names,
                       std::vector<bool>& found);

}  // namespace amdahlc
