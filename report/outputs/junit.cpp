// JUnit XML, as CI systems show it: a suite for each run that is compared, a case for each row that the gate
// judges. A case fails if it is a regression.
#include <fmt/format.h>

#include "report/comparison/regressions.h"
#include "report/drawing/svg_canvas.h"
#include "report/measured_runs.h"
#include "report/outputs/output.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

using comparison::Difference;
using comparison::GateRow;

constexpr double kNsPerSecond = 1e9;

/// A text as the content of an attribute: names come from models and traces.
std::string xml(const std::string& text) { return drawing::escaped(printable(text)); }

std::string nameOf(const GateRow& row) {
  const Difference& of = row.difference;
  switch (row.kind) {
    case GateRow::Kind::Category:
      return "category " + of.name;
    case GateRow::Kind::Scope:
      return "scope " + of.name;
    case GateRow::Kind::Kernel:
      return fmt::format("{} at {}", of.name, of.node);
    case GateRow::Kind::Total:
      break;
  }
  return of.name;
}

std::string caseOf(const GateRow& row, const std::string& suite) {
  const auto& after = row.difference.after;
  std::string text = fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.9f}\"", xml(suite),
                                 xml(nameOf(row)), after ? static_cast<double>(after->ns) / kNsPerSecond : 0.0);
  if (row.regression.empty()) return text + "/>\n";
  return text + fmt::format(">\n   <failure message=\"{}\"/>\n  </testcase>\n", xml(row.regression));
}

/// A suite with one case that is an error.
std::string errorSuite(const std::string& suite, const std::string& message) {
  return fmt::format(
      " <testsuite name=\"{0}\" tests=\"1\" failures=\"0\" errors=\"1\">\n"
      "  <testcase classname=\"{0}\" name=\"comparison\">\n   <error message=\"{1}\"/>\n  </testcase>\n </testsuite>\n",
      xml(suite), xml(message));
}

std::string suiteOf(const std::string& suite, const comparison::Comparison& comparison,
                    const comparison::RegressionLimit& limit) {
  std::string cases;
  size_t count = 0, failures = 0;
  for (const GateRow& row : gateRows(comparison, limit)) {
    cases += caseOf(row, suite);
    ++count;
    failures += row.regression.empty() ? 0 : 1;
  }
  return fmt::format(" <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\">\n{} </testsuite>\n",
                     xml(suite), count, failures, cases);
}

std::string writeJUnit(const OutputContext& context) {
  const Report& report = context.reported();
  const ReportOptions& options = context.report;
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const RunReport& run : report.runs) {
    const std::string suite = fmt::format("{}.{}", report.module->modelName, run.label);
    const auto comparison = comparedWithBaseline(*options.baseline, run, report.runs.size());
    out += comparison ? suiteOf(suite, *comparison, options.regressionLimit)
                      : errorSuite(suite, describe(*comparison.absence()));
  }
  return out + "</testsuites>\n";
}

}  // namespace

constinit const Output kJUnitOutput{
    .name = "junit",
    .summary = "the comparison with `-baseline` as JUnit XML, a case for each total and each group of kernels",
    .needs = ir::Facet::Timed,
    .write = writeJUnit,
    .baseline = Output::BaselineUse::Needed};

}  // namespace amdahlc
