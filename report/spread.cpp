#include "report/spread.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "ir/facets/timed.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

constexpr size_t kMostOutliers = 5;
// A smaller distance from the median changes no decision, however little the iterations differ. Kernels of a GPU differ
// by 0.1 %.
constexpr double kNotableDistance = 0.01;

/// Whether a few slow iterations raise the mean.
bool isPulled(const TimeStatistics& time) {
  const auto distance = static_cast<double>(time.meanNs - time.medianNs);
  return distance > kDeviationsOfMedianDeviation * static_cast<double>(time.medianDeviationNs) &&
         distance > kNotableDistance * static_cast<double>(time.medianNs);
}

}  // namespace

bool hasSpread(const RunReport& run) { return run.totals && !run.onlyMeans() && run.totals->iterations > 1; }

std::string spreadOf(const TimeStatistics& time) {
  if (time.meanNs == 0) return "";
  return formatPercent(time.standardDeviationNs / static_cast<double>(time.meanNs)) + (isPulled(time) ? " !" : "");
}

std::string outlierLines(const RunReport& run) {
  const auto* timed = run.cover->facets.get<ir::TimedFacet>();
  if (timed == nullptr || !hasSpread(run)) return "";
  const std::vector<std::string> names = run.timeline->iterationNames(LeftOut::None);
  struct Total {
    std::string_view name;
    const std::vector<int64_t>* timesNs;
    int64_t medianNs;
  };
  std::vector<Total> totals;
  // By iteration: the totals of which it is an outlier.
  std::map<size_t, std::vector<size_t>> found;
  const auto look = [&](std::string_view name, const std::vector<int64_t>& timesNs) {
    const int64_t medianNs = lowerMedian(timesNs);
    for (const size_t iteration : outliers(timesNs))
      if (static_cast<double>(std::abs(timesNs[iteration] - medianNs)) >
          kNotableDistance * static_cast<double>(medianNs))
        found[iteration].push_back(totals.size());
    totals.push_back({name, &timesNs, medianNs});
  };
  look("busy", timed->run.busyNs);
  if (timed->run.wallNs) look("wall", *timed->run.wallNs);
  if (timed->run.windowNs) look("window", *timed->run.windowNs);
  std::string lines;
  size_t shown = 0;
  for (const auto& [iteration, which] : found) {
    if (shown++ == kMostOutliers) break;
    std::string text;
    for (const size_t total : which)
      text += fmt::format("{}{} {} us (median {})", text.empty() ? "" : ", ", totals[total].name,
                          formatUs((*totals[total].timesNs)[iteration]), formatUs(totals[total].medianNs));
    lines += fmt::format("outlier: iteration `{}`: {}\n", iteration < names.size() ? printable(names[iteration]) : "?",
                         text);
  }
  if (found.size() > kMostOutliers)
    lines += fmt::format("and {} that are outliers\n", plural(found.size() - kMostOutliers, "more iteration"));
  return lines;
}

}  // namespace amdahlc
