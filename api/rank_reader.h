/// Reads the traces of the ranks of a run, several at a time, and keeps little of each.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/request.h"
#include "runs/ranks/comparison.h"
#include "support/diagnostic.h"

namespace amdahlc::api {

struct LoadedRanks {
  ranks::RankComparison comparison;
  /// Of the rank whose events are bound: that of `-rank`, else the lowest.
  std::string path;
};

/// Precondition: the request has ranks. As many traces are in memory as threads read (`-jobs`), however many ranks
/// there are. What does not fit beside others is read again alone. Reports errors in the order of the files.
std::optional<LoadedRanks> loadRanks(const Request& request, DiagnosticEngine& diagnostics,
                                     const std::function<void(double fraction)>& progress);

}  // namespace amdahlc::api
