#include "report/spread.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <utility>

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
    /// By recording.
    std::vector<int64_t> mediansNs;
  };
  std::vector<Total> totals;
  // By iteration: the totals of which it is an outlier among those of its recording.
  std::map<size_t, std::vector<size_t>> found;
  std::vector<uint32_t> recordings;
  for (const Iteration& iteration : run.timeline->iterations)
    if (iteration.selected()) recordings.push_back(iteration.recording);
  const auto look = [&](std::string_view name, const std::vector<int64_t>& timesNs) {
    std::vector<int64_t> mediansNs;
    size_t first = 0;
    for (const std::vector<int64_t>& ownNs : run.samples(timesNs)) {
      const int64_t medianNs = mediansNs.emplace_back(lowerMedian(ownNs));
      for (const size_t iteration : outliers(ownNs))
        if (static_cast<double>(std::abs(ownNs[iteration] - medianNs)) >
            kNotableDistance * static_cast<double>(medianNs))
          found[first + iteration].push_back(totals.size());
      first += ownNs.size();
    }
    totals.push_back({name, &timesNs, std::move(mediansNs)});
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
                          formatUs((*totals[total].timesNs)[iteration]),
                          formatUs(totals[total].mediansNs[recordings[iteration]]));
    lines += fmt::format("outlier: iteration `{}`: {}\n", iteration < names.size() ? printable(names[iteration]) : "?",
                         text);
  }
  if (found.size() > kMostOutliers)
    lines += fmt::format("and {} that are outliers\n", plural(found.size() - kMostOutliers, "more iteration"));
  return lines;
}

}  // namespace amdahlc
