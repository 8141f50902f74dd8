#include "replay/scenario/kernel_factors.h"

#include <algorithm>
#include <map>

namespace amdahlc {

std::vector<Rational> eventFactors(const EventKeys& keys, const DeviceFactors& factors) {
  std::vector<Rational> byEvent;
  byEvent.reserve(keys.owners.size());
  for (EventIndex event = 0; event < keys.owners.size(); ++event) {
    const KernelId owner = keys.owners[event];
    byEvent.push_back(owner == kUnboundOwner ? factors.unbound[static_cast<size_t>(keys.phase(event))]
                                             : factors.kernels[owner]);
    if (!factors.forwards.empty() && keys.forwards[event] < factors.forwards.size())
      byEvent.back() = byEvent.back() * factors.forwards[keys.forwards[event]];
  }
  return byEvent;
}

IdVector<KernelId, Rational> kernelFactors(const Timeline& timeline, const EventKeys& keys,
                                           const DeviceFactors& factors) {
  IdVector<KernelId, Rational> byKernel = factors.kernels;
  if (factors.forwards.empty()) return byKernel;
  // By kernel and group its time; events outside of forwards are behind the last group.
  const size_t groups = factors.forwards.size();
  std::map<KernelId, std::map<size_t, int64_t>> timesNs;
  for (EventIndex event = 0; event < keys.owners.size(); ++event)
    if (keys.owners[event] != kUnboundOwner)
      timesNs[keys.owners[event]][std::min<size_t>(keys.forwards[event], groups)] += timeline.durationNs[event];
  for (const auto& [kernel, times] : timesNs) {
    const auto factorOf = [&](size_t group) { return group < groups ? factors.forwards[group] : Rational::of(1); };
    int64_t allNs = 0;
    ScaledSum changed;
    for (const auto& [group, ns] : times) {
      allNs += ns;
      changed.add(ns, factorOf(group));
    }
    // A kernel of one group has its factor, without any rounding.
    if (times.size() == 1)
      byKernel[kernel] = byKernel[kernel] * factorOf(times.begin()->first);
    else if (allNs > 0)
      byKernel[kernel] = byKernel[kernel] * Rational::of(changed.rounded(), allNs);
  }
  return byKernel;
}

}  // namespace amdahlc
