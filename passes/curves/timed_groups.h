/// Groups of what may become faster in a run: those that selectors name, and those that a run has by itself.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "passes/manager/pass.h"
#include "passes/speedup_rewrite/scenario_resolution.h"
#include "replay/scenario/timed_group.h"

namespace amdahlc {

/// By run, the group of each selector, in their order; empty without selectors.
using NamedGroups = std::map<ir::CoverId, std::vector<TimedGroup>>;

/// Those of an option of the kind `List`. nullopt if one is no selector, or selects nothing in any run, which is an
/// error at its place.
std::optional<NamedGroups> groupsOf(const ir::Module& module, const std::vector<std::string>& selectors,
                                    const PassOption& option, PassContext& context);

/// The groups of a run for which nobody named any: kernels by label, those with the most time first and at most
/// `mostLabels`; then `launches` and `host` if the run can be replayed.
std::vector<TimedGroup> groupsByLabel(const ir::Module& module, const std::vector<PredictedRun>& runs, size_t run,
                                      size_t mostLabels);

}  // namespace amdahlc
