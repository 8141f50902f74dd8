/// A kernel's place relative to the critical path, as all reports show it.
#pragma once

#include <cstdint>
#include <optional>

#include "report/section.h"

namespace amdahlc {

struct PathPlace {
  /// On the reported path.
  bool critical = false;
  /// Per iteration.
  int64_t slackNs = 0;
};

/// nullopt before `critical-path`.
std::optional<PathPlace> pathPlace(const ReportRun& run, ir::KernelId kernel);

}  // namespace amdahlc
