/// Sections of the report of a run: keys in `amdahlc.report/2`, lines of the summary, a column of CSV. A section shows
/// the facts of one pass; `sections.def` lists them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "ir/reasons.h"
#include "passes/manager/analysis.h"
#include "replay/runtimes/phase.h"
#include "replay/schedule/prediction.h"
#include "report/fields.h"

namespace amdahlc {

struct Prediction;
class PhasesAnalysis;

/// One run of the report: a cover with its trace, or the default cover without one.
struct ReportRun {
  const ir::Module* module = nullptr;
  /// Of the module.
  AnalysisManager* analyses = nullptr;
  ir::CoverId id;
  const ir::Cover* cover = nullptr;
  /// Null without a trace.
  const Timeline* timeline = nullptr;
  /// Number of reported iterations (`ReportedIterations`); 1 without a trace, so that totals can be divided by it.
  int64_t iterations = 1;
  /// Times of the reported iterations from which predictions by arithmetic start: undisturbed busy time, and wall time
  /// with the measured idle time around it. 0 before `timed`.
  int64_t undisturbedBusyNs = 0;
  /// nullopt if the events have no starts.
  std::optional<int64_t> undisturbedWallNs = 0;

  /// A total over the reported iterations, per iteration: divided once, half to even.
  int64_t perIteration(int64_t total) const;
  /// The same of a prediction.
  int64_t predictedNs(double totalNs) const;
  std::optional<int64_t> predicted(const std::optional<int64_t>& totalNs) const {
    return totalNs ? std::optional(perIteration(*totalNs)) : std::nullopt;
  }
  /// As text, in microseconds.
  std::string predictedUs(double totalNs) const;
  /// The same of a roof, which may have fractions.
  double roofNs(double totalNs) const { return totalNs / static_cast<double>(iterations); }
  std::optional<PredictedNs> roof(const std::optional<double>& totalNs) const {
    return totalNs ? std::optional(PredictedNs{roofNs(*totalNs)}) : std::nullopt;
  }
  /// Share of undisturbed busy time; 0 if that is 0.
  double busyShare(int64_t totalNs) const;
  /// What a time is called in which each kernel takes its median: `undisturbed`, or, where fewer than three iterations
  /// do not tell what is typical, `best-case`.
  std::string_view undisturbedWord() const;
  /// At which of its times a kernel counts there: `its median`, or `the lesser of its two times`.
  std::string_view countedTime() const;
  /// The analysis `A` of the run; null if no pass asked for it.
  template <typename A>
  const A* facts() const {
    return analyses->requested<A>(id);
  }
  /// Compares the run and its numbers, not `analyses`, which is another object in a report that was computed again.
  friend bool operator==(const ReportRun& a, const ReportRun& b) {
    return a.id == b.id && a.cover == b.cover && a.timeline == b.timeline && a.iterations == b.iterations &&
           a.undisturbedBusyNs == b.undisturbedBusyNs && a.undisturbedWallNs == b.undisturbedWallNs;
  }
};

/// Runs of the model in an iteration, the mean of the selected ones; nullopt without a trace, and where the binding
/// tested nothing.
std::optional<double> forwardsPerIteration(const ReportRun& run);

/// The time of a kernel under a scenario, per iteration: divided and rounded once. nullopt if it keeps its time.
/// Precondition: the cover is timed.
std::optional<int64_t> predictedKernelNs(const ReportRun& run, const Prediction& prediction, ir::KernelId kernel);

/// The phases of a run; null without the pass `host`, and where they are not known.
const PhasesAnalysis* knownPhases(const ReportRun& run);

/// The run of a cover.
ReportRun reportRun(const ir::Module& module, AnalysisManager& analyses, ir::CoverId id);

/// How far the numbers of a run can be acted on.
enum class TrustLevel : uint8_t { Full, Limited, None };

struct Trust {
  TrustLevel level = TrustLevel::Full;
  /// What the level follows from, as a part of a sentence; printable.
  std::string reason;
  /// What the user can do about it, as a sentence without a period; printable; may be empty.
  std::string advice = {};
};

/// The facts of a run, as a row of fields.
template <typename A>
struct FactsRow {
  const ReportRun& run;
  const A& facts;
};
/// nullopt if no pass asked for them.
template <typename A>
constexpr auto kFactsRow = [](const ReportRun& run) -> std::optional<FactsRow<A>> {
  const A* facts = run.facts<A>();
  if (facts == nullptr) return std::nullopt;
  return std::optional<FactsRow<A>>({run, *facts});
};

/// A row for each element of a list of the facts of a run; nullopt if no pass asked for them.
template <typename A, typename Row, auto list>
constexpr auto kFactRows = [](const ReportRun& run) {
  const A* facts = run.facts<A>();
  return facts ? std::optional(rowsOf<Row>(run, facts->*list)) : std::nullopt;
};

/// A kernel of a run.
struct ReportKernel {
  const ReportRun& run;
  ir::KernelId id;
};

/// Each function may be null, and each table empty. A fact that was not established, or that no pass asked for, is null
/// in JSON and absent from the summary.
struct ReportSection {
  /// The section's keys in the object of a run.
  std::span<const Field<ReportRun>> runFields = {};
  /// Its keys in the object of one kernel.
  std::span<const Field<ReportKernel>> kernelFields = {};
  /// How far the run can be trusted, of the section that tells; nullopt if nothing is known.
  std::optional<Trust> (*trust)(const ReportRun&) = nullptr;
  /// What limits the run, as sentences of the verdict without capitals and periods; empty where that is not known.
  std::vector<std::string> (*limit)(const ReportRun&) = nullptr;
  /// `RunReport::caveat`, of the section that tells. The summary and pictures begin with it.
  std::string (*caveat)(const ReportRun&) = nullptr;
  /// Columns of the CSV of kernels, behind those of the kernels, with one value for the whole run.
  std::span<const Field<ReportRun>> columns = {};
  /// Lines below the totals of the run.
  std::string (*headline)(const ReportRun&) = nullptr;
  /// Answers to what the user asked for, as paragraphs of the first screen.
  std::vector<std::string> (*answers)(const ReportRun&) = nullptr;
  /// Lines below the tables of the run.
  std::string (*details)(const ReportRun&) = nullptr;
  /// The place of `runFields`: after this key of a run (`aggregates`), or, if empty, after all of them. Sections of one
  /// place are in the order of the list.
  std::string_view after = {};
};

/// In the order of the enumerators of `WallModel`, of which `Unknown` has none.
inline std::span<const std::string_view> wallModelNames() {
  using enum schedule::WallModel;
  static_assert(IdleConstant == schedule::WallModel{0} && Replay == schedule::WallModel{1});
  static constexpr std::string_view kNames[] = {ir::kIdleConstant, "replay"};
  return kNames;
}
/// The time that the first screen tells of a prediction: `wall time`, or `undisturbed wall time` where it is not the
/// measured one.
std::string timeOfAnswer(const ReportRun& run, schedule::WallModel model);
/// What a prediction keeps of the run.
using WallModelName = OneOf<wallModelNames>;
/// nullopt: wall is unknown.
inline std::optional<WallModelName> wallModelName(schedule::WallModel model) {
  if (model == schedule::WallModel::Unknown) return std::nullopt;
  return WallModelName{wallModelNames()[static_cast<size_t>(model)]};
}

using PhaseName = OneOf<namesFrom<Phase::Communication, Phase::Other>>;

/// Whether a window is longer than its wall time by so much that the verdict speaks of it: by more than a tenth.
inline bool isMuchLonger(int64_t windowNs, int64_t wallNs) { return windowNs - wallNs > wallNs / 10; }

/// `2.00x`; `-` of a run that took no time, whose speed-up is unknown.
std::string speedupText(int64_t baseNs, const std::optional<double>& speedup);

inline std::optional<int64_t> meanNsOf(const std::optional<TimeStatistics>& time) {
  return time ? std::optional(time->meanNs) : std::nullopt;
}
inline std::optional<int64_t> reportedNsOf(const std::optional<TimeStatistics>& time) {
  return time ? std::optional(time->reportedNs) : std::nullopt;
}

#define AMDAHLC_SECTION(NAME) extern const ReportSection NAME;
#include "report/sections.def"

/// All sections, in the order in which reports have them.
std::span<const ReportSection* const> reportSections();

}  // namespace amdahlc
