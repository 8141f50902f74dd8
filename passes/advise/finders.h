/// Finds the candidates for advice: a function for each kind of change, in a file of its own, and what they share. A
/// new kind is one more file and a row of finders.def.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/facets/timed.h"
#include "ir/module.h"
#include "passes/advise/achieved_rates.h"
#include "passes/advise/advice.h"
#include "passes/advise/rank_waits.h"
#include "passes/speedup_rewrite/scenario_resolution.h"
#include "replay/runtimes/remedy.h"
#include "replay/runtimes/runtime.h"

namespace amdahlc {

/// A change that may help a run.
struct AdviceCandidate {
  AdviceKind kind = AdviceKind::Change;
  std::string selector, change, why, assumption;
  std::vector<std::string> places = {};
  /// Those that it makes faster.
  std::vector<ir::KernelId> kernels = {};
  /// Another kernel takes their place: of changes that share kernels, only one can be made.
  bool replacesKernels = false;
  /// It saves a part of the time of its kernels, whatever time they have: of those that another change has made faster
  /// the same part.
  bool savesPart = false;
  std::vector<ir::Change> likely = {};
  /// All that is likely is certain, so that it is predicted once.
  bool isCertain = false;
  /// The run does the work of so many, so that its predicted times are divided by that.
  int64_t items = 1;
  /// What is certain besides; nullopt: nothing.
  std::optional<std::vector<ir::Change>> certain = {};
  /// nullopt: as likely.
  std::optional<std::vector<ir::Change>> atMost = {};
  /// Idle time that may vanish with it, over the reported iterations. A replay knows better.
  int64_t idleNs = 0;
  /// Of a run of one thread: time between operators that likely vanishes with it, and such time that may.
  std::vector<schedule::HostStretch> pauses = {}, pausesAtMost = {};
};

/// A group with less of busy time is not worth a sentence.
inline constexpr double kLeastShare = 0.02;

/// The run, as the finders see it.
class AdvisedRun {
 public:
  /// All must outlive it.
  AdvisedRun(const ir::Module& module, const std::vector<PredictedRun>& runs, size_t run, const AdvisedTimes& base,
             const RankWaits::Options& ranks);

  int64_t timeOf(ir::KernelId kernel) const { return timed.kernels[kernel].reportedNs; }
  double partOfBusy(int64_t ns) const;
  /// The longer one of wall time and window that the predictions start from, over the reported iterations, and how it
  /// is called: what advice says of a part of it is a part of this time. A window that is not predicted is that which
  /// was measured. 0 if neither is known.
  int64_t longerNs() const;
  std::string_view longerName() const;
  /// What was measured of the time that the predictions start from: of the window, of wall time or of busy time.
  int64_t measuredNs() const;
  /// As `AdviceAnalysis::noiseNs`.
  std::optional<int64_t> noiseNs() const;
  const PredictedRun& predicted() const { return runs[index]; }
  /// How a person does it in the runtime of the run.
  std::string_view remedy(Remedy kind) const { return runtimeAdapter(timeline.target.runtime).remedy(kind); }
  /// Of the reported iterations, where one thread does all of the run; else none.
  std::vector<schedule::TimeBetween> timeBetween() const;
  /// Idle time behind events of these kernels, over the reported iterations: what a framework does after them, such as
  /// giving back memory of what the kernels read.
  int64_t idleBehind(std::span<const ir::KernelId> kernels) const;
  /// What the run holds of the device's memory at most, as a part of it; nullopt if either is not known.
  std::optional<double> memoryInUse() const;
  /// Scopes of kernels, those with the most time first.
  std::vector<std::string> placesOf(std::span<const ir::KernelId> kernels) const;
  /// A new time of one kernel, in ns over the reported iterations. Precondition: it has time.
  ir::Change newTime(ir::KernelId kernel, double ns) const;

  /// `wall time`, or `measured wall time` where the predictions start from an undisturbed one: reasons that name a part
  /// of what was measured say so.
  std::string_view measuredWallName() const;

  const ir::Module& module;
  const std::vector<PredictedRun>& runs;
  const size_t index;
  const AdvisedTimes& base;
  const RankWaits::Options& ranks;
  const ir::Cover& cover;
  const Timeline& timeline;
  const ReportedIterations reported;
  const ir::TimedFacet& timed;
  /// Null where the pass did not run.
  const RooflineAnalysis* const roofline;
  /// What the kernels of the run reach.
  const AchievedRates rates;
  /// Whether the trace is one of the model, so that its kernels are what their names say.
  const bool fits;
  /// The shortest bound event, or 10 us: what launching and draining a kernel takes. 0 if it is not known.
  const int64_t shortestNs;
  /// Whether functions of the program were recorded.
  bool hasFunctions() const {
    return timeline.host && std::ranges::find(timeline.host->kind, EventKind::Frame) != timeline.host->kind.end();
  }
  /// Whether the trace has one iteration alone: what repeats, and what only a first one does, it does not tell.
  bool hasOneIteration() const { return timeline.iterations.size() == 1; }
  /// What cannot get faster, and what is not known, as sentences.
  std::vector<std::string> notes;

 private:
  /// By selected iteration, of the time that the predictions start from.
  const std::vector<int64_t>& measuredTimes() const;
};

#define AMDAHLC_FINDER(NAME, NEEDS_FIT) void find##NAME(AdvisedRun& run, std::vector<AdviceCandidate>& candidates);
#include "passes/advise/finders.def"

/// All candidates, in the order of finders.def.
std::vector<AdviceCandidate> findCandidates(AdvisedRun& run);

/// What the selector selects takes no time, as `host-op:NAME=0`.
ir::Change withoutTime(ir::SelectorKind kind, std::string_view name = {});
/// A part of the time of communication, 0 to 1, vanishes: by a speed-up with two digits behind the point, so that its
/// text says what is predicted.
ir::Change withoutPartOfCommunication(double part);
/// That text: `phase:communication=1.98x`.
std::string communicationText(const ir::Change& change);
/// A new time by a factor as `-what-if=` takes it: `phase:backward=2x`.
std::string whatIfText(const ir::Change& change);

/// A candidate that is one change of the program, and saves what is predicted.
AdviceCandidate changeOfProgram(const AdvisedRun& run, ir::ChangeKind kind, std::vector<ir::Selector> selectors,
                                std::string phrase, std::string why);

}  // namespace amdahlc
