// The sections, and what they say together: the verdict on a run, which says in words what takes its time, and how
// far its numbers can be trusted.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <vector>

#include "ir/facets/bound.h"
#include "ir/facets/timed.h"
#include "passes/advise/advice.h"
#include "passes/speedup_rewrite/scenario_predictions.h"
#include "report/report.h"
#include "support/decimal_time.h"
#include "support/printable.h"
#include "support/ratio.h"
#include "support/statistics.h"

namespace amdahlc {
namespace {

/// How much of the time is device work, and the largest category.
std::string sharesOf(const RunReport& run) {
  const TraceTotals& totals = *run.totals;
  const bool hasCategory = !run.byCategory.empty() && run.byCategory.front().time.reportedNs > 0;
  const std::string category = hasCategory ? fmt::format("{} takes {}", run.byCategory.front().name,
                                                         formatPercent(run.byCategory.front().shares.ratio))
                                           : "";
  if (!totals.wall || totals.wall->reportedNs <= 0)
    return hasCategory ? fmt::format("{} of {}", category, run.target.eventTimeName()) : "";
  const std::string text =
      fmt::format("{} {} of wall time", run.computesOnHost() ? "operators take" : "device work takes",
                  formatPercent(shareOf(totals.busy.reportedNs, totals.wall->reportedNs)));
  return hasCategory ? fmt::format("{}; {} of that", text, category) : text;
}

/// A sentence of a phrase.
std::string sentence(std::string phrase) {
  if (!phrase.empty()) phrase.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(phrase.front())));
  return phrase.ends_with('?') ? phrase : phrase + ".";
}

/// From this part of the mean busy time on, what disturbs a run comes first.
constexpr double kMuchDisturbed = 0.1;

/// Why two iterations do not tell what a run takes; empty if they are alike, and of other numbers of them.
std::string differenceOfTwo(const RunReport& run) {
  const TraceTotals& totals = *run.totals;
  if (run.timeline->selectedIterationCount() != 2 || !totals.undisturbedNs || totals.busy.totalNs <= 0) return {};
  const double meanNs = static_cast<double>(totals.busy.totalNs) / 2;
  const double lessRatio = 1 - static_cast<double>(*totals.undisturbedNs) / meanNs;
  if (lessRatio <= kMuchDisturbed) return {};
  return fmt::format(
      "the two iterations differ: with each kernel at the lesser of its two times, busy time is {} less than their "
      "mean, and two iterations do not tell which one is typical",
      formatPercent(lessRatio));
}

struct LevelInfo {
  TrustLevel level;
  std::string_view name;
  /// The words before its reason.
  std::string_view words;
};
/// In the order of the enumerators.
constexpr LevelInfo kLevels[] = {
    {TrustLevel::Full, "full", ""},
    {TrustLevel::Limited, comparison::keys::kTrustLimited, "take care: "},
    {TrustLevel::None, comparison::keys::kTrustNone, "do not trust these numbers: "},
};

const LevelInfo& info(TrustLevel level) { return kLevels[static_cast<size_t>(level)]; }

}  // namespace

std::span<const ReportSection* const> reportSections() {
  static constexpr const ReportSection* kSections[] = {
#define AMDAHLC_SECTION(NAME) &(NAME),
#include "report/sections.def"
  };
  return kSections;
}

int64_t ReportRun::predictedNs(double totalNs) const { return std::llrint(roofNs(totalNs)); }

std::string ReportRun::predictedUs(double totalNs) const { return formatUs(predictedNs(totalNs)); }

int64_t ReportRun::perIteration(int64_t total) const { return amdahlc::perIteration(total, iterations); }

ReportRun reportRun(const ir::Module& module, AnalysisManager& analyses, ir::CoverId id) {
  ReportRun run{&module, &analyses, id, &module.cover(id)};
  if (!run.cover->traceLabel.empty()) run.timeline = module.findTimeline(run.cover->traceLabel);
  if (run.timeline == nullptr) return run;
  run.iterations = ReportedIterations(*run.timeline).count();
  if (const auto* timed = run.cover->facets.get<ir::TimedFacet>()) {
    const ir::RunTimes& times = timed->run;
    run.undisturbedBusyNs = times.undisturbedNs;
    run.undisturbedWallNs.reset();
    if (times.wallNs)
      run.undisturbedWallNs =
          schedule::wallWithBusy(times.reported(*times.wallNs), times.reported(times.busyNs), times.undisturbedNs);
  }
  return run;
}

std::optional<int64_t> predictedKernelNs(const ReportRun& run, const Prediction& prediction, ir::KernelId kernel) {
  const auto totalNs = static_cast<double>(run.cover->facets.get<ir::TimedFacet>()->kernels[kernel].reportedNs);
  const auto newNs = prediction.newNs(kernel, totalNs);
  return newNs ? std::optional(run.predictedNs(*newNs)) : std::nullopt;
}

std::string speedupText(int64_t baseNs, const std::optional<double>& speedup) {
  return baseNs == 0 ? "-" : formatSpeedup(speedup);
}

std::optional<double> forwardsPerIteration(const ReportRun& run) {
  const auto* bound = run.timeline != nullptr ? run.cover->facets.get<ir::BoundFacet>() : nullptr;
  if (bound == nullptr || bound->fit->namesOnly) return std::nullopt;
  return static_cast<double>(bound->fit->forwards) /
         static_cast<double>(std::max<int64_t>(run.timeline->selectedIterationCount(), 1));
}

std::string timeOfAnswer(const ReportRun& run, schedule::WallModel model) {
  const bool isUndisturbed = model != schedule::WallModel::Replay && run.timeline->selectedIterationCount() > 1;
  return fmt::format("{}{}{} time", isUndisturbed ? run.undisturbedWord() : "", isUndisturbed ? " " : "",
                     schedule::info(model).time);
}

std::string_view ReportRun::undisturbedWord() const {
  const bool isTold = timeline == nullptr || timeline->selectedIterationCount() >= kFewestIterations;
  return isTold ? "undisturbed" : "best-case";
}

std::string_view ReportRun::countedTime() const {
  return timeline != nullptr && timeline->selectedIterationCount() == 2 ? "the lesser of its two times" : "its median";
}

double ReportRun::busyShare(int64_t totalNs) const { return shareOf(totalNs, undisturbedBusyNs); }

std::string_view name(TrustLevel level) { return info(level).name; }

void addVerdict(RunReport& run) {
  Trust trust;
  std::vector<std::string> sentences;
  for (const ReportSection* section : reportSections()) {
    // One section, that of the binding, has these two.
    if (section->trust != nullptr) trust = section->trust(run).value_or(trust);
    if (section->caveat != nullptr) run.caveat = section->caveat(run);
    if (section->limit == nullptr || !run.totals) continue;
    for (std::string& phrase : section->limit(run)) sentences.push_back(sentence(std::move(phrase)));
  }
  if (!run.totals) return;
  if (std::string shares = sharesOf(run); !shares.empty()) sentences.push_back(sentence(std::move(shares)));
  if (const auto disturbed = run.totals->disturbedRatio; disturbed.value_or(0) > kMuchDisturbed)
    sentences.insert(
        sentences.begin(),
        fmt::format(
            "The run was disturbed: {} of its mean busy time is beyond the medians of its kernels; measure on a quiet "
            "machine, over more iterations, or with pinned clocks.",
            formatPercent(*disturbed)));
  if (std::string differ = differenceOfTwo(run); trust.level == TrustLevel::Full && !differ.empty()) {
    if (!trust.reason.empty()) sentences.push_back(sentence(std::move(trust.reason)));
    trust = {TrustLevel::Limited, std::move(differ), "record three or more iterations"};
  }
  if (trust.level == TrustLevel::None) sentences.clear();
  run.verdict = {trust.level, fmt::format("{}", fmt::join(sentences, " ")), std::move(trust.reason),
                 std::move(trust.advice)};
}

std::string Verdict::whole() const {
  if (reason.empty()) return text;
  const std::string because = sentence(fmt::format("{}{}", info(trust).words, reason));
  if (text.empty()) return because;
  return trust == TrustLevel::Full ? fmt::format("{} {}", text, because) : fmt::format("{} {}", because, text);
}

std::string RunReport::title() const {
  return printable(timeline == nullptr ? module->modelName : fmt::format("{}: {}", module->modelName, label));
}

std::string RunReport::caveatBesideVerdict() const {
  // "note: " or "WARNING: ", and what it says.
  const size_t colon = caveat.find(": ");
  const std::string_view says = std::string_view(caveat).substr(colon == std::string::npos ? 0 : colon + 2);
  return verdict && verdict->reason.find(says) != std::string::npos ? "" : printable(caveat);
}

}  // namespace amdahlc
