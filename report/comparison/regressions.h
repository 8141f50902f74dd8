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
  /// Kernels count beside groups, each alone, whatever else became faster.
  bool singleKernels = false;
};

/// What a gate judges.
struct GateRow {
  enum class Kind : uint8_t { Total, Category, Scope, Kernel };
  Kind kind = Kind::Total;
  Difference difference;
  /// Of a regression: a sentence for users with times, noise where it is known, and the limit, without a period; else
  /// empty.
  std::string regression = {};
};

/// The rows that a gate judges: totals, groups of kernels, and single kernels if these are asked for.
///
/// A total regresses if it grew by more than the limit. A group or a kernel regresses if it grew by more than the limit
/// of the busy time before: a limit of its own time would fail runs for kernels of a microsecond. What is within noise
/// is no regression. Where the noise is unknown, the limit is larger by `kDriftPercent`, and the message says so.
///
/// Groups are kernels of a category, and kernels of a module with all inside. New kernels count net of those that are
/// gone over the same module: kernels that only one run has are in one place, that of a new one, if their scopes are
/// the same or one lies inside the other. The scope of the model itself has its own nodes only, because all others lie
/// inside it. Unless single kernels are asked for, nothing regresses where busy and wall both fell.
std::vector<GateRow> gateRows(const Comparison& comparison, const RegressionLimit& limit);

}  // namespace amdahlc::comparison
