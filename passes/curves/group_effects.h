/// The analysis `group-effects`: what one group at a time would save, for comparing all groups of a run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "passes/manager/analysis.h"
#include "replay/scenario/group_times.h"
#include "replay/schedule/prediction.h"

namespace amdahlc {

/// Totals over the reported iterations.
struct GroupEffect {
  /// As `-what-if=` takes it.
  std::string selector;
  /// The run if the group takes half its time, and if it takes none.
  schedule::PredictedTimes twice, free;
  friend bool operator==(const GroupEffect&, const GroupEffect&) = default;
};

/// Cost: two predictions for each group.
struct GroupEffects {
  static constexpr const char* kName = "group-effects";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound, ir::Facet::Timed};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Timed};
  GroupEffects(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

  /// The run as predictions start from it.
  schedule::PredictedTimes base;
  /// Labels with the most device time, the calls that launch, and the host, as far as they can be predicted. What saves
  /// most if it costs nothing comes first; of equal ones what saves more at twice the speed.
  std::vector<GroupEffect> groups;
  friend bool operator==(const GroupEffects&, const GroupEffects&) = default;
};

}  // namespace amdahlc
