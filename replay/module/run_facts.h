/// What the writer and the reader of a run agree on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace amdahlc {

inline constexpr int64_t kRunColumnsVersion = 3;

/// The values of the column `facts`.
enum class RunFact : uint8_t {
  Version,
  /// The time from which all others are counted: the higher and the lower 32 bits.
  OriginHigh,
  OriginLow,
  HasStarts,
  /// Whether means are reported, and not the representative iteration.
  IsMean,
  IsReplayed,
  /// Whether arithmetic knows the time of the host, because one thread does all.
  IsOfOneThread,
  /// Reported ones.
  Iterations,
  ForwardGroups,
  // Of `RunSchedule`.
  WallNs,
  /// -1 without one.
  WindowNs,
  UnexplainedNs,
  BeforeRecordingNs,
  StrictWallNs,
  KeptBusyNs,
  KeptExtentNs,
  /// -1 without one.
  KeptWindowNs,
};
inline constexpr size_t kRunFactCount = static_cast<size_t>(RunFact::KeptWindowNs) + 1;

}  // namespace amdahlc
