// The file, one event a line:
//
//   {"schemaVersion":1,"deviceProperties":[],
//   "amdahlc":{"version":1,"format":"kineto","target":{...},"devices":[],"device":"",
//              "iterations":[{"name":"ProfilerStep#3","start_ns":1,"end_ns":2,"left_out":null,"spill_in_ns":0}],
//              "data_problems":[{"name":"no-launch","count":3,"what":"..."}]},
//   "traceEvents":[
//   {"ph":"M","name":"thread_name",...},
//   {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":7,"tid":7,"ts":1.500,"dur":2.000,"args":{...}},
//   ...
//
// and behind the events of the run, if it is annotated:
//
//   {"ph":"s","cat":"ac2g","id":0,...}                                     from a launch to its device work
//   {"ph":"X","cat":"amdahlc","name":"linear","pid":"amdahlc",...}         a kernel of the model, or a module scope
//   {"ph":"s","cat":"amdahlc critical path","id":4,...}                    a path, from event to event
//   ]}
#include "runs/trace/kineto_writer.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "replay/timeline/tensor_layout.h"
#include "runs/builder/excerpt.h"
#include "runs/files/json_cursor.h"
#include "runs/trace/kineto.h"
#include "support/decimal_time.h"
#include "support/json_text.h"
#include "support/name_list.h"

namespace amdahlc::trace {
namespace {

constexpr std::string_view kProcess = R"("pid":"amdahlc")";

/// A process or a thread: a number if it is one, as viewers demand.
std::string place(const std::string& text) {
  const bool isNumber = isDigits(text) && text.size() < 18 && (text == "0" || text.front() != '0');
  return isNumber ? text : jsonText(text);
}

/// `file.py(12): forward` of `/opt/nets/file.py(12): forward`: where the file lies tells of the machine. Names of
/// folders may contain parentheses.
std::string_view withoutFolders(std::string_view frame) {
  static const re2::RE2 kLine(R"((?s)(.+)\([0-9]+\): .*)", re2::RE2::Latin1);
  re2::StringPiece file(frame.data(), std::min(frame.find('('), frame.size()));
  re2::RE2::FullMatch({frame.data(), frame.size()}, kLine, &file);
  const size_t slash = std::string_view(file.data(), file.size()).find_last_of("/\\");
  return slash == std::string_view::npos ? frame : frame.substr(slash + 1);
}

class Writer {
 public:
  /// Without annotations it writes an excerpt.
  Writer(const Timeline& timeline, const TraceAnnotations* annotations)
      : timeline_(timeline),
        annotations_(annotations),
        host_(*timeline.host),
        hasExtents_(haveOrderedExtents(timeline.iterations)),
        names_(timeline.strings.size()),
        frames_(timeline.strings.size()),
        places_(timeline.tracks.size()) {}

  std::string write() {
    print("{{\"schemaVersion\":1,\"deviceProperties\":[],\n");
    if (const auto& rank = timeline_.rank) {
      print("\"distributedInfo\":{{\"rank\":{}", rank->rank);
      if (rank->worldSize >= 0) print(",\"world_size\":{}", rank->worldSize);
      print("}},\n");
    }
    if (timeline_.clockOriginNs > 0) print("\"baseTimeNanoseconds\":{},\n", timeline_.clockOriginNs);
    print("{}:{},\n\"traceEvents\":[", jsonText(kExcerptKey), writeStatement(excerptOf(timeline_)));
    std::vector<HostEventId> kept;
    std::vector<EventIndex> events;
    if (annotations_ == nullptr) {
      kept = hostEventsOfExcerpt(timeline_);
      events = timeline_.selectedEvents();
    } else {
      for (const HostEventId event : host_.kind.ids()) kept.push_back(event);
      for (EventIndex event = 0; event < timeline_.size(); ++event) events.push_back(event);
    }
    writeTrackNames(kept, events);
    if (!timeline_.hasDevice) findMisplacedOperators(events);
    // In a trace with calls of the device's runtime, only they launch.
    for (const HostEventId event : host_.kind.ids())
      operatorsLaunch_ &= host_.kind[event] != EventKind::Runtime || host_.correlation[event] < 0;
    for (const HostEventId event : kept) writeHostEvent(event);
    if (timeline_.hasDevice)
      for (const EventIndex event : events) writeDeviceEvent(event);
    if (annotations_ != nullptr) {
      writeMemory();
      writeLaunches();
      writeAnnotations();
      writePaths();
    }
    out_ += "\n]}\n";
    return std::move(out_);
  }

 private:
  template <typename... T>
  void print(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(values)...);
  }

  void beginLine() {
    out_ += isFirst_ ? "\n" : ",\n";
    isFirst_ = false;
  }

  /// As JSON.
  const std::string& nameText(Symbol name, bool isFrame) {
    std::string& text = (isFrame ? frames_ : names_)[name.index];
    if (text.empty()) {
      const std::string_view plain = timeline_.text(name);
      text = jsonText(isFrame && annotations_ == nullptr ? withoutFolders(plain) : plain);
    }
    return text;
  }

  /// In the order in which the events name them.
  void writeTrackNames(const std::vector<HostEventId>& kept, const std::vector<EventIndex>& events) {
    std::vector<bool> isKnown(timeline_.tracks.size(), false);
    const auto write = [&](uint32_t index) {
      const Track& track = timeline_.tracks[index];
      if (isKnown[index] || track.name.empty()) return;
      isKnown[index] = true;
      beginLine();
      print(R"({{"ph":"M","name":"thread_name",{},"ts":0,"args":{{"name":{}}}}})", placeOf(index),
            jsonText(track.name));
    };
    for (const HostEventId event : kept) write(host_.track[event]);
    for (const EventIndex event : events) write(timeline_.track[event]);
  }

  /// Operators some of whose self time belongs to another iteration than its place in time tells.
  void findMisplacedOperators(const std::vector<EventIndex>& events) {
    iterationOf_.assign(host_.size(), kNoIteration);
    for (const EventIndex event : events) {
      const int32_t iteration = timeline_.iteration[event];
      if (!hasExtents_ || iterationAt(timeline_.iterations, timeline_.startNs[event]) != iteration)
        iterationOf_[host_.launchOp[event]] = iteration;
    }
  }

  void beginEvent(EventKind kind, Symbol name, uint32_t track, int64_t startNs, int64_t durationNs) {
    beginLine();
    // Nothing reads events of other kinds, and no category stands for them.
    print(R"({{"ph":"X","cat":"{}","name":{},{},"ts":{},"dur":{})",
          kind == EventKind::Other ? kAnnotationCategory : kinetoCategoryOf(kind, timeline_.target.vendor),
          nameText(name, kind == EventKind::Frame), placeOf(track), formatUs(startNs), formatUs(durationNs));
    arguments_.clear();
  }

  template <typename... T>
  void argument(std::string_view key, fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(arguments_), "{}\"{}\":", arguments_.empty() ? "" : ",", key);
    fmt::format_to(std::back_inserter(arguments_), format, std::forward<T>(values)...);
  }
  void argumentIfKnown(std::string_view key, int64_t number) {
    if (number >= 0) argument(key, "{}", number);
  }

  void endEvent() {
    if (!arguments_.empty()) print(",\"args\":{{{}}}", arguments_);
    out_ += '}';
  }

  void writeHostEvent(HostEventId event) {
    const EventKind kind = host_.kind[event];
    if (kind == EventKind::Other && annotations_ == nullptr) return;
    beginEvent(kind, host_.name[event], host_.track[event], host_.startNs[event], host_.durationNs[event]);
    if (kind != EventKind::Operator || operatorsLaunch_) argumentIfKnown("correlation", host_.correlation[event]);
    argumentIfKnown("Sequence number", host_.sequenceNumber[event]);
    if (!host_.recordFunction.empty()) argumentIfKnown("Record function id", host_.recordFunction[event]);
    if (host_.forwardThread[event] > 0) argumentIfKnown("Fwd thread id", host_.forwardThread[event]);
    if (!iterationOf_.empty()) argumentIfKnown(kIterationArgument, iterationOf_[event]);
    if (const OperatorFacts* facts = host_.operatorFactsOf(event)) {
      if (!facts->inputDims.empty()) argument("Input Dims", "{}", nlohmann::json(facts->inputDims).dump());
      if (facts->strides) {
        nlohmann::json strides = nlohmann::json::array();
        for (size_t operand = 0; operand < facts->inputDims.size(); ++operand)
          strides.push_back(stridesOf(*facts, operand));
        argument("Input Strides", "{}", strides.dump());
      }
      const auto texts = [&](std::string_view key, const std::vector<std::string>& all) {
        std::vector<std::string> quoted;
        for (const std::string& text : all) quoted.push_back(jsonText(text));
        if (!all.empty()) argument(key, "[{}]", fmt::join(quoted, ","));
      };
      texts("Input type", facts->inputTypes);
      texts("Concrete Inputs", facts->values);
      if (!facts->node.empty()) argument(kNodeArgument, "{}", jsonText(facts->node));
    }
    endEvent();
  }

  void writeDeviceEvent(EventIndex event) {
    beginEvent(timeline_.kind[event], timeline_.name[event], timeline_.track[event], timeline_.startNs[event],
               timeline_.durationNs[event]);
    argumentIfKnown(kIterationArgument, timeline_.iteration[event]);
    argumentIfKnown("correlation", timeline_.correlation[event]);
    if (const LaunchFacts* facts = timeline_.launchFactsOf(event)) {
      if (facts->grid[0] >= 0) argument("grid", "[{}]", fmt::join(facts->grid, ","));
      if (facts->block[0] >= 0) argument("block", "[{}]", fmt::join(facts->block, ","));
      argumentIfKnown("registers per thread", facts->registers);
      argumentIfKnown("shared memory", facts->sharedMemoryBytes);
      argumentIfKnown("bytes", facts->bytes);
    }
    if (const auto found = host_.collectives.find(event); found != host_.collectives.end()) {
      const CollectiveFacts& facts = found->second;
      const auto textIfKnown = [&](std::string_view key, Symbol text) {
        if (!text.empty()) argument(key, "{}", jsonText(timeline_.text(text)));
      };
      textIfKnown("Collective name", facts.operation);
      textIfKnown("Process Group Name", facts.group);
      textIfKnown("Process Group Ranks", facts.groupRanks);
      argumentIfKnown("Group size", facts.groupSize);
      argumentIfKnown("Seq", facts.sequence);
    }
    endEvent();
  }

  /// The records of the allocator, which are of the device of the run, or of the host without one.
  void writeMemory() {
    if (host_.memory.empty() || timeline_.size() == 0) return;
    const std::string& device =
        timeline_.device.empty() ? timeline_.tracks[timeline_.track.front()].process : timeline_.device;
    const auto number = timeline_.hasDevice ? parseWhole(device) : std::optional<int64_t>(-1);
    if (!number) return;
    for (const MemoryRecord& record : host_.memory) {
      beginLine();
      arguments_.clear();
      argument("Device Type", "{}", timeline_.hasDevice ? 1 : 0);
      argument("Device Id", "{}", *number);
      argument("Total Allocated", "{}", record.allocatedBytes);
      argumentIfKnown("Total Reserved", record.reservedBytes);
      if (record.bytes != 0) argument("Bytes", "{}", record.bytes);
      argumentIfKnown("Addr", record.address);
      print(R"({{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]",{},"ts":{})",
            placeOf(record.track == kNoTrack ? timeline_.track.front() : record.track), formatUs(record.ns));
      endEvent();
    }
  }

  /// As Kineto writes them.
  void writeLaunches() {
    if (!timeline_.hasDevice) return;
    for (EventIndex event = 0; event < timeline_.size(); ++event) {
      const HostEventId launch = host_.launch[event];
      if (launch.isNone()) continue;
      writeFlow('s', "ac2g", "ac2g", flows_, host_.track[launch], host_.startNs[launch]);
      writeFlow('f', "ac2g", "ac2g", flows_++, timeline_.track[event], timeline_.startNs[event]);
    }
  }

  void writeFlow(char phase, std::string_view category, std::string_view name, int64_t id, uint32_t track, int64_t ns,
                 const std::string& arguments = {}) {
    beginLine();
    arguments_ = arguments;
    print(R"({{"ph":"{}","cat":"{}","name":"{}","id":{},{},"ts":{}{})", phase, category, name, id, placeOf(track),
          formatUs(ns), phase == 's' ? "" : R"(,"bp":"e")");
    endEvent();
  }

  /// One flow for each path. Its points are in the middle of events, so that each is inside of the slice that it is
  /// about and of no neighbour.
  void writePaths() {
    for (const TraceAnnotations::Path& path : annotations_->paths) {
      const std::string name = fmt::format("\"iteration\":{}", jsonText(path.name));
      for (size_t at = 0; at < path.events.size(); ++at) {
        const EventIndex event = path.events[at];
        writeFlow(at == 0                        ? 's'
                  : at + 1 == path.events.size() ? 'f'
                                                 : 't',
                  "amdahlc critical path", "critical path", flows_, timeline_.track[event],
                  timeline_.startNs[event] + timeline_.durationNs[event] / 2, name);
      }
      ++flows_;
    }
  }

  /// Two tracks beside each track with events that count: of kernels and of module scopes.
  void writeAnnotations() {
    metadata("process_name", 0, R"("name":"amdahlc")");
    metadata("process_sort_index", 0, R"("sort_index":-1)");
    if (!annotations_->caveat.empty())
      metadata("process_labels", 0, fmt::format(R"("labels":{})", jsonText(annotations_->caveat)));
    size_t thread = 0;
    for (const AnnotatedTrack& annotated : annotatedTracks(timeline_, *annotations_)) {
      const Track& track = timeline_.tracks[annotated.track];
      const std::string of = track.device ? fmt::format("stream {}, device {}", track.thread, track.process)
                                          : fmt::format("thread {}, process {}", track.thread, track.process);
      nameThread(thread, "kernels: " + of);
      for (const AnnotatedSlice& slice : annotated.subjects) {
        const TraceAnnotations::Subject& subject = annotations_->subjects[slice.of];
        writeSlice(slice, thread, subject.name, subject.arguments, subject.color);
      }
      ++thread;
      if (annotated.scopes.empty()) continue;
      nameThread(thread, "modules: " + of);
      for (const AnnotatedSlice& slice : annotated.scopes)
        writeSlice(slice, thread, annotations_->scopes[slice.of].name,
                   fmt::format("\"scope\":{}", jsonText(pathOf(slice.of))), "");
      ++thread;
    }
  }

  std::string pathOf(uint32_t scope) const {
    const TraceAnnotations::Scope& own = annotations_->scopes[scope];
    const std::string around =
        annotations_->scopes[own.parent].parent == TraceAnnotations::kNone ? "" : pathOf(own.parent) + ".";
    return around + own.name;
  }

  void nameThread(size_t thread, const std::string& name) {
    metadata("thread_name", thread, fmt::format(R"("name":{})", jsonText(name)));
    metadata("thread_sort_index", thread, fmt::format(R"("sort_index":{})", thread));
  }

  void metadata(std::string_view name, size_t thread, std::string_view arguments) {
    beginLine();
    print(R"({{"ph":"M","cat":"{}","name":"{}",{},"tid":{},"ts":0,"args":{{{}}}}})", kAnnotationCategory, name,
          kProcess, thread, arguments);
  }

  void writeSlice(const AnnotatedSlice& slice, size_t thread, std::string_view name, std::string_view arguments,
                  std::string_view color) {
    beginLine();
    print(R"({{"ph":"X","cat":"{}","name":{},{},"tid":{},"ts":{},"dur":{})", kAnnotationCategory, jsonText(name),
          kProcess, thread, formatUs(slice.startNs), formatUs(slice.endNs - slice.startNs));
    if (!color.empty()) print(R"(,"cname":"{}")", color);
    arguments_ = arguments;
    argument("iteration", "{}", jsonText(timeline_.iterations[static_cast<size_t>(slice.iteration)].name));
    argument("events", "{}", slice.events);
    argument("us", "{}", formatUs(slice.workNs));
    endEvent();
  }

  /// `"pid":0,"tid":7`
  const std::string& placeOf(uint32_t track) {
    std::string& text = places_[track];
    const Track& on = timeline_.tracks[track];
    if (text.empty()) text = fmt::format("\"pid\":{},\"tid\":{}", place(on.process), place(on.thread));
    return text;
  }

  const Timeline& timeline_;
  /// Null of an excerpt.
  const TraceAnnotations* const annotations_;
  const HostFacts& host_;
  const bool hasExtents_;
  bool operatorsLaunch_ = true;
  bool isFirst_ = true;
  /// Of operators that must state it; empty if there is a device.
  IdVector<HostEventId, int32_t> iterationOf_;
  /// By symbol, as JSON; empty if not used yet.
  std::vector<std::string> names_, frames_;
  /// By track; empty if not used yet.
  std::vector<std::string> places_;
  /// The id of the next flow.
  int64_t flows_ = 0;
  std::string arguments_;
  std::string out_;
};

}  // namespace

std::string writeExcerpt(const Timeline& timeline) { return Writer(timeline, nullptr).write(); }

std::string writeAnnotated(const Timeline& timeline, const TraceAnnotations& annotations) {
  return Writer(timeline, &annotations).write();
}

}  // namespace amdahlc::trace
