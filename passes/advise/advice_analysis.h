/// The analysis `advice`: what to change first in a run, and what it saves. The pass `advise` shows it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "passes/advise/advice.h"
#include "passes/manager/analysis.h"
#include "replay/schedule/prediction.h"
#include "support/ratio.h"

namespace amdahlc {

/// A change that saves less of the time of an iteration that is left is not told.
inline constexpr double kLeastSaving = 0.01;
/// The longest list.
inline constexpr size_t kMostAdvice = 6;

/// A side is the limit if an iteration takes at least this part of its time while the other side takes none.
inline constexpr double kLimitShare = 0.9;

/// `Both`: each side takes as long by itself. `Turns`: neither one does, because they wait for each other.
enum class RunLimit : uint8_t { Unknown, Host, Device, Both, Turns };
/// `host`, `device`, `both`, `turns`; empty if it is unknown.
std::string_view name(RunLimit limit);

/// The number of predictions is bounded by the size of the run: of a large one, the order is that of the changes by
/// themselves.
struct AdviceAnalysis {
  static constexpr const char* kName = "advice";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound, ir::Facet::Timed};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Timed};
  AdviceAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

  /// Of a run without wall time, busy time takes its place.
  schedule::WallModel model = schedule::WallModel::Unknown;
  /// What the predictions start from: wall time, and the window where it is predicted.
  AdvisedTimes base;
  /// The same time as it was measured. Of a disturbed run that is not replayed, the predictions start from another one.
  int64_t measuredNs = 0;
  /// How many are selected.
  int64_t iterations = 0;
  /// By how much that time differs for reasons that are no change of the program, over the reported iterations: the
  /// larger one of the deviation of the iterations, as of a normal distribution with their median deviation, and of
  /// what disturbed the reported ones. nullopt of fewer than three iterations, and of means.
  std::optional<int64_t> noiseNs;
  /// The noise as a part of the time of an iteration. Precondition: it is known.
  double noise() const { return shareOf(*noiseNs, base.longerNs()); }
  /// Whether the two differ by so much that who compares them must see both.
  bool isUndisturbed() const { return amdahlc::isUndisturbed(base.longerNs(), measuredNs); }
  /// `wall time`, `the window` or `busy time`, or `the undisturbed window`: what the time of an iteration is.
  std::string_view timeName() const;
  /// If no work of the device takes time, and if no time of the host does. nullopt for a run that is not replayed.
  std::optional<AdvisedTimes> withoutDevice, withoutHost;
  /// Which side decides the time of an iteration. Unknown also where the predictions are guesses.
  RunLimit limit() const;
  /// How many changes were predicted: of a large run not all that may help.
  size_t tried = 0;
  /// Changes before bounds; of each the one that likely saves most first, then the one that saves most after it, and so
  /// on.
  std::vector<Advice> advice;
  /// What is not worth a try, and what is not known, as sentences.
  std::vector<std::string> notes;
  schedule::Caution caution = schedule::Caution::None;
  /// Why all advice is a guess, as a clause; empty if it is none, and where the first piece of advice is to record
  /// again and says itself what is wrong.
  std::string_view whyGuess() const;
  friend bool operator==(const AdviceAnalysis&, const AdviceAnalysis&) = default;
};

}  // namespace amdahlc
