/// What became slower by more than a limit and more than noise explains: the condition of `-fail-on-regression`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comparison/compare.h"

namespace amdahlc::comparison {

struct Regression {
  /// In the comparison.
  const Difference* difference = nullptr;
  /// A total, else a kernel.
  bool isTotal = false;
  /// One sentence for users with times, noise where it is known, and the limit, without a period.
  std::string message;
};

/// The regressions beyond `limit` thousandths of a percent, totals first.
///
/// A total regresses if it grew by more than the limit. A kernel regresses if it grew by more than the limit of the
/// busy time before, also where another kernel makes up for it: a limit of the kernel's own time would fail runs for
/// kernels of a microsecond. What is within noise is no regression. Where the noise is unknown, means are compared, and
/// the message says so.
std::vector<Regression> regressions(const Comparison& comparison, int64_t limit);

}  // namespace amdahlc::comparison
