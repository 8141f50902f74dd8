#include "passes/speedup_rewrite/prediction.h"

#include <algorithm>
#include <numeric>

#include "passes/critical_path/longest_paths.h"
#include "passes/manager/ratios.h"
#include "passes/timing/timing_analysis.h"
#include "schedule/busy_time.h"
#include "support/statistics.h"

namespace amdahlc {
namespace {

const Rational kUnchanged{1, 1};

/// Weights of a scenario are exact up to this common denominator. Factors with a larger one are rounded to it, by far
/// less than a nanosecond.
constexpr int64_t kLargestCommonDenominator = int64_t{1} << 40;

int64_t commonDenominator(const DeviceFactors& factors) {
  int64_t common = 1;
  for (const Rational& factor : factors.kernels) {
    const int64_t step = factor.denominator / std::gcd(common, factor.denominator);
    if (step > kLargestCommonDenominator / common) return kLargestCommonDenominator;
    common *= step;
  }
  return common;
}

}  // namespace

ir::Prediction predict(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
                       const DeviceFactors& factors) {
  ir::Prediction prediction;
  prediction.unboundFactor = factors.unbound;
  for (const ir::KernelId kernel : factors.kernels.ids())
    if (factors.kernels[kernel] != kUnchanged) prediction.factors.emplace_back(kernel, factors.kernels[kernel]);

  const ir::TimedFacet& timed = *cover.facets.get<ir::TimedFacet>();
  const int64_t busyNs = sum(timed.run.busyNs);
  const Timeline& timeline = *module.findTimeline(cover.traceLabel);
  prediction.busyNs = schedule::busyNs(timeline, eventFactors(eventOwners(timeline, cover), factors));
  prediction.wallNs.reset();
  if (timed.run.wallNs)
    prediction.wallNs =
        wallWithBusy(static_cast<double>(sum(*timed.run.wallNs)), static_cast<double>(busyNs), prediction.busyNs);

  // Weights are limited so that no path overflows for any new times.
  const auto limit =
      static_cast<long double>(PathWeight{1} << 125) / static_cast<long double>(cover.kernels.size() + 1);
  const auto newNs = [&](const ir::Kernel& kernel) {
    const Rational& factor = factors.kernels[kernel.id];
    return static_cast<long double>(timed.kernels[kernel.id].totalNs) * factor.numerator / factor.denominator;
  };
  int64_t scale = commonDenominator(factors);
  for (const ir::Kernel& kernel : cover.kernels)
    if (newNs(kernel) * scale > limit) scale = 1;
  IdVector<ir::KernelId, PathWeight> weights;
  for (const ir::Kernel& kernel : cover.kernels) {
    const Rational& factor = factors.kernels[kernel.id];
    const bool fits = static_cast<long double>(timed.kernels[kernel.id].totalNs) * factor.numerator * scale < limit;
    weights.push_back(fits ? static_cast<PathWeight>(timed.kernels[kernel.id].totalNs) * factor.numerator * scale /
                                 factor.denominator
                           : static_cast<PathWeight>(std::min(newNs(kernel) * scale, limit)));
  }
  const LongestPaths path(module, cover, graph, weights);
  prediction.pathNs = static_cast<double>(static_cast<long double>(path.length()) / scale);
  prediction.path = path.path();
  return prediction;
}

}  // namespace amdahlc
