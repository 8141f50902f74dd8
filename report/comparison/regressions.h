/// What became slower by more than a limit and more than noise explains: the condition of `-fail-on-regression`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/comparison/compare.h"

namespace amdahlc::comparison {

struct RegressionLimit {
  /// In thousandths of a percent.
  int64_t growth = 0;
  /// Each kernel counts alone, whatever else became faster.
  bool singleKernels = false;
};

struct Regression {
  /// In the comparison; of kernels that count together, the first that is new.
  const Difference* difference = nullptr;
  /// A total, else a kernel.
  bool isTotal = false;
  /// One sentence for users with times, noise where it is known, and the limit, without a period.
  std::string message;
};

/// The regressions beyond the limit, totals first.
///
/// A total regresses if it grew by more than the limit. A kernel regresses if it grew by more than the limit of the
/// busy time before, also where another kernel makes up for it: a limit of the kernel's own time would fail runs for
/// kernels of a microsecond. What is within noise is no regression. Where the noise is unknown, means are compared, and
/// the message says so.
///
/// Unless single kernels are asked for, new kernels count net of those that are gone over the same module: kernels that
/// only one run has are one row where their scopes are the same, or one lies inside the other. The scope of the model
/// itself has its own nodes only, because all others lie inside it. Nothing regresses where busy and wall both fell.
std::vector<Regression> regressions(const Comparison& comparison, const RegressionLimit& limit);

}  // namespace amdahlc::comparison
