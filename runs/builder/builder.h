/// Builds a timeline from raw events in any order: sorts them, nests host events, joins launches, finds iterations.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "replay/timeline/timeline.h"
#include "runs/builder/event_table.h"
#include "support/limits.h"

namespace amdahlc {

/// One event as in the file.
struct RawEvent {
  EventKind kind = EventKind::Other;
  int64_t startNs = 0;
  int64_t durationNs = 0;
  std::string_view name;
  uint32_t track = 0;
  int64_t correlation = -1;
  /// Of device work, of an operator or of a wait: a number from `TimelineBuilder::facts`.
  uint32_t facts = kNoFacts;
  /// Of an operator: autograd's number of its call.
  int64_t sequenceNumber = -1;
  /// Of an operator of the backward pass: autograd's own number of the thread of its forward call; 0 if there is none.
  int32_t forwardThread = 0;
  /// The recorder's own number of host events of this kind, outer before inner; -1 if there is none. It decides between
  /// events with equal intervals, which coarse clocks produce.
  int64_t recordOrder = -1;
  /// Of an excerpt, of device work or an operator: its number among the iterations that the excerpt states.
  int32_t iteration = kNoIteration;
  /// The number of the event in the file, if that is a list of events.
  uint32_t fileEvent = kNoFileEvent;
};

/// As in `CollectiveFacts`.
struct RawCollective {
  std::string_view operation, group, groupRanks;
  int64_t groupSize = -1;
  int64_t sequence = -1;
};

class TimelineBuilder {
 public:
  /// A name as events have it: cut at the limit, and counted if it is longer.
  std::string_view nameWithinLimit(std::string_view name);
  /// Finds or adds the track (process, thread).
  uint32_t track(std::string_view process, std::string_view thread, bool device);
  void nameTrack(uint32_t track, std::string_view name);
  /// The number of these facts, which events may share. Equal launch facts have one number.
  uint32_t facts(const LaunchFacts& launch);
  uint32_t facts(OperatorFacts op);
  uint32_t facts(const WaitFacts& wait);
  void add(const RawEvent& event);
  /// What event `fileEvent` of the file, device work or the operator that launches it, states of an operation between
  /// ranks.
  void collective(uint32_t fileEvent, const RawCollective& facts);
  /// What event `fileEvent` of the file, a call that launches, states of the work.
  void statedLaunch(uint32_t fileEvent, std::string_view kernel, std::string_view stream, const LaunchFacts& launch);
  /// The profiler's number of the call that is event `fileEvent` of the file.
  void recordFunction(uint32_t fileEvent, int64_t number);
  /// A record of the allocator of this device, which the thread wrote; with an empty id, of that of the host. Records
  /// of equal time stay in their order.
  void memory(const std::string& device, const MemoryRecord& record, std::string_view process, std::string_view thread);
  /// Adds to the count of the problem `name`.
  void problem(std::string_view name, int64_t count, std::string_view what);
  /// Label, file, format, target: set by the reader before `finish`. The target's runtime selects the adapter for
  /// names. Without starts (`Timeline::hasStarts`) events are kept in the order in which they are added.
  Timeline& facts() { return facts_; }
  /// The target of a run on the device with this id, where a file has several.
  void deviceTarget(const std::string& device, const Target& target);

  /// The trace is an excerpt. Its iterations, target and devices are those that it states, unless other iterations are
  /// selected, and so are the problems of the whole.
  void setExcerpt(Excerpt excerpt);

  /// Relations, device work, iterations, selection. The builder is empty afterwards. If nothing can be selected,
  /// `fault` says why, as a sentence for users.
  Timeline finish(const TraceSelection& selection);
  const std::string& fault() const { return fault_; }

 private:
  struct RawRow {
    int64_t startNs;
    int64_t durationNs;
    int64_t correlation;
    int64_t recordOrder;
    int64_t sequenceNumber;
    int32_t forwardThread;
    Symbol name;
    uint32_t track;
    uint32_t facts;
    uint32_t fileEvent;
    int32_t iteration : 24;
    EventKind kind;
  };
  static_assert(sizeof(RawRow) == 64, "large traces are many rows");
  static_assert(limits::kExcerptIterations == (1 << 23) - 1);

  struct LaunchFactsHash {
    size_t operator()(const LaunchFacts& facts) const;
  };

  void cutNames(std::initializer_list<std::string*> names);
  void cutNames(Target& target);
  void mendDurations();
  void dropUnusableRows();
  void layEndToEnd();
  TraceSelection withAbsoluteWindow(TraceSelection selection) const;
  void keepOneDevice(const std::string& wanted);
  /// Each returns the number of dropped rows.
  int64_t dropFarRows();
  int64_t dropRowsBeyondTheSum();
  /// The numbers of the rows in the order of the table.
  std::vector<uint32_t> sortedRows() const;
  void dropDuplicates(std::vector<uint32_t>& order);
  void fillColumns(const std::vector<uint32_t>& order);
  void keepMemoryOf(EventTable& table) const;
  /// Process, thread, and whether it is of a device.
  using TrackKey = std::pair<std::string, std::pair<std::string, bool>>;
  TrackKey trackKey(std::string_view process, std::string_view thread, bool device);

  Timeline facts_;
  std::string fault_;
  int64_t cutNames_ = 0;
  std::map<std::string, Target> targets_;
  /// By device.
  std::map<std::string, std::vector<MemoryRecord>> memory_;
  /// Until `keepMemoryOf`, the tracks of these records are numbers of this table.
  std::map<TrackKey, uint32_t> memoryThreads_;
  EventTable table_;
  /// By the number of an event in the file, up to the last that has one; a row has no room for what few files state.
  std::vector<int64_t> recordFunctions_;
  // In blocks: a vector that grows needs memory for two copies.
  std::deque<RawRow> rows_;
  std::map<TrackKey, uint32_t> trackIndex_;
  std::unordered_map<LaunchFacts, uint32_t, LaunchFactsHash> launchFactsIndex_;
};

}  // namespace amdahlc
