#include "passes/emit/spread.h"

#include <fmt/format.h>

#include <map>

#include "ir/facets/timed.h"
#include "passes/manager/report_values.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

constexpr size_t kMostOutliers = 5;
// A smaller distance of mean and median changes no decision, however little the iterations differ.
constexpr double kNotableDistance = 0.01;

/// Whether a few slow iterations raise the mean.
bool isPulled(const TimeStatistics& time) {
  const auto distance = static_cast<double>(time.meanNs - time.medianNs);
  return distance > kDeviationsOfMedianDeviation * static_cast<double>(time.medianDeviationNs) &&
         distance > kNotableDistance * static_cast<double>(time.medianNs);
}

}  // namespace

bool hasSpread(const RunReport& run) { return run.totals && !run.onlyMeans() && run.measured.iterations > 1; }

std::string spreadOf(const TimeStatistics& time) {
  if (time.meanNs == 0) return "";
  return percent(time.standardDeviationNs / static_cast<double>(time.meanNs)) + (isPulled(time) ? " !" : "");
}

std::string outlierLines(const RunReport& run) {
  const auto* timed = run.cover->facets.get<ir::TimedFacet>();
  if (timed == nullptr || !hasSpread(run)) return "";
  const std::vector<std::string> names = run.timeline->iterationNames(LeftOut::None);
  // By iteration: the totals of which it is an outlier.
  std::map<size_t, std::string> found;
  const auto look = [&](std::string_view total, const std::vector<int64_t>& timesNs) {
    for (const size_t i : outliers(timesNs)) {
      std::string& text = found[i];
      text += fmt::format("{}{} {} us (median {})", text.empty() ? "" : ", ", total, formatUs(timesNs[i]),
                          formatUs(median(timesNs)));
    }
  };
  look("busy", timed->run.busyNs);
  if (timed->run.wallNs) look("wall", *timed->run.wallNs);
  if (timed->run.windowNs) look("window", *timed->run.windowNs);
  std::string lines;
  size_t shown = 0;
  for (const auto& [iteration, text] : found) {
    if (shown++ == kMostOutliers) break;
    lines += fmt::format("outlier: iteration `{}`: {}\n", iteration < names.size() ? printable(names[iteration]) : "?",
                         text);
  }
  if (found.size() > kMostOutliers)
    lines += fmt::format("and {} that are outliers\n", plural(found.size() - kMostOutliers, "more iteration"));
  return lines;
}

}  // namespace amdahlc
