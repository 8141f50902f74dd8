#include <algorithm>
#include <set>
#include <tuple>

#include "ir/invariants.h"
#include "replay/timeline/time_limits.h"
#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc::ir {

namespace {

/// The defect of a candidate, or empty.
std::string defect(const Module& module, const Candidate& candidate) {
  if (!module.rules.rules.contains(candidate.rule)) return "no such rule";
  const Rule& rule = module.rules.rules[candidate.rule];
  if (candidate.alternative >= rule.patterns.size()) return "no such alternative of its rule";
  if (candidate.ops.empty() || !strictlyAscending(candidate.ops)) return "operators missing or not ascending";
  if (!module.ops.contains(candidate.ops.back())) return "an operator that does not exist";
  const GraphId graph = module.ops[candidate.ops.front()].graph;
  for (const OpId op : candidate.ops) {
    if (module.ops[op].state != OpState::Live) return "holds `#" + number(op) + "`, which is erased";
    if (module.ops[op].graph != graph) return "operators of several graphs";
  }
  const auto holds = [&](OpId op) { return std::ranges::binary_search(candidate.ops, op); };
  if (!holds(candidate.root) || !holds(candidate.anchor)) return "root or anchor outside its operators";
  if (candidate.owned > candidate.ops.size()) return "owns more operators than it holds";
  for (const ValueId result : candidate.results)
    if (!module.values.contains(result) || !holds(module.values[result].producer))
      return "returns a value that it does not compute";
  return {};
}

}  // namespace

void verifyCandidates(const Module& module, InvariantReporter& reporter) {
  if (module.truncatedRoots < 0) reporter.module("a negative number of truncated roots");
  IdVector<OpId, std::optional<uint32_t>> componentOf(module.ops.size());
  const auto key = [](const Candidate& candidate) {
    return std::tie(candidate.rule, candidate.alternative, candidate.root, candidate.ops);
  };
  for (const CandidateId id : module.candidates.ids()) {
    const Candidate& candidate = module.candidates[id];
    const std::string where = "candidate " + number(id) + ": ";
    if (const std::string what = defect(module, candidate); !what.empty()) {
      reporter.module(where + what);
      continue;
    }
    const CandidateId previous = id.index() == 0 ? CandidateId(kNone) : CandidateId(id.index() - 1);
    if (previous != kNone && key(candidate) < key(module.candidates[previous]))
      reporter.module(where + "not in order of rule, alternative, root, operators");
    for (const OpId op : candidate.ops) {
      if (!componentOf[op]) componentOf[op] = candidate.component;
      if (componentOf[op] != candidate.component)
        reporter.module(where + "shares `#" + number(op) + "` with a candidate of another component");
    }
  }
}

namespace {

/// Checks what the timeline says beside its events, and the order of events without starts.
void verifyMeans(const Timeline& timeline, const std::string& where, InvariantReporter& reporter) {
  if (timeline.meanOf < 1) reporter.module(where + "a mean of " + number(timeline.meanOf) + " executions");
  if (timeline.meanOf > 1 && timeline.iterations.size() != 1)
    reporter.module(where + "a mean of several executions in " + number(timeline.iterations.size()) + " iterations");
  __int128 latenciesNs = 0;
  for (const int64_t latencyNs : timeline.latenciesNs) latenciesNs += latencyNs;
  if (latenciesNs > kMaxTimeNs) reporter.module(where + "latencies beyond the limit of times");
  if (timeline.hasStarts) return;
  for (const Iteration& iteration : timeline.iterations)
    if (iteration.startNs || iteration.endNs) reporter.module(where + "an iteration with a start, but `no-starts`");
  int64_t atNs = 0;
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    if (timeline.startNs[event] != atNs) return reporter.module(where + "events without starts are not end to end");
    atNs = timeline.endNs(event);
  }
}

}  // namespace

namespace {

/// Checks that the recordings are one behind the other, and their events and iterations with them.
void verifyRecordings(const Timeline& timeline, const std::string& where, InvariantReporter& reporter) {
  for (size_t i = 1; i < timeline.recordings.size(); ++i)
    if (timeline.recordings[i].startNs <= timeline.recordings[i - 1].startNs)
      return reporter.module(where + "recording " + number(i) + " is not behind the one before it");
  uint32_t recording = 0;
  for (const Iteration& iteration : timeline.iterations) {
    if (iteration.recording < recording || iteration.recording >= timeline.recordingCount())
      return reporter.module(where + "an iteration of recording " + number(iteration.recording));
    recording = iteration.recording;
    for (const auto& ns : {iteration.startNs, iteration.endNs})
      if (ns && timeline.recordingAt(*ns) != recording)
        reporter.module(where + "an iteration outside of its recording");
  }
  if (timeline.recordings.empty()) return;
  if (timeline.recordings.size() == 1) reporter.module(where + "a list of one recording");
  if (!timeline.hasStarts) reporter.module(where + "recordings, but `no-starts`");
  std::vector<size_t> selected(timeline.recordings.size(), 0);
  for (const Iteration& iteration : timeline.iterations) selected[iteration.recording] += iteration.selected() ? 1 : 0;
  for (size_t i = 0; i < selected.size(); ++i)
    if (selected[i] == 0) reporter.module(where + "recording " + number(i) + " without an iteration that counts");
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    const uint32_t own = timeline.recordingAt(timeline.startNs[event]);
    const int32_t iteration = timeline.iteration[event];
    if (timeline.recordingAt(timeline.endNs(event)) != own ||
        (iteration != kNoIteration && timeline.iterations[static_cast<size_t>(iteration)].recording != own))
      reporter.module(where + "event " + number(event) + " of two recordings");
  }
}

}  // namespace

void verifyTimelines(const Module& module, InvariantReporter& reporter) {
  std::set<std::string_view> labels;
  for (const Timeline& timeline : module.timelines) {
    const std::string where = "timeline `" + printable(timeline.label) + "`: ";
    if (!isRunLabel(timeline.label))
      reporter.module(where + "a label is not empty and has neither a slash nor control characters");
    if (!labels.insert(timeline.label).second) reporter.module(where + "not the only one of this label");
    for (EventIndex event = 0; event < timeline.size(); ++event) {
      const std::string at = where + "event " + number(event);
      if (event != 0 && timeline.startNs[event] < timeline.startNs[event - 1])
        reporter.module(at + " starts before the one before it");
      if (timeline.track[event] >= timeline.tracks.size()) reporter.module(at + " on no track");
      const int32_t iteration = timeline.iteration[event];
      if (iteration != kNoIteration && (iteration < 0 || static_cast<size_t>(iteration) >= timeline.iterations.size()))
        reporter.module(at + " in no iteration");
      else if (iteration != kNoIteration &&
               timeline.iterations[static_cast<size_t>(iteration)].leftOut == LeftOut::WithoutDeviceWork)
        reporter.module(at + " in an iteration without device work");
    }
    if (!reporter.sound()) return;
    verifyMeans(timeline, where, reporter);
    verifyRecordings(timeline, where, reporter);
    if (const std::string defect = timeDefect(timeline); !defect.empty()) reporter.module(where + defect);
  }
}

}  // namespace amdahlc::ir
