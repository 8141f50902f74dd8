/// The analysis `advice`: what to change first in a run, and what it saves. The pass `advise` shows it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "passes/manager/analysis.h"
#include "replay/schedule/prediction.h"

namespace amdahlc {

struct Advice {
  /// As `-what-if=` takes it, without a new time; of a change of the program the change.
  std::string selector;
  /// What to do, as a phrase.
  std::string change;
  std::string why;
  /// Totals over the reported iterations: what the change saves of wall time by itself, and the wall time after it and
  /// all changes before it in the list.
  int64_t savesWallNs = 0, wallNs = 0;
  /// What a change of the program rests on; empty for none.
  std::string assumption;
  friend bool operator==(const Advice&, const Advice&) = default;
};

/// A change that saves less of the wall time that is left is not told.
inline constexpr double kLeastSaving = 0.01;
/// The longest list.
inline constexpr size_t kMostAdvice = 6;

/// The number of predictions is bounded by the size of the run: of a large one, the order is that of the changes by
/// themselves.
struct AdviceAnalysis {
  static constexpr const char* kName = "advice";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound, ir::Facet::Timed};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Timed};
  AdviceAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

  /// Of a run without wall time, busy time takes its place.
  schedule::WallModel model = schedule::WallModel::Unknown;
  /// What the predictions start from.
  int64_t baseNs = 0;
  /// How many changes were predicted: of a large run not all that may help.
  size_t tried = 0;
  /// The one that saves most first, then the one that saves most after it, and so on.
  std::vector<Advice> advice;
  /// What is not worth a try, and what is not known, as sentences.
  std::vector<std::string> notes;
  schedule::Caution caution = schedule::Caution::None;
  friend bool operator==(const AdviceAnalysis&, const AdviceAnalysis&) = default;
};

}  // namespace amdahlc
