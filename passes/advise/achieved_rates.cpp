#include "passes/advise/achieved_rates.h"

#include <algorithm>

namespace amdahlc {
namespace {

constexpr int64_t kLeastPartOfBusy = 1'000;

int64_t sumOf(const FlopsByType& flops) {
  int64_t sum = 0;
  for (const auto& [type, count] : flops) sum += count;
  return sum;
}

}  // namespace

AchievedRates::AchievedRates(const ir::TimedFacet& timed, const RooflineAnalysis* roofline) {
  if (roofline == nullptr) return;
  for (const ir::KernelId kernel : roofline->kernels.ids()) {
    const KernelWorkOf& work = roofline->work(kernel);
    const auto& runs = roofline->kernels[kernel].runs;
    const int64_t timeNs = timed.kernels[kernel].reportedNs;
    if (!work.isKnown() || !runs || timeNs <= 0 || timeNs < timed.run.undisturbedNs / kLeastPartOfBusy) continue;
    const double each = *runs / static_cast<double>(timeNs);
    const auto raise = [&](double& rate, int64_t amount) { rate = std::max(rate, static_cast<double>(amount) * each); };
    for (const auto& [type, count] : work.matrixFlops) raise(matrixFlops_[type], count);
    if (!work.matrixFlops.empty()) continue;
    raise(vectorFlops_, sumOf(work.vectorFlops));
    raise(bytes_, work.bytes());
  }
}

std::optional<double> AchievedRates::bytesNs(int64_t bytes) const {
  return bytes_ > 0 ? std::optional(static_cast<double>(bytes) / bytes_) : std::nullopt;
}

std::optional<double> AchievedRates::ns(const KernelWorkOf& work) const {
  if (!work.isKnown()) return std::nullopt;
  double matrixNs = 0;
  for (const auto& [type, count] : work.matrixFlops) {
    const auto rate = matrixFlops_.find(type);
    if (rate == matrixFlops_.end()) return std::nullopt;
    matrixNs += static_cast<double>(count) / rate->second;
  }
  const auto others = static_cast<double>(sumOf(work.vectorFlops));
  if ((others > 0 && vectorFlops_ <= 0) || bytes_ <= 0) return std::nullopt;
  return std::max({matrixNs, others > 0 ? others / vectorFlops_ : 0, static_cast<double>(work.bytes()) / bytes_});
}

}  // namespace amdahlc
