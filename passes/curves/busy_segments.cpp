#include "passes/curves/busy_segments.h"

#include <algorithm>
#include <map>

#include "passes/timing/timing_analysis.h"

namespace amdahlc {

BusySegments::BusySegments(const Timeline& timeline, const ir::Cover& cover,
                           const IdVector<ir::KernelId, KernelClass>& classes, KernelClass unbound) {
  std::map<std::vector<KernelClass>, int64_t> lengths;
  std::vector<uint32_t> active;
  for (const OwnedEvents& iteration : ownedEvents(timeline, cover)) {
    // There are few classes, whatever the number of events that run at once.
    std::vector<KernelClass> present;
    const auto classOf = [&](uint32_t event) {
      return iteration.owners[event] == kUnboundOwner ? unbound : classes[iteration.owners[event]];
    };
    SweepVisitor visitor;
    visitor.begins = [&](uint32_t event, int64_t) {
      const KernelClass one = classOf(event);
      if (active.size() <= one) active.resize(one + 1, 0);
      if (active[one]++ == 0) present.insert(std::lower_bound(present.begin(), present.end(), one), one);
    };
    visitor.ends = [&](uint32_t event, int64_t) {
      const KernelClass one = classOf(event);
      if (--active[one] == 0) present.erase(std::lower_bound(present.begin(), present.end(), one));
    };
    visitor.segment = [&](int64_t lengthNs) { lengths[present] += lengthNs; };
    sweep(intervalsOf(timeline, iteration), visitor);
  }
  lengths_.assign(lengths.begin(), lengths.end());
}

double BusySegments::busyNs(std::span<const Rational> factors) const {
  std::map<Rational, int64_t> lengthByFactor;
  for (const auto& [present, lengthNs] : lengths_) {
    Rational largest = factors[present.front()];
    for (const KernelClass one : present)
      if (largest < factors[one]) largest = factors[one];
    lengthByFactor[largest] += lengthNs;
  }
  double busyNs = 0;
  for (const auto& [factor, lengthNs] : lengthByFactor)
    busyNs += static_cast<double>(static_cast<long double>(lengthNs) * factor.numerator / factor.denominator);
  return busyNs;
}

}  // namespace amdahlc
