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
      const auto found = regressions(comparison, {0, true});
      require(after != &before || found.empty(), "a run regresses from itself");
      require(regressions(comparison, {0, false}).size() <= found.size(),
              "replacements fail what single kernels do not");
      for (const comparison::Regression& one : found) run.output("regression", one.message);
      for (const std::string& caveat : comparison.caveats) run.output("caveat", caveat);
    }
}

const Registration kBaseline({.name = "baseline", .fuzzOne = fuzzBaseline, .mutate = mutateJson, .mutations = 1000});

}  // namespace
}  // namespace amdahlc::fuzz
