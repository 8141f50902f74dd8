/// Changes that people make to a program, as changes of a replay. Each adds to `Changes`, so that several go together.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "replay/schedule/changes.h"
#include "replay/schedule/run_model.h"

namespace amdahlc::schedule {

/// Events that a change is about, by event.
using EventSet = std::vector<bool>;

/// All events of the iterations that count.
EventSet allSelected(const Timeline& timeline);

/// The median length of the calls that the predicate accepts; nullopt without any.
std::optional<int64_t> medianLengthNs(const RunCalls& calls, const std::function<bool(const Call&)>& accepts);

/// Makes ready for events that run in other streams: each has its stream, and a new wait costs two calls, of which
/// one records an event and the other one waits for it. They take the medians of such calls of the run, or 1.5 us each
/// where it has none.
void beginMoves(const RunCalls& calls, Changes& changes);
/// The first number of a stream that no work uses.
StreamIndex newStream(const RunCalls& calls, const Changes& changes);

/// Removes events, and with them the calls that launched nothing else, and the time in the outermost operators and
/// calls of modules that launched something, and nothing else.
void removeEvents(const RunModel& model, const EventSet& events, Changes& changes);

/// Launches work as graphs: on each thread, and in each iteration, all launches of the given events from one call that
/// waits to the next are one graph, if there are two or more. The first of the calls stays and launches it, in the
/// median time of the calls that launch graphs, or in its own where the run has none; from its end to that of the last
/// one the host has nothing to do. Order within streams and waits between them stay.
void captureGraphs(const RunModel& model, const EventSet& events, Changes& changes);

/// An event that runs in another stream, with the events that it or others wait for.
struct MovedEvents {
  EventSet events;
  /// By event: what it needs the results of. Only those matter of which one is moved and the other is not.
  std::map<EventIndex, std::vector<EventIndex>> needs;
  /// By event: whether what it needs is not known. Such an event keeps its order to all others of its stream.
  EventSet unknown;
};

/// Moves events to `stream`; `RunCalls::streams()` is a new one. They wait for what they need, and for nothing else of
/// the stream that they leave; what needs them waits for them. An iteration that begins waits for those of the one
/// before it. A new wait between two streams takes the usual time from event to event, and the
/// host the time of two calls.
void moveEvents(const RunModel& model, const MovedEvents& moved, StreamIndex stream, Changes& changes);

/// The copies between host and device among `events` that share a stream with other work. The others overlap it
/// already.
EventSet copiesBetweenOtherWork(const RunCalls& calls, const EventSet& events);

/// Those copies of the given events run in streams of their own, one for each direction. A copy to
/// the device is made an iteration ahead: its call does not wait for it, and the work after it waits for the copy of
/// the iteration before. A copy from the device waits for the work before it, and the work after it does not wait for
/// it; a call that waits for it still does, because the host may read the result.
void overlapCopies(const RunModel& model, const EventSet& events, Changes& changes);

}  // namespace amdahlc::schedule
