// What the device allows: how far the kernels of each label are from their roofs. Nothing says how to bring them there.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "passes/advise/finders.h"
#include "passes/curves/timed_groups.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

/// More labels are too small to come first.
constexpr size_t kMostLabels = 12;
/// Kernels whose least times are so many times their roofs are too small to reach these.
constexpr double kSmall = 1.25;
constexpr size_t kNamedLabels = 2;
/// What bounds less of the time at the roof is not mentioned.
constexpr double kAlmostAll = 0.95;

class RoofFinder {
 public:
  explicit RoofFinder(AdvisedRun& run) : run_(run) {
    for (const ir::Kernel& kernel : run.cover.kernels)
      if (const auto least = leastNs(kernel.id); least && run.timeOf(kernel.id) > 0) {
        double& best = bestOfCategory_[ir::kernelCategory(run.module, kernel)];
        best = std::max(best, *least / static_cast<double>(run.timeOf(kernel.id)));
      }
  }

  void find(const TimedGroup& group, std::vector<AdviceCandidate>& candidates) {
    AdviceCandidate candidate;
    candidate.kind = AdviceKind::Bound;
    candidate.selector = group.selector;
    candidate.atMost.emplace();
    // Of the roof, the part of kernels that memory bounds.
    double nowNs = 0, thenNs = 0, roofNs = 0, memoryNs = 0, unknownNs = 0;
    for (const ir::KernelId kernel : group.kernels) {
      const auto least = leastNs(kernel);
      const auto timeNs = static_cast<double>(run_.timeOf(kernel));
      if (!least) {
        unknownNs += timeNs;
        continue;
      }
      nowNs += timeNs;
      thenNs += *least;
      const double kernelRoofNs = std::min(*run_.roofline->kernels[kernel].totalNs(), timeNs);
      roofNs += kernelRoofNs;
      if (run_.roofline->kernels[kernel].attainable->isMemoryBound()) memoryNs += kernelRoofNs;
      // Of a label that one factor cannot describe, each kernel has its own.
      candidate.atMost->push_back(run_.newTime(kernel, *least));
      const double best = bestOfCategory_.at(ir::kernelCategory(run_.module, run_.cover.kernels[kernel]));
      candidate.likely.push_back(run_.newTime(kernel, std::min(timeNs, *least / best)));
    }
    const int64_t groupNs = group.timeNs;
    const double share = run_.partOfBusy(groupNs);
    if (share < kLeastShare) return;
    if (unknownNs > nowNs) {
      withoutRoof_.emplace_back(groupNs, nameOf(group));
      return;
    }
    const double atRoof = nowNs > 0 ? roofNs / nowNs : 1;
    const double byMemory = roofNs > 0 ? memoryNs / roofNs : 1;
    const std::string bound = fmt::format("{}{}", byMemory > kAlmostAll || byMemory < 1 - kAlmostAll ? "" : "mostly ",
                                          2 * byMemory >= 1 ? "memory" : "compute");
    if (atRoof >= kAtRoof) {
      run_.notes.push_back(
          fmt::format("`{}`, {} of busy time, is at {} of its roof ({}): only less work makes it faster", nameOf(group),
                      formatPercent(share), formatPercent(atRoof), bound));
      return;
    }
    if (thenNs <= 0) return;
    const double speedup = nowNs / thenNs;
    if (thenNs > kSmall * roofNs) {
      candidate.change =
          fmt::format("`{}`: its kernels at the shortest time of the run, {:.2f}x", nameOf(group), speedup);
      candidate.why = fmt::format(
          "{} of busy time, in small kernels: their roofs are {} of it, and no event of the run is shorter than {} us; "
          "more work at once would use the device better",
          formatPercent(share), formatPercent(atRoof), formatUs(run_.shortestNs));
    } else {
      candidate.change = fmt::format("`{}`: its kernels at their roof, {:.2f}x", nameOf(group), speedup);
      candidate.why = fmt::format("{} of busy time, {}-bound at {} of its roof", formatPercent(share), bound,
                                  formatPercent(atRoof));
    }
    candidate.places = run_.placesOf(group.kernels);
    candidate.kernels = group.kernels;
    candidates.push_back(std::move(candidate));
  }

  /// One sentence for all labels of which most time has no roof.
  void noteWithoutRoof() {
    if (withoutRoof_.empty()) return;
    std::ranges::stable_sort(withoutRoof_, std::ranges::greater(), &std::pair<int64_t, std::string>::first);
    std::vector<std::string> named;
    for (const auto& [ns, name] : std::span(withoutRoof_).first(std::min(withoutRoof_.size(), kNamedLabels)))
      named.push_back(fmt::format("`{}`, {} of busy time", name, formatPercent(run_.partOfBusy(ns))));
    const size_t more = withoutRoof_.size() - named.size();
    run_.notes.push_back(
        fmt::format("no roof is known of {}{}: a shape, an operator, trips or a peak of the device is not known",
                    fmt::join(named, "; "), more > 0 ? fmt::format("; and {}", plural(more, "label")) : ""));
  }

  void noteWithoutDescription(const std::vector<TimedGroup>& groups) {
    if (std::ranges::all_of(groups, [](const TimedGroup& group) { return group.kernels.empty(); })) return;
    const Absence absence =
        run_.roofline != nullptr ? *run_.roofline->hardware.absence() : Absence{Absence::Reason::NoPass, {"roofline"}};
    run_.notes.push_back(
        fmt::format("how fast kernels could be is not known, because {}", printable(describe(absence))));
  }

 private:
  /// The least time of a kernel, over all its runs: that of its roof, and not less than any event of the run takes.
  std::optional<double> leastNs(ir::KernelId kernel) const {
    if (run_.roofline == nullptr) return std::nullopt;
    const KernelRoofline& roofline = run_.roofline->kernels[kernel];
    const auto total = roofline.totalNs();
    if (!total) return std::nullopt;
    const double floorNs = static_cast<double>(run_.shortestNs) * *roofline.runs;
    return std::min(std::max(*total, floorNs), static_cast<double>(run_.timeOf(kernel)));
  }

  /// As tables have it: a label has the prefix of its kind in a selector only where something else has its name.
  static std::string nameOf(const TimedGroup& group) {
    constexpr std::string_view kPrefix = "rule:";
    const std::string_view name = group.selector;
    return printable(name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name);
  }

  AdvisedRun& run_;
  /// Their times and names.
  std::vector<std::pair<int64_t, std::string>> withoutRoof_;
  /// The largest part of its time that the least time of a kernel of the category is.
  std::map<std::string, double> bestOfCategory_;
};

}  // namespace

void findRoofs(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) {
  const std::vector<TimedGroup> groups = groupsByLabel(run.module, run.runs, run.index, kMostLabels);
  RoofFinder finder(run);
  if (!run.predicted().isDescribed()) return finder.noteWithoutDescription(groups);
  for (const TimedGroup& group : groups)
    if (!group.kernels.empty()) finder.find(group, candidates);
  finder.noteWithoutRoof();
}

}  // namespace amdahlc
