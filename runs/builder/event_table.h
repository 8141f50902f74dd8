/// All events of a trace, of host and devices, in one table while a timeline is built.
///
/// Rows are sorted by (start, longer first, outer kind first, the recorder's own order, file order), so that a row is
/// its rank in time.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "replay/timeline/timeline.h"
#include "runs/builder/excerpt.h"

namespace amdahlc {

using Row = uint32_t;
inline constexpr Row kNoRow = std::numeric_limits<Row>::max();

/// An event of the run.
struct WorkEvent {
  /// The device event itself; of a stretch of an operator's self time, the operator.
  Row row;
  int64_t startNs;
  int64_t durationNs;
  /// Index into `iterations`; kNoIteration outside all.
  int32_t iteration = kNoIteration;
};

/// What a call that launches states of the work.
struct StatedLaunch {
  uint32_t fileEvent;
  /// Into `launchFacts`.
  uint32_t facts;
  /// Empty for what is not stated.
  Symbol kernel, stream;
};

struct EventTable : EventColumns {
  // One entry per event.
  /// Host: the innermost enclosing operator, frame or runtime call of the same thread.
  std::vector<Row> parent;
  /// Device work: the runtime call or the operator that launched it; without a device of an operator: itself.
  std::vector<Row> launch;
  /// Device work: the innermost framework operator around the launch; without a device of an operator: itself.
  std::vector<Row> launchOp;
  /// The facts of framework operators, indexed by `factsIndex`.
  std::vector<OperatorFacts> operatorFacts;
  /// Those of waits, as well.
  std::vector<WaitFacts> waitFacts;
  /// One entry per event: as in `RawEvent`.
  std::vector<uint32_t> fileEvent;
  /// One entry per event: autograd's number of an operator's call; -1 for none.
  std::vector<int64_t> sequenceNumber;
  /// One entry per event: as in `HostFacts`; empty if no event has one.
  std::vector<int64_t> recordFunction;
  /// One entry per event: as in `RawEvent`.
  std::vector<int32_t> forwardThread;

  /// The events of the run, in the order of `Timeline`: kernels, copies, sets; without a device the stretches of the
  /// operators' self time.
  std::vector<WorkEvent> work;

  /// By the number of an event in the file: what it states of an operation between ranks.
  std::map<uint32_t, CollectiveFacts> collectives;

  /// In the order of the file.
  std::vector<StatedLaunch> statedLaunches;

  /// As in `HostFacts`.
  std::vector<MemoryRecord> memory;

  /// If the trace is one: then `iteration` is at first what the trace states of each event.
  std::optional<Excerpt> excerpt;

  bool isDeviceKind(Row row) const { return info(kind[row]).deviceWork; }
};

/// The last step in the making of a timeline: moves the events of the run and the rows of the host to their own columns
/// of the timeline. Each column of the table is freed as soon as it has been moved.
void splitTable(EventTable table, Timeline& timeline);

}  // namespace amdahlc
