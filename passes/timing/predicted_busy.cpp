#include "passes/timing/predicted_busy.h"

#include <map>

#include "passes/timing/timing_analysis.h"

namespace amdahlc {

double predictedBusyNs(const Timeline& timeline, const ir::Cover& cover, const DeviceFactors& factors) {
  std::map<Rational, int64_t> lengthByFactor;
  for (const OwnedEvents& iteration : ownedEvents(timeline, cover)) {
    const auto factorOf = [&](uint32_t event) {
      return iteration.owners[event] == kUnboundOwner ? factors.unbound : factors.kernels[iteration.owners[event]];
    };
    std::map<Rational, uint32_t> active;  // number of events by factor; the last factor counts
    SweepVisitor visitor;
    visitor.begins = [&](uint32_t event, int64_t) { ++active[factorOf(event)]; };
    visitor.ends = [&](uint32_t event, int64_t) {
      const auto entry = active.find(factorOf(event));
      if (--entry->second == 0) active.erase(entry);
    };
    visitor.segment = [&](int64_t lengthNs) { lengthByFactor[active.rbegin()->first] += lengthNs; };
    sweep(intervalsOf(timeline, iteration), visitor);
  }
  double busyNs = 0;
  for (const auto& [factor, lengthNs] : lengthByFactor)
    busyNs += static_cast<double>(static_cast<long double>(lengthNs) * factor.numerator / factor.denominator);
  return busyNs;
}

}  // namespace amdahlc
