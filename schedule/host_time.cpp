#include "schedule/host_time.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace amdahlc::schedule {

int64_t scaled(int64_t ns, const Rational& factor) {
  if (factor.numerator == factor.denominator) return ns;
  const __int128 twice = 2 * static_cast<__int128>(ns) * factor.numerator + factor.denominator;
  const __int128 divisor = 2 * static_cast<__int128>(factor.denominator);
  return static_cast<int64_t>(twice / divisor - (twice % divisor < 0 ? 1 : 0));
}

HostTime::HostTime(const Rational& factor, std::vector<HostStretch> stretches)
    : factor_(factor), stretches_(std::move(stretches)) {
  std::sort(stretches_.begin(), stretches_.end(), [](const HostStretch& a, const HostStretch& b) {
    return std::tuple(a.thread, a.startNs, a.endNs) < std::tuple(b.thread, b.startNs, b.endNs);
  });
}

int64_t HostTime::between(ThreadIndex thread, int64_t fromNs, int64_t toNs) const {
  if (toNs <= fromNs) return 0;
  int64_t lengthNs = 0;
  // The first stretch that ends after the beginning: stretches do not overlap.
  auto stretch =
      std::lower_bound(stretches_.begin(), stretches_.end(), std::pair(thread, fromNs),
                       [](const HostStretch& one, const auto& at) { return std::pair(one.thread, one.endNs) <= at; });
  int64_t ordinaryNs = toNs - fromNs;
  for (; stretch != stretches_.end() && stretch->thread == thread && stretch->startNs < toNs; ++stretch) {
    const int64_t partNs = std::min(toNs, stretch->endNs) - std::max(fromNs, stretch->startNs);
    lengthNs += scaled(partNs, stretch->factor);
    ordinaryNs -= partNs;
  }
  return lengthNs + scaled(ordinaryNs, factor_);
}

}  // namespace amdahlc::schedule
