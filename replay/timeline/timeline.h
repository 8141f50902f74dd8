/// A measured run: device events by column, on tracks, and host events. Independent of file formats and models.
///
/// Times are int64 nanoseconds as the file states them (but see `Recording`). Device events are sorted by (start,
/// longer first, outer kind first, the recorder's own order, file order), so an event's index is its rank in time. Host
/// events have the same order and their own numbers, so that facts about device events are valid without them.
///
/// In a trace without a device the work is the self time of every operator: a device event is a maximal stretch of time
/// in which the operator is the innermost one running on its thread. Several stretches may be of one operator. Those of
/// equal interval are in the order of their operators.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "replay/timeline/facts.h"
#include "replay/timeline/interval.h"
#include "replay/timeline/selection.h"
#include "replay/timeline/target.h"
#include "support/absence.h"
#include "support/data_problems.h"
#include "support/id.h"
#include "support/statistics.h"
#include "support/string_pool.h"

namespace amdahlc {

/// A device event.
using EventIndex = uint32_t;
inline constexpr EventIndex kNoEvent = std::numeric_limits<EventIndex>::max();
/// An event that is no kernel, copy or set.
using HostEventId = Id<struct HostEventTag>;
inline constexpr int32_t kNoIteration = -1;
inline constexpr uint32_t kNoFacts = std::numeric_limits<uint32_t>::max();

enum class EventKind : uint8_t {
  // Device.
  Kernel,
  /// Of memory.
  Copy,
  /// Of memory.
  Set,
  // Host.
  /// A call of a framework operator.
  Operator,
  /// A call of the driver or of a device's runtime, such as a launch.
  Runtime,
  /// A user annotation or a profiler step.
  Annotation,
  /// A device-side copy of an annotation: never an iteration, never device work.
  DeviceAnnotation,
  /// A Python function.
  Frame,
  /// A call of a module.
  ModuleFrame,
  /// A wait; not device work.
  Synchronization,
  Other,
};

struct EventKindInfo {
  EventKind kind;
  /// As in IR text.
  std::string_view name;
  /// Recorded on a device.
  bool onDevice = false;
  /// Work of a device.
  bool deviceWork = false;
};
/// In the order of `EventKind`.
inline constexpr EventKindInfo kEventKinds[] = {
    {EventKind::Kernel, "kernel", true, true},
    {EventKind::Copy, "copy", true, true},
    {EventKind::Set, "set", true, true},
    {EventKind::Operator, "operator"},
    {EventKind::Runtime, "runtime"},
    {EventKind::Annotation, "annotation"},
    {EventKind::DeviceAnnotation, "device-annotation", true},
    {EventKind::Frame, "frame"},
    {EventKind::ModuleFrame, "module-frame"},
    {EventKind::Synchronization, "synchronization", true},
    {EventKind::Other, "other"},
};
constexpr const EventKindInfo& info(EventKind kind) { return kEventKinds[static_cast<size_t>(kind)]; }
constexpr std::string_view name(EventKind kind) { return info(kind).name; }

/// A device stream or a host thread.
struct Track {
  /// The pid as written.
  std::string process;
  /// The tid as written; the stream of a device track.
  std::string thread;
  bool device = false;
  /// From metadata; may be empty.
  std::string name;
};

/// Of an event that is not in a list of events in a file.
inline constexpr uint32_t kNoFileEvent = std::numeric_limits<uint32_t>::max();

/// Why an iteration does not count.
enum class LeftOut : uint8_t {
  /// It counts: it is selected.
  None,
  WarmUp,
  WithoutDeviceWork,
  /// By the user's choice of steps.
  NotChosen,
  /// By the user's choice of a window.
  OutsideWindow,
};
struct LeftOutInfo {
  LeftOut reason;
  /// In IR text, behind `dropped`; empty for the most frequent one.
  std::string_view name;
  /// For reports: `dropped as warm-up`.
  std::string_view description;
};
/// The reasons, in the order of reports.
inline constexpr LeftOutInfo kLeftOutReasons[] = {
    {LeftOut::WarmUp, "", "dropped as warm-up"},
    {LeftOut::NotChosen, "not-chosen", "not chosen"},
    {LeftOut::OutsideWindow, "outside", "outside the window"},
    {LeftOut::WithoutDeviceWork, "empty", "without device work"},
};

/// One repetition of the measured work.
struct Iteration {
  /// The annotation's name, `repeat 2`, or `whole trace`.
  std::string name;
  /// Host extent of the enclosing annotation or step; nullopt if there is none.
  std::optional<int64_t> startNs, endNs;
  LeftOut leftOut = LeftOut::None;
  /// Sum of the durations of its device events whose launch is not in the trace, most often because it was before the
  /// recording. nullopt if that is not known, because the trace has no launch of any device event.
  std::optional<int64_t> spillInNs = 0;
  /// Of `Timeline::recordings`; 0 if the run has one.
  uint32_t recording = 0;
  /// The name of a stretch of time that the user chose, at whose ends work may be cut off. Excerpts keep it.
  static constexpr std::string_view kWindow = "window";
  bool isCut() const { return name == kWindow; }
  bool selected() const { return leftOut == LeftOut::None; }
};

/// One of several recordings of a run.
struct Recording {
  /// As of the timeline.
  std::string file, contentHash;
  /// All of its times are from here on, and before the start of the next recording. Those of the first are as its file
  /// states them, those of another one are later by as much as brings it behind the one before.
  int64_t startNs = 0;
};

/// A call that added work to a graph while a stream was captured, instead of starting it.
struct CapturedLaunch {
  HostEventId call;
  /// That began the capture.
  HostEventId begin;
  /// Of the work: a kernel, a copy or a set.
  EventKind kind = EventKind::Kernel;
  /// Empty if the trace does not state it, as the next.
  Symbol kernel, stream;
  LaunchFacts facts;
};

/// The events of a trace that are no kernel, copy or set, and their relations to device work: operators, runtime calls,
/// Python frames, annotations, waits. IR text does not contain them.
struct HostFacts {
  // One entry per host event, in order of start.
  IdVector<HostEventId, EventKind> kind;
  IdVector<HostEventId, int64_t> startNs;
  IdVector<HostEventId, int64_t> durationNs;
  IdVector<HostEventId, Symbol> name;
  IdVector<HostEventId, uint32_t> track;
  /// -1 for none.
  IdVector<HostEventId, int64_t> correlation;
  /// The innermost enclosing operator, frame or runtime call of the same thread.
  IdVector<HostEventId, HostEventId> parent;
  /// Index into `Timeline::iterations`, by its own start; kNoIteration outside all.
  IdVector<HostEventId, int32_t> iteration;
  /// Of operators into operatorFacts, of waits into waitFacts; kNoFacts for none.
  IdVector<HostEventId, uint32_t> factsIndex;
  /// Events may share facts.
  std::vector<OperatorFacts> operatorFacts;
  std::vector<WaitFacts> waitFacts;
  /// Autograd's number of an operator's call; -1 for none.
  IdVector<HostEventId, int64_t> sequenceNumber;
  /// The profiler's number of a call of an operator and of an annotation, which an execution trace of the run states,
  /// too; -1 for none. Empty if the trace states none of any event.
  IdVector<HostEventId, int64_t> recordFunction;
  /// Of an operator of the backward pass: autograd's own number of the thread of its forward call, which is no number
  /// of a track; 0 for none.
  IdVector<HostEventId, int32_t> forwardThread;

  // One entry per device event.
  /// The runtime call that launched it, or the operator that did, where the trace has no calls of the device's runtime;
  /// of a stretch of an operator's self time the operator.
  std::vector<HostEventId> launch;
  /// The innermost framework operator around the launch; of a stretch the operator.
  std::vector<HostEventId> launchOp;
  /// The call of the device's runtime that launched it, whatever its name; none if `launch` is none or an operator.
  HostEventId launchCall(EventIndex event) const {
    return !launch[event].isNone() && kind[launch[event]] == EventKind::Runtime ? launch[event] : HostEventId();
  }

  /// Of device events that are operations between ranks, and where the trace says more than their names.
  std::map<EventIndex, CollectiveFacts> collectives;

  /// nullopt without an execution trace, or if the graph is made of it.
  std::optional<TracedCalls> traced;

  /// Of the memory of the device, without a device of the host, in order of time; empty if the trace has none.
  std::vector<MemoryRecord> memory;

  /// Those of one capture together, in order of time.
  std::vector<CapturedLaunch> capturedLaunches;

  size_t size() const { return kind.size(); }
  int64_t endNs(HostEventId event) const { return startNs[event] + durationNs[event]; }
  TimeInterval interval(HostEventId event) const { return {startNs[event], endNs(event)}; }
  /// Null where the trace has none, and for other kinds of events, as for the next.
  const OperatorFacts* operatorFactsOf(HostEventId event) const;
  const WaitFacts* waitFactsOf(HostEventId event) const;
};

/// Events by column, with the tables that the columns refer to. Shared by `Timeline` and `EventTable`.
struct EventColumns {
  /// False: device events are stretches of the self time of operators.
  bool hasDevice = true;
  /// The unit in which the recorder's clock counts.
  int64_t clockResolutionNs = 1;
  StringPool strings;
  std::vector<Track> tracks;

  // One entry per event.
  std::vector<EventKind> kind;
  std::vector<int64_t> startNs;
  std::vector<int64_t> durationNs;
  std::vector<Symbol> name;
  std::vector<uint32_t> track;
  /// -1 for none.
  std::vector<int64_t> correlation;
  /// Index into `iterations`, by the launch, of a stretch by its own start; kNoIteration outside all.
  std::vector<int32_t> iteration;
  /// Into launchFacts (device) or, in an EventTable, operatorFacts (operators); kNoFacts for none.
  std::vector<uint32_t> factsIndex;
  std::vector<LaunchFacts> launchFacts;

  /// In time order; never empty after reading.
  std::vector<Iteration> iterations;
  DataProblems problems;

  size_t size() const { return kind.size(); }
  std::string_view text(Symbol symbol) const { return strings.text(symbol); }
  int64_t endNs(EventIndex event) const { return startNs[event] + durationNs[event]; }
  TimeInterval interval(EventIndex event) const { return {startNs[event], endNs(event)}; }
};

/// A capture whose graph the run launches.
struct GraphCapture {
  /// Without folders.
  std::string file;
  /// The innermost annotation around it; empty without one.
  std::string name;
  /// Launches in the capture.
  int64_t launches = 0;
  /// How often the run launches the graph, in all of its iterations, and how many device events of these launches are
  /// launches of the capture.
  int64_t replays = 0, events = 0;
};

/// One event per device event: kernel, copy or set; without a device a stretch of an operator's self time.
struct Timeline : EventColumns {
  /// Unique in a module; `isRunLabel`.
  std::string label;
  /// File name without folders; of several files with commas between them, as the next.
  std::string file;
  /// `kineto`
  std::string format;
  /// Of the file's bytes.
  std::string contentHash;
  /// In order of time, if there are several; empty if there is one. Device streams of one name are one stream in all of
  /// them; threads of the host are of one recording, and so are correlations.
  std::vector<Recording> recordings;
  /// As the trace states it.
  Target target;
  /// False: the recorder measured how long each event took, but not when. Then events are in the order of the file.
  /// Each begins where the one before it ends, the first at 0, and `startNs` tells only the order: wall and idle time
  /// are unknown. Busy time is the sum of durations.
  bool hasStarts = true;
  /// Each duration is the mean of so many executions. Their number is that of the iterations, and their spread is
  /// unknown. 1: each was measured once.
  int64_t meanOf = 1;
  /// What reports show of the selected iterations.
  Average average = Average::Median;
  /// How long whole executions took, measured apart from the events; empty if unknown.
  std::vector<int64_t> latenciesNs;
  /// By the name of an event: what the recorder says of the nodes that it ran, apart from the name.
  std::map<std::string, std::string, std::less<>> nodesByName;
  /// What its layers read and make, if the recorder says so: empty in IR text.
  StatedTensors stated;
  /// The ids of the devices with work in the file if there are several, and the one whose events these are.
  std::vector<std::string> devices;
  std::string device;
  /// What the trace states of its rank; nullopt if it does not, or if read from IR text.
  std::optional<StatedRank> rank;
  /// The time of the clock's origin since 1970, which is part of no `startNs`: it makes the times of several traces
  /// comparable. 0 if the trace does not state one, or if read from IR text.
  int64_t clockOriginNs = 0;
  /// nullopt if read from IR text; present and empty if the trace has device events only.
  std::optional<HostFacts> host;
  /// The calls that captured the graphs of the run, with the operators and modules around them. `launch` and `launchOp`
  /// are of the device events of the run, and none for those that are in no graph or unknown. Times and threads are of
  /// the captures; events are in order of start in each thread. nullopt without a capture.
  std::optional<HostFacts> captured;
  std::vector<GraphCapture> captures;
  /// By event: the number of what it is in the file, which is a list of events, from 0 and with those that are left
  /// out; of a stretch that of the operator. Empty if read from IR text, where a file is no list of events, and of
  /// several recordings.
  std::vector<uint32_t> fileEvent;

  /// Of a selected iteration.
  bool isSelected(EventIndex event) const {
    return iteration[event] != kNoIteration && iterations[static_cast<size_t>(iteration[event])].selected();
  }
  /// What the run lacks of its trace: when events started, or the host events, which IR text does not contain; nullopt
  /// if it has both.
  std::optional<Absence> absenceOfTrace() const;
  /// What is missing of the host's side of the run: of its events, and of those that they launched; nullopt if it is
  /// there.
  std::optional<Absence> absenceOfHostSide() const;
  /// Selected device events in order of start.
  std::vector<EventIndex> selectedEvents() const;
  int64_t selectedIterationCount() const;
  size_t recordingCount() const { return std::max<size_t>(1, recordings.size()); }
  /// The recording that a time of an event is of.
  uint32_t recordingAt(int64_t ns) const;
  /// Adds a recording to the run and to its file and hash.
  void addRecording(Recording recording);
  /// The name of an iteration; where there are several recordings, with the number of its own one, from 1.
  std::string iterationName(size_t iteration) const;
  /// `iterationName` of the iterations that are left out for `reason`; for `None`, of the selected ones.
  std::vector<std::string> iterationNames(LeftOut reason) const;
  /// Null where the trace has none.
  const LaunchFacts* launchFactsOf(EventIndex event) const;
  /// nullopt if the trace has no starts.
  std::optional<int64_t> startOf(EventIndex event) const {
    return hasStarts ? std::optional(startNs[event]) : std::nullopt;
  }
  /// The text that names the nodes of an event: of `nodesByName`, else its name.
  std::string_view nodesText(EventIndex event) const;
  /// The node that the operator around the launch states (`OperatorFacts::node`); empty without one.
  std::string_view statedNode(EventIndex event) const;
};

/// When these events ran.
std::vector<TimeInterval> intervalsOf(const EventColumns& events, std::span<const EventIndex> of);

/// The iterations whose times reports show where these must add up: with the median the representative one alone, which
/// is reported as it was measured; with the mean all selected ones.
class ReportedIterations {
 public:
  explicit ReportedIterations(const Timeline& timeline);

  /// kNoIteration is none of them.
  bool has(int32_t iteration) const { return iteration != kNoIteration && isReported_[static_cast<size_t>(iteration)]; }
  /// At least 1, so that sums can be divided by it.
  int64_t count() const { return count_; }
  /// The place of the only one among the selected iterations; nullopt if all of these are reported.
  std::optional<size_t> place() const { return place_; }
  /// Their device events in order of start.
  std::vector<EventIndex> events(const Timeline& timeline) const;
  template <typename T>
  std::vector<T> of(const std::vector<T>& byIteration) const {
    std::vector<T> reported;
    for (size_t i = 0; i < byIteration.size(); ++i)
      if (isReported_[i]) reported.push_back(byIteration[i]);
    return reported;
  }

 private:
  std::vector<bool> isReported_;
  int64_t count_ = 1;
  std::optional<size_t> place_;
};

/// A time by selected iteration. Where only one is reported, at this place, its time is; else the mean.
TimeStatistics timeOfIterations(std::span<const int64_t> samplesNs, std::optional<size_t> reported);

/// The iteration that stands for a run: the index of the selected one with the median wall time; of an even number the
/// shorter one of the two in the middle, of equal ones the first. 0 if none is selected.
size_t representativeIteration(const Timeline& timeline);

/// Of values by iteration, those of the selected iterations.
template <typename T>
std::vector<T> ofSelected(const Timeline& timeline, const std::vector<T>& byIteration) {
  std::vector<T> selected;
  for (size_t i = 0; i < byIteration.size(); ++i)
    if (timeline.iterations[i].selected()) selected.push_back(byIteration[i]);
  return selected;
}

/// Whether a text may be the label of a run, of which outputs make names of files: it is not empty, and has neither a
/// slash nor control characters.
bool isRunLabel(std::string_view text);

/// The first difference of run `a` from trace `b`: ``event 3 lasts 10 ns, but 12 ns in the trace``. Empty if the device
/// events are equal, one to one. Then facts about the events of one are valid for the other.
std::string deviceEventDifference(const Timeline& a, const Timeline& b);

}  // namespace amdahlc
