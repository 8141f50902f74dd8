#include "passes/liveness/liveness_analysis.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace amdahlc {
namespace {

using Wide = __int128;
constexpr Wide kNsPerS = 1'000'000'000;

Wide byteTime(const Liveness& liveness, const Candidate& candidate) {
  return Wide(*liveness.tensors[candidate.tensor].bytes) * candidate.period.totalNs;
}

/// Stable, so that equal ones stay in the order of tensors and periods.
void rank(const Liveness& liveness, std::vector<Candidate>& candidates) {
  std::ranges::stable_sort(candidates, std::greater(), [&](const Candidate& one) { return byteTime(liveness, one); });
}

}  // namespace

std::vector<Candidate> offloadCandidates(const Liveness& liveness, int64_t iterations, int64_t bytesPerS) {
  std::vector<Candidate> candidates;
  for (const TensorId id : liveness.tensors.ids()) {
    const auto bytes = liveness.tensors[id].bytes;
    if (!bytes || *bytes == 0) continue;
    const Wide transferNs = (2 * Wide(*bytes) * kNsPerS + bytesPerS - 1) / bytesPerS;
    for (const InactivePeriod& period : liveness.periods[id])
      if (Wide(period.totalNs) > transferNs * iterations)
        candidates.push_back({id, period, static_cast<int64_t>(transferNs)});
  }
  rank(liveness, candidates);
  return candidates;
}

std::vector<Candidate> recomputeCandidates(const Liveness& liveness) {
  // By position: until when everything is live that the kernel reads.
  std::vector<SchedulePosition> inputsEnd;
  for (SchedulePosition at = 0; at < liveness.kernels.size(); ++at) {
    SchedulePosition end = std::numeric_limits<SchedulePosition>::max();
    for (const TensorId input : liveness.inputs[at])
      if (!liveness.tensors[input].isGlobal) end = std::min(end, liveness.tensors[input].liveEnd);
    inputsEnd.push_back(end);
  }
  std::vector<Candidate> candidates;
  for (const TensorId id : liveness.tensors.ids()) {
    const Tensor& tensor = liveness.tensors[id];
    if (tensor.isGlobal || tensor.bytes.value_or(0) == 0) continue;
    const auto uses = liveness.uses[id];
    auto next = uses.begin();
    int64_t costNs = 0;
    SchedulePosition end = 0;
    bool isMade = false, isPossible = true;
    for (const InactivePeriod& period : liveness.periods[id]) {
      for (; next != uses.end() && next->position < period.from; ++next) {
        if (!next->writes) continue;
        // A kernel that changes the tensor cannot start from what it was before.
        isPossible &= !next->reads;
        costNs += liveness.totalNs[next->position];
        end = isMade ? std::min(end, inputsEnd[next->position]) : inputsEnd[next->position];
        isMade = true;
      }
      if (isMade && isPossible && period.totalNs > 0 && period.to < end) candidates.push_back({id, period, costNs});
    }
  }
  rank(liveness, candidates);
  return candidates;
}

double byteSeconds(const Liveness& liveness, const Candidate& candidate, int64_t iterations) {
  return static_cast<double>(byteTime(liveness, candidate)) / static_cast<double>(iterations) / 1e9;
}

}  // namespace amdahlc
