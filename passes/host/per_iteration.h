/// The work of streams per iteration, for reports: every level of the breakdown adds up to the one above it.
#pragma once

#include <cstdint>
#include <vector>

#include "passes/host/host_analysis.h"

namespace amdahlc {

/// A row of the analysis `host` with its work per iteration.
template <typename Row>
struct RoundedRow {
  const Row* row = nullptr;
  int64_t count = 0;
  int64_t ns = 0;
};

using RoundedKernel = RoundedRow<NamedKernelWork>;
struct RoundedLaunching : RoundedRow<LaunchingOperator> {
  std::vector<RoundedKernel> kernels;
};
struct RoundedTop : RoundedRow<TopOperator> {
  std::vector<RoundedLaunching> operators;
  std::vector<RoundedKernel> kernels;
};
struct RoundedStream : RoundedRow<StreamWork> {
  std::vector<RoundedRow<FamilyWork>> families;
  std::vector<RoundedTop> operators;
};

/// The streams of a run. Their device times add up to that of the run per iteration, which is rounded half to even.
std::vector<RoundedStream> streamsPerIteration(int64_t iterations, const HostAnalysis& facts);

/// Times that add up to wall, per iteration, so that they add up to the rounded wall.
std::vector<int64_t> concurrencyPerIteration(int64_t iterations, const HostAnalysis& facts);

}  // namespace amdahlc
