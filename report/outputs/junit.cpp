// JUnit XML, as CI systems show it: a suite for each run that is compared, a case for each total and each kernel. A
// case fails if it is a regression.
#include <fmt/format.h>

#include <map>

#include "report/comparison/regressions.h"
#include "report/drawing/svg_canvas.h"
#include "report/measured_runs.h"
#include "report/outputs/output.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

using comparison::Difference;

constexpr double kNsPerSecond = 1e9;

/// A text as the content of an attribute: names come from models and traces.
std::string xml(const std::string& text) { return drawing::escaped(printable(text)); }

std::string caseOf(const Difference& row, const std::string& suite, const std::string* failure) {
  const std::string name = row.node.empty() ? row.name : fmt::format("{} at {}", row.name, row.node);
  std::string text = fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.9f}\"", xml(suite), xml(name),
                                 row.after ? static_cast<double>(row.after->meanNs) / kNsPerSecond : 0.0);
  if (failure == nullptr) return text + "/>\n";
  return text + fmt::format(">\n   <failure message=\"{}\"/>\n  </testcase>\n", xml(*failure));
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
  std::map<const Difference*, std::string> failures;
  for (const comparison::Regression& one : regressions(comparison, limit))
    failures.emplace(one.difference, one.message);
  std::string cases;
  size_t count = 0;
  for (const auto* rows : {&comparison.totals, &comparison.kernels})
    for (const Difference& row : *rows) {
      const auto failure = failures.find(&row);
      cases += caseOf(row, suite, failure == failures.end() ? nullptr : &failure->second);
      ++count;
    }
  return fmt::format(" <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\">\n{} </testsuite>\n",
                     xml(suite), count, failures.size(), cases);
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
    .summary = "the comparison with `-baseline` as JUnit XML, a case for each total and each kernel",
    .needs = ir::Facet::Timed,
    .write = writeJUnit,
    .baseline = Output::BaselineUse::Needed};

}  // namespace amdahlc
