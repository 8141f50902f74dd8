#include "ir/text/parser.h"
#include "replay/timeline/time_limits.h"

namespace amdahlc::ir {

void Parser::parseTrack(Timeline& timeline) {
  if (!ordinal("a track's number", "track", timeline.tracks.size())) return;
  Track track;
  track.process = string("a process");
  track.thread = string("a thread or stream");
  track.device = accept("device");
  if (accept("name")) track.name = string("a name");
  timeline.tracks.push_back(std::move(track));
}

void Parser::parseIteration(Timeline& timeline) {
  if (!ordinal("an iteration's number", "iteration", timeline.iterations.size())) return;
  Iteration iteration;
  iteration.name = string("a name");
  if (accept("recording")) iteration.recording = index("a recording's number");
  if (accept("from")) iteration.startNs = timeNs();
  if (accept("to")) iteration.endNs = timeNs();
  if (accept("spill-in")) iteration.spillInNs = accept("unknown") ? std::nullopt : std::optional(durationNs());
  if (accept("dropped")) {
    iteration.leftOut = LeftOut::WarmUp;
    for (const LeftOutInfo& row : kLeftOutReasons)
      if (!row.name.empty() && accept(row.name)) iteration.leftOut = row.reason;
  }
  timeline.iterations.push_back(std::move(iteration));
}

void Parser::parseEvent(Timeline& timeline) {
  if (!ordinal("an event's number", "event", timeline.size())) return;
  const auto kind = std::ranges::find_if(kEventKinds, [&](const EventKindInfo& row) {
    return token_.kind == Token::Kind::Name && token_.text == row.name;
  });
  if (kind == std::end(kEventKinds))
    return failExpected(
        {name(EventKind::Kernel), name(EventKind::Copy), name(EventKind::Set), name(EventKind::Operator)});
  advance();
  int64_t start = timeline.size() == 0 ? 0 : timeline.endNs(static_cast<EventIndex>(timeline.size() - 1));
  if (timeline.hasStarts) {
    expect("start");
    start = timeNs();
  }
  expect("duration");
  const SourceRange durationAt = range(token_);
  const int64_t duration = durationNs();
  // The end is the start of the next one.
  if (!panicking_ && !timeline.hasStarts && !isPossibleTime(start, duration))
    return failAt(durationAt, "an event that ends too late");
  expect("track");
  const uint32_t track = index("a track's number");
  const int32_t iteration =
      accept("iteration") ? static_cast<int32_t>(index("an iteration's number") & 0x7fffffffu) : kNoIteration;
  const int64_t correlation = accept("correlation") ? integer("a correlation") : -1;
  uint32_t facts = kNoFacts;
  if (accept("launched")) {
    LaunchFacts launch;
    const auto dimensions = [&](int64_t(&sizes)[3]) {
      const SourceRange at = range(token_);
      const std::vector<int64_t> read = integers("a size");
      if (!panicking_ && read.size() != 3)
        return failAt(at, "expected three sizes, not " + std::to_string(read.size()));
      for (size_t i = 0; i < 3 && !panicking_; ++i) sizes[i] = read[i];
    };
    if (accept("grid")) dimensions(launch.grid);
    if (accept("block")) dimensions(launch.block);
    if (accept("registers")) launch.registers = integer("a number of registers");
    if (accept("shared-memory")) launch.sharedMemoryBytes = integer("a number of bytes");
    if (accept("bytes")) launch.bytes = integer("a number of bytes");
    facts = static_cast<uint32_t>(timeline.launchFacts.size());
    timeline.launchFacts.push_back(launch);
  }
  const Symbol eventName = timeline.strings.intern(string("an event's name"));
  timeline.kind.push_back(kind->kind);
  timeline.startNs.push_back(start);
  timeline.durationNs.push_back(duration);
  timeline.name.push_back(eventName);
  timeline.track.push_back(track);
  timeline.correlation.push_back(correlation);
  timeline.iteration.push_back(iteration);
  timeline.factsIndex.push_back(facts);
}

void Parser::parseTimeline() {
  Timeline timeline;
  timeline.label = nameOrString("a timeline's label");
  block([&] {
    if (accept("file")) {
      timeline.file = string("a file name");
    } else if (accept("format")) {
      timeline.format = nameOrString("a format");
    } else if (accept("hash")) {
      timeline.contentHash = string("a hash");
    } else if (accept("recording")) {
      Recording recording;
      recording.file = string("a file name");
      expect("hash");
      recording.contentHash = string("a hash");
      expect("from");
      recording.startNs = timeNs();
      timeline.addRecording(std::move(recording));
    } else if (accept("target")) {
      parseTarget(timeline.target);
    } else if (accept("only-device")) {
      timeline.device = string("a device's id");
      expect("of");
      do timeline.devices.push_back(string("a device's id"));
      while (!panicking_ && token_.kind == Token::Kind::String);
    } else if (accept("no-device")) {
      timeline.hasDevice = false;
    } else if (at("no-starts")) {
      if (timeline.size() > 0) return fail("`no-starts` behind events");
      advance();
      timeline.hasStarts = false;
    } else if (accept("mean-of")) {
      timeline.meanOf = integer("a number of executions");
    } else if (accept("reports-means")) {
      timeline.average = Average::Mean;
    } else if (accept("latencies")) {
      timeline.latenciesNs = durationsNs();
    } else if (accept("nodes")) {
      std::string event = string("an event's name");
      timeline.nodesByName[std::move(event)] = string("names of nodes");
    } else if (accept("track")) {
      parseTrack(timeline);
    } else if (accept("iteration")) {
      parseIteration(timeline);
    } else if (accept("problem")) {
      timeline.problems.append(parseProblem());
    } else if (accept("events")) {
      block([&] { parseEvent(timeline); });
    } else {
      failExpected({"file", "format", "hash", "recording", "target", "only-device", "no-device", "no-starts", "mean-of",
                    "reports-means", "latencies", "nodes", "track", "iteration", "problem", "events"});
    }
  });
  if (!panicking_) module_.timelines.push_back(std::move(timeline));
}

}  // namespace amdahlc::ir
