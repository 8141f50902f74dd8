/// Pieces of a run's time, by what was going on.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "replay/schedule/run_model.h"
#include "support/string_pool.h"

namespace amdahlc::schedule {

enum class PieceKind : uint8_t {
  /// An event runs.
  DeviceWork,
  /// The host does something else than to launch the event that comes next.
  Host,
  /// A call waits for the device.
  Synchronization,
  /// Data is loaded.
  Input,
  /// The call that launches the event that comes next.
  LaunchCall,
  /// From that call to the start of the event.
  LaunchLatency,
  /// From the event before to the next one of its stream.
  KernelGap,
  /// From the end of an event of another stream, or from the beginning of the gap if that is later.
  Dependency,
  /// Another thread had to be woken.
  HandOver,
  Unknown,
};
/// `launch-call`
std::string_view name(PieceKind kind);

/// What more is known of a piece than the name of an event.
enum class PieceNote : uint8_t {
  None,
  /// The host's rows have a gap.
  NothingRecorded,
  /// The cause of the first event is not in the trace.
  BeforeRecording,
  /// The event started long after all that it is known to wait for.
  Unexplained,
  /// No room in the queue of launches.
  QueueFull,
};
/// As a clause; empty for `None`.
std::string_view describe(PieceNote note);

/// Time by kind and name.
struct TimePiece {
  PieceKind kind;
  /// Of an operator, a call, a frame or an event; may be empty.
  Symbol name;
  PieceNote note = PieceNote::None;
  int64_t ns = 0;
  friend bool operator==(const TimePiece&, const TimePiece&) = default;
};

/// A piece where it is in the run.
struct PlacedPiece : TimePiece {
  int64_t startNs = 0;
  /// Of `DeviceWork`.
  EventIndex event = kNoEvent;
  /// The row of the trace that the host's part is of; none where nothing is recorded, and for other parts.
  HostEventId row = {};
};

/// What each thread with calls did at each time, by the innermost row of the trace: the host's part of idle time and of
/// the run's path.
class HostActivity {
 public:
  explicit HostActivity(const RunCalls& calls);

  /// From `fromNs` to `toNs`, in order, in pieces that sum to the time between.
  std::vector<PlacedPiece> pieces(ThreadIndex thread, int64_t fromNs, int64_t toNs) const;

  /// A stretch of a thread's time in which one row of the trace is the innermost one.
  struct Stretch {
    TimeInterval interval;
    PieceKind kind;
    Symbol name;
    HostEventId row;
  };

 private:
  /// Disjoint, in order.
  std::vector<std::vector<Stretch>> ofThread_;
};

/// What the time counts as from the cause of an event to its start; without a length.
TimePiece delayOf(const RunModel& model, EventIndex event);

/// Adds up pieces of equal kind, name and note. Keeps the order in which they were first added.
class PieceSums {
 public:
  void add(const TimePiece& piece);
  const std::vector<TimePiece>& pieces() const { return pieces_; }

 private:
  std::map<std::tuple<PieceKind, uint32_t, PieceNote>, size_t> indexOf_;
  std::vector<TimePiece> pieces_;
};

/// The causes of the idle time of an iteration: every gap between its device events, in pieces that sum to it exactly.
/// A gap ends with the start of an event; of several, of the one whose launch ended last. What the thread that
/// launched it did until the launch began is host time; then come the launch, and the time until the event could
/// start.
std::vector<PlacedPiece> idlePieces(const RunModel& model, const HostActivity& activity, int32_t iteration);

/// The critical path of the run back from its end, in pieces that sum to the time walked: of an event, what released
/// it; of the launch, what its thread did before; of a call that waited, the event that it waited for.
///
/// From the end of the last event of the iteration to the start of its first: wall time. In order of time.
std::vector<PlacedPiece> wallPath(const RunModel& model, const HostActivity& activity, int32_t iteration);
/// The same of a window, summed up in the order of first moments, with the part of it that is before the start of the
/// first event of the iteration, and the part after the end of the last one.
struct WindowPath {
  std::vector<TimePiece> pieces, before, after;
};
/// From the end of the iteration's annotation on its thread to its start; empty if the iteration has no annotation on
/// a thread with calls.
WindowPath windowPath(const RunModel& model, const HostActivity& activity, int32_t iteration);

}  // namespace amdahlc::schedule
