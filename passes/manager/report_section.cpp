#include "passes/manager/report_section.h"

#include "passes/manager/ratios.h"
#include "support/statistics.h"

namespace amdahlc {

int64_t ReportRun::perIteration(int64_t total) const { return iterations == 0 ? 0 : divideHalfEven(total, iterations); }

double ReportRun::busyShare(int64_t totalNs) const {
  return quotient(static_cast<double>(totalNs), static_cast<double>(busyNs)).value_or(0);
}

}  // namespace amdahlc
