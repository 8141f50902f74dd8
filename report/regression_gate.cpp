#include <fmt/format.h>

#include "report/comparison/regressions.h"
#include "report/measured_runs.h"
#include "report/outputs/rendering.h"
#include "report/report_analysis.h"
#include "support/printable.h"

namespace amdahlc {

void checkRegressions(const GateInput& input, DiagnosticEngine& diagnostics) {
  const comparison::Baseline& baseline = *input.analyses.options<Rendering>().baseline;
  const Report& report = input.analyses.get<ReportAnalysis>().report();
  for (const RunReport& run : report.runs) {
    if (!run.totals) continue;
    const TraceLocation trace{run.timeline->file, std::nullopt, std::nullopt};
    const auto fail = [&](const std::string& why) {
      return diagnostics.error(DiagId::Regression, trace, fmt::format("run `{}`: {}", printable(run.label), why));
    };
    const auto comparison = comparedWithBaseline(baseline, run, report.runs.size());
    if (!comparison) {
      fail(describe(*comparison.absence()));
      continue;
    }
    for (const comparison::Regression& one : regressions(*comparison, {input.limit, input.hasPrefix}))
      fail(one.message);
  }
}

}  // namespace amdahlc
