/// How the iterations of a run differ, for the summary.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace amdahlc {

/// Whether the run has iterations that can differ, and their times are known.
bool hasSpread(const RunReport& run);

/// `1.2 %`: the standard deviation over the mean. ` !` follows where slow iterations pull the mean: it is above the
/// median by more than the robust deviation 1.4826 x MAD, and by more than 1 % of the median.
std::string spreadOf(const TimeStatistics& time);

/// A line for each iteration of which a total is an outlier, the first few; empty for none.
std::string outlierLines(const RunReport& run);

}  // namespace amdahlc
