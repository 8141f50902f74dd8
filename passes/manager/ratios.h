/// The formulas of Amdahl's law that reports and predictions share.
#pragma once

#include <optional>

namespace amdahlc {

/// A speed-up or a share; nullopt if the divisor is 0 or less: no limit, or unknown.
inline std::optional<double> quotient(double a, double b) { return b > 0 ? std::optional(a / b) : std::nullopt; }

/// Wall time if busy time changes to `newBusyNs`: it changes by as much, because idle time is assumed to stay.
template <typename Ns>
Ns wallWithBusy(Ns wallNs, Ns busyNs, Ns newBusyNs) {
  return wallNs - (busyNs - newBusyNs);
}

}  // namespace amdahlc
