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

namespace amdahlc {

/// A change that saves less of the wall time that is left is not told.
inline constexpr double kLeastSaving = 0.01;
/// The longest list.
inline constexpr size_t kMostAdvice = 6;

/// If all work of the device, or all time of the host, took no time, and less than this part were saved, the other one
/// is the limit.
inline constexpr double kLeastOfFree = 0.02;

enum class RunLimit : uint8_t { Unknown, Host, Device, Both };
/// `host`, `device`, `both`; empty if it is unknown.
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
  /// What the predictions start from.
  int64_t baseNs = 0;
  /// The longer one of wall and window: now, if no work of the device takes time, and if no time of the host does.
  /// nullopt for a run that is not replayed.
  std::optional<int64_t> longerNs, freeDeviceNs, freeHostNs;
  /// Unknown also where the predictions are guesses.
  RunLimit limit() const;
  /// What a change saves, as it is told: of wall time, or of the window if it saves of that alone, because wall time
  /// leaves out what the host does before its first launch.
  struct Told {
    const Saving& saving;
    /// Of which it is a part, in ns over the reported iterations, and its name, such as `wall`.
    int64_t ofNs;
    std::string_view of;
    bool isOfWindow;
  };
  Told told(const Advice& advice) const;
  /// How many changes were predicted: of a large run not all that may help.
  size_t tried = 0;
  /// Changes before bounds; of each the one that likely saves most first, then the one that saves most after it, and so
  /// on.
  std::vector<Advice> advice;
  /// What is not worth a try, and what is not known, as sentences.
  std::vector<std::string> notes;
  schedule::Caution caution = schedule::Caution::None;
  friend bool operator==(const AdviceAnalysis&, const AdviceAnalysis&) = default;
};

}  // namespace amdahlc
