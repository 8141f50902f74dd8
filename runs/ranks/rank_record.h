/// What is kept of the trace of one rank: its times by step, and its operations with other ranks. Small, so that traces
/// of many ranks need not be in memory together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/runtimes/collectives.h"
#include "replay/timeline/breakdown.h"
#include "replay/timeline/interval.h"
#include "replay/timeline/timeline.h"
#include "replay/timeline/totals.h"
#include "support/data_problems.h"

namespace amdahlc::ranks {

/// A selected iteration. Of several with one name, as repeated annotations have it, the occurrence tells which.
struct StepName {
  std::string name;
  /// From 0, among all iterations of the trace with that name.
  int64_t occurrence = 0;
  friend auto operator<=>(const StepName&, const StepName&) = default;
};

struct Step {
  StepName name;
  IterationTimes times;
  /// nullopt for the reason of the record.
  std::optional<TimeBreakdown> breakdown;
};

/// What tells the operations of a rank that another rank takes part in.
struct CollectiveKey {
  CollectiveKind kind = CollectiveKind::Unknown;
  /// As the framework calls it; of a trace that states no groups the name of the kernel and its stream.
  std::string operation;
  std::string group;
  /// As written: `[0, 1, 2, 3]`.
  std::string groupRanks;
  int64_t groupSize = -1;
  friend auto operator<=>(const CollectiveKey&, const CollectiveKey&) = default;

  /// Whether the trace states the group.
  bool hasGroup() const { return !group.empty() || !groupRanks.empty(); }
};

struct CollectiveCall {
  /// Into `RankRecord::keys`.
  uint32_t key = 0;
  /// Into `RankRecord::steps`.
  uint32_t step = 0;
  /// Of `CollectiveFacts`.
  int64_t sequence = -1;
  /// Since the origin of the rank's clock.
  int64_t startNs = 0;
  int64_t durationNs = 0;
};

struct RankRecord {
  /// Without folders.
  std::string file;
  std::string contentHash;
  /// The name of the device; empty if it is unknown.
  std::string device;
  /// As in the target of the trace.
  std::string runtime;
  std::optional<StatedRank> stated;
  /// In order of time.
  std::vector<Step> steps;
  /// Why steps have no breakdown; nullopt if all have one.
  std::optional<Absence> noBreakdown;
  std::vector<CollectiveKey> keys;
  /// Of selected steps, in order of start.
  std::vector<CollectiveCall> calls;
  /// When something computes on the device in selected steps, on the clock of the calls: disjoint, in order of time.
  std::vector<TimeInterval> computation;
  int64_t clockResolutionNs = 1;
  DataProblems problems;
};

RankRecord recordOf(const Timeline& timeline);

/// The steps that all ranks have.
struct CommonSteps {
  /// Selected in all ranks, in the order of the first one.
  std::vector<StepName> steps;
  /// By rank and step of the rank: the position in `steps`; nullopt for a step that another rank lacks.
  std::vector<std::vector<std::optional<uint32_t>>> positions;
};

CommonSteps commonSteps(std::span<const RankRecord> ranks);

}  // namespace amdahlc::ranks
