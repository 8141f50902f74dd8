/// A report that a run is compared with: the runs of a report are read, and compared with each other.
#include "fuzz.h"
#include "report/comparison/regressions.h"
#include "report/comparison/report_reader.h"

namespace amdahlc::fuzz {
namespace {

void fuzzBaseline(std::string_view input, Run& run) {
  const auto baseline = comparison::readReport("report.json", input, run.diagnostics);
  require(baseline.has_value() != run.diagnostics.hasErrors(), "the result contradicts the errors");
  if (!baseline) return;
  require(!baseline->runs.empty(), "a baseline has no run");
  for (const comparison::MeasuredRun& before : baseline->runs)
    for (const comparison::MeasuredRun* after : {&before, &baseline->runs.back()}) {
      const comparison::Comparison comparison = compare(before, *after);
      const auto regressions = [&](bool singleKernels) {
        auto rows = gateRows(comparison, {0, singleKernels});
        std::erase_if(rows, [](const comparison::GateRow& row) { return row.regression.empty(); });
        return rows;
      };
      const auto found = regressions(true);
      require(after != &before || found.empty(), "a run regresses from itself");
      require(regressions(false).size() <= found.size(), "groups fail what they do not with single kernels");
      for (const comparison::GateRow& row : found) run.output("regression", row.regression);
      for (const std::string& caveat : comparison.caveats) run.output("caveat", caveat);
    }
}

const Registration kBaseline({.name = "baseline", .fuzzOne = fuzzBaseline, .mutate = mutateJson, .mutations = 1000});

}  // namespace
}  // namespace amdahlc::fuzz
