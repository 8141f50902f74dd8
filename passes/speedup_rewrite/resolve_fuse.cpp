// Kernels become one: the kernel that runs last takes the time of all, and the others are removed. Those of several
// changes that share kernels are one.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "passes/speedup_rewrite/fused_kernels.h"
#include "passes/speedup_rewrite/scenario_resolution.h"
#include "support/limits.h"
#include "support/plural.h"
#include "support/sort_unique.h"

namespace amdahlc {
namespace {

class Fusing {
 public:
  explicit Fusing(ScenarioResolution& scenario) : scenario_(scenario), groups_(scenario.runs()) {}

  /// Notes which kernels become one.
  bool add(const ir::Change& change) {
    std::vector<FusedKernels> fused(scenario_.runs());
    std::vector<ir::Selector> others;
    for (const ir::Selector& asked : change.selectors) {
      const ir::Selector selector = scenario_.withKind(asked);
      bool any = false;
      for (size_t run = 0; run < fused.size(); ++run)
        any |= take(fusedByRules(scenario_.module(), scenario_.cover(run), scenario_.run(run).graph, selector),
                    fused[run]);
      if (!any) others.push_back(asked);
    }
    if (!others.empty()) {
      // What several selectors select together.
      const auto selected = scenario_.select(change, others);
      if (!selected) return false;
      for (size_t run = 0; run < fused.size(); ++run)
        take(fusedNeighbours(scenario_.run(run).graph, (*selected)[run]), fused[run]);
    }
    size_t count = 0;
    std::vector<std::string> declined;
    for (size_t run = 0; run < fused.size(); ++run) {
      for (std::vector<ir::KernelId>& group : fused[run].groups) {
        count += timedOf(run, group).size() > 1;
        groups_[run].push_back(std::move(group));
      }
      std::move(fused[run].declined.begin(), fused[run].declined.end(), std::back_inserter(declined));
    }
    sortUnique(declined);
    for (const std::string& why : declined)
      scenario_.warn(DiagId::ChangeDeclined, change, "leaves kernels as they are: " + why);
    if (count == 0 && declined.empty())
      return scenario_.fail(
          change, fmt::format("`{}` finds no two kernels with time that follow one another", ir::describe(change)));
    if (scenario_.wantsRemarks()) scenario_.remark(change, fmt::format("makes {}", plural(count, "fused kernel")));
    return true;
  }

  /// Gives fused kernels their times. `last` is the change that messages are about.
  bool apply(const ir::Change& last) {
    for (size_t run = 0; run < groups_.size(); ++run) {
      const FusedKernels merged = mergedGroups(scenario_.run(run).graph, groups_[run]);
      const auto work = scenario_.workOf(run);
      std::vector<FusedGroup> groups;
      for (const std::vector<ir::KernelId>& group : merged.groups) groups.push_back(fusedGroup(group, work));
      if (!scenario_.changed(run).fuse(groups))
        return scenario_.fail(
            last, fmt::format("`{}` makes a kernel that takes more than {} ns", ir::describe(last), limits::kTimeNs));
      for (const std::string& why : merged.declined)
        scenario_.warn(DiagId::ChangeDeclined, last, "and those before it leave kernels as they are: " + why);
    }
    return true;
  }

 private:
  /// Adds `more`; whether it has groups.
  static bool take(FusedKernels more, FusedKernels& fused) {
    std::move(more.groups.begin(), more.groups.end(), std::back_inserter(fused.groups));
    std::move(more.declined.begin(), more.declined.end(), std::back_inserter(fused.declined));
    return !more.groups.empty();
  }

  /// Those that have time, and are not removed.
  std::vector<ir::KernelId> timedOf(size_t run, std::vector<ir::KernelId> group) {
    std::erase_if(group, [&](ir::KernelId kernel) { return !scenario_.changed(run).runs(kernel); });
    return group;
  }

  ScenarioResolution& scenario_;
  /// By run: groups of kernels that become one.
  std::vector<std::vector<std::vector<ir::KernelId>>> groups_;
};

}  // namespace

bool resolveFuse(const ChangesOfKind& changes, ScenarioResolution& scenario) {
  Fusing fusing(scenario);
  bool ok = true;
  for (const ir::Change* change : changes) ok &= fusing.add(*change);
  return ok && fusing.apply(*changes.back());
}

}  // namespace amdahlc
