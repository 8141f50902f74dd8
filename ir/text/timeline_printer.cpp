#include "ir/text/printers.h"

namespace amdahlc::ir {

namespace {

void printLaunchFacts(TextWriter& out, const LaunchFacts& facts) {
  const auto dimensions = [&](const char* word, const int64_t(&sizes)[3]) {
    if (sizes[0] == -1 && sizes[1] == -1 && sizes[2] == -1) return;
    out << ' ' << word << ' ';
    out.numbers(sizes);
  };
  const auto number = [&](const char* word, int64_t value) {
    if (value != -1) out << ' ' << word << ' ' << value;
  };
  dimensions("grid", facts.grid);
  dimensions("block", facts.block);
  number("registers", facts.registers);
  number("shared-memory", facts.sharedMemoryBytes);
  number("bytes", facts.bytes);
}

void printEvent(TextWriter& out, const Timeline& timeline, EventIndex event) {
  out.line() << event << ' ' << name(timeline.kind[event]);
  if (timeline.hasStarts) out << " start " << timeline.startNs[event];
  out << " duration " << timeline.durationNs[event] << " track " << timeline.track[event];
  if (timeline.iteration[event] != kNoIteration) out << " iteration " << timeline.iteration[event];
  if (timeline.correlation[event] != -1) out << " correlation " << timeline.correlation[event];
  if (const LaunchFacts* facts = timeline.launchFactsOf(event)) {
    out << " launched";
    printLaunchFacts(out, *facts);
  }
  (out << ' ').quoted(timeline.text(timeline.name[event]));
}

}  // namespace

void printTimeline(TextWriter& out, const Timeline& timeline) {
  (out.line() << "timeline ").name(timeline.label);
  out.open();
  if (timeline.recordings.empty()) (out.line() << "file ").quoted(timeline.file);
  (out.line() << "format ").name(timeline.format);
  if (timeline.recordings.empty()) (out.line() << "hash ").quoted(timeline.contentHash);
  for (const Recording& recording : timeline.recordings) {
    (out.line() << "recording ").quoted(recording.file) << " hash ";
    out.quoted(recording.contentHash) << " from " << recording.startNs;
  }
  printTarget(out, timeline.target);
  if (!timeline.devices.empty()) {
    (out.line() << "only-device ").quoted(timeline.device) << " of";
    for (const std::string& device : timeline.devices) (out << ' ').quoted(device);
  }
  if (!timeline.hasDevice) out.line() << "no-device";
  if (!timeline.hasStarts) out.line() << "no-starts";
  if (timeline.meanOf != 1) out.line() << "mean-of " << timeline.meanOf;
  if (timeline.average == Average::Mean) out.line() << "reports-means";
  if (!timeline.latenciesNs.empty()) (out.line() << "latencies ").numbers(timeline.latenciesNs);
  for (const auto& [event, nodes] : timeline.nodesByName) {
    (out.line() << "nodes ").quoted(event) << ' ';
    out.quoted(nodes);
  }
  for (size_t i = 0; i < timeline.tracks.size(); ++i) {
    const Track& track = timeline.tracks[i];
    (out.line() << "track " << i << ' ').quoted(track.process) << ' ';
    out.quoted(track.thread);
    if (track.device) out << " device";
    if (!track.name.empty()) (out << " name ").quoted(track.name);
  }
  for (size_t i = 0; i < timeline.iterations.size(); ++i) {
    const Iteration& iteration = timeline.iterations[i];
    (out.line() << "iteration " << i << ' ').quoted(iteration.name);
    if (iteration.recording > 0) out << " recording " << iteration.recording;
    if (iteration.startNs) out << " from " << *iteration.startNs;
    if (iteration.endNs) out << " to " << *iteration.endNs;
    if (!iteration.spillInNs)
      out << " spill-in unknown";
    else if (*iteration.spillInNs != 0)
      out << " spill-in " << *iteration.spillInNs;
    for (const LeftOutInfo& row : kLeftOutReasons)
      if (iteration.leftOut == row.reason) out << " dropped" << (row.name.empty() ? "" : " ") << row.name;
  }
  printProblems(out, timeline.problems);
  out.line() << "events";
  out.open();
  for (EventIndex event = 0; event < timeline.size(); ++event) printEvent(out, timeline, event);
  out.close();
  out.close();
}

}  // namespace amdahlc::ir
