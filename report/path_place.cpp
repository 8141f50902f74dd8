#include "report/path_place.h"

#include "ir/facets/critical_path.h"

namespace amdahlc {

std::optional<PathPlace> pathPlace(const ReportRun& run, ir::KernelId kernel) {
  const auto* facts = run.cover->facets.get<ir::CriticalPathFacet>();
  if (facts == nullptr) return std::nullopt;
  const ir::KernelPath& path = facts->kernels[kernel];
  return PathPlace{path.critical, run.perIteration(path.slackNs)};
}

}  // namespace amdahlc
