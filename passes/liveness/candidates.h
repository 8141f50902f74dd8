/// Which inactive periods of tensors could free memory: by moving the tensor away and back, or by making it again.
#pragma once

#include <cstdint>
#include <vector>

#include "passes/liveness/liveness.h"

namespace amdahlc {

/// An inactive period of a tensor of known size.
struct Candidate {
  TensorId tensor;
  InactivePeriod period;
  /// What it costs: two transfers, per iteration, in nanoseconds rounded up; or the time of the kernels that make the
  /// tensor, over the selected iterations.
  int64_t costNs = 0;
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// Periods that are longer than it takes to move the tensor out and back. Those with the most bytes times time come
/// first; of equal ones the lower tensor and the earlier period. `iterations` are those of the run.
std::vector<Candidate> offloadCandidates(const Liveness& liveness, int64_t iterations, int64_t bytesPerS);

/// Periods of local tensors at the end of which everything is still live that the kernels which wrote the tensor had
/// read. In the same order. The kernels may cost more than the period lasts: memory is what they would save.
std::vector<Candidate> recomputeCandidates(const Liveness& liveness);

/// Bytes times seconds per iteration.
double byteSeconds(const Liveness& liveness, const Candidate& candidate, int64_t iterations);

}  // namespace amdahlc
