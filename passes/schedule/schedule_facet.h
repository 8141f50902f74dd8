/// The facet `schedule`: causes of idle time, the critical path of the run, and the replay of the unchanged run.
/// Established by the pass `schedule` from host events.
#pragma once

#include "ir/facets/stored_facet.h"
#include "schedule/run_schedule.h"

namespace amdahlc {

struct ScheduleFacet final : ir::TransientFacetOf<ScheduleFacet, ir::Facet::Schedule> {
  /// Empty, with a reason, for a run that has none.
  schedule::RunSchedule run;
  friend bool operator==(const ScheduleFacet&, const ScheduleFacet&) = default;
};

}  // namespace amdahlc
