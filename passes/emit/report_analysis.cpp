#include "passes/emit/report_analysis.h"

#include "passes/emit/writers.h"

namespace amdahlc {

bool operator==(const ReportAnalysis& a, const ReportAnalysis& b) {
  return writeJson(a.report_, {}, {}) == writeJson(b.report_, {}, {}) &&
         writeCsv(a.report_, {}) == writeCsv(b.report_, {});
}

}  // namespace amdahlc
