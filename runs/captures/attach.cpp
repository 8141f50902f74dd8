#include "runs/captures/attach.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "replay/runtimes/device_calls.h"
#include "runs/captures/captured_calls.h"
#include "runs/captures/fit.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/sort_unique.h"

namespace amdahlc::captures {

namespace {

/// The device events of each launch of a graph, in order.
std::map<HostEventId, std::vector<EventIndex>> launchedGraphs(const Timeline& timeline) {
  std::map<HostEventId, std::vector<EventIndex>> graphs;
  const HostFacts& host = *timeline.host;
  SymbolMemo<bool> launchesGraph(timeline.strings);
  for (EventIndex event = 0; event < timeline.size(); ++event)
    if (const HostEventId call = host.launchCall(event);
        timeline.hasDevice && !call.isNone() && launchesGraph.of(host.name[call], isGraphLaunch))
      graphs[call].push_back(event);
  return graphs;
}

/// The launches of one graph, or of graphs that cannot be told apart.
struct Graph {
  /// Of its first launch.
  std::vector<EventIndex> events;
  WorkSequence work;
  /// Device events by launch.
  std::vector<std::vector<EventIndex>> launches;
  /// Captures that fit best, with equal numbers of pairs.
  std::vector<size_t> captures;
  std::vector<Fit> fits;
};

class Attachment {
 public:
  Attachment(Timeline& run, std::span<const Timeline> traces) : run_(run), traces_(traces) {
    for (const Timeline& trace : traces)
      for (const Capture& capture : capturesOf(trace)) {
        captures_.push_back(capture);
        captured_.push_back(sequenceOf(capture));
        std::vector<uint32_t> keys = captured_.back().keys;
        sortUnique(keys);
        for (const uint32_t key : keys) capturesOfKey_[key].push_back(captured_.size() - 1);
      }
    uses_.resize(captures_.size());
    collectGraphs();
    for (Graph& graph : graphs_) findCaptures(graph);
  }

  bool report(DiagnosticEngine& diagnostics) const {
    const auto isUsedOne = [&](const Timeline& trace) { return isUsed(trace); };
    const bool anyIsUsed = std::ranges::any_of(traces_, isUsedOne);
    for (const Timeline& trace : traces_) {
      if (isUsed(trace)) continue;
      const std::string message =
          fmt::format("this is no capture of a graph that `{}` launches: {}", printable(run_.file), whyNot(trace));
      if (anyIsUsed)
        diagnostics.warning(DiagId::TraceOfAnotherRun, FileLocation{trace.file}, message);
      else
        diagnostics.error(DiagId::TraceOfAnotherRun, FileLocation{trace.file}, message);
    }
    return anyIsUsed;
  }

  void attach() {
    CapturedCalls calls(run_, captures_);
    for (const Graph& graph : graphs_) {
      const Tie tie = tieOf(graph);
      for (const auto& [first, last] : launchesByIteration(graph)) {
        const std::vector<Chosen> chosen = chosenOf(graph, tie, last - first);
        for (size_t launch = first; launch < last; ++launch)
          give(graph, graph.launches[launch],
               chosen.empty() ? nullptr : &chosen[chosen.size() == 1 ? 0 : launch - first], calls);
      }
    }
    run_.captured = std::move(calls).finish();
    std::vector<HostEventId> annotations;
    for (const Timeline& trace : traces_)
      std::ranges::copy(annotationsAroundCaptures(trace), std::back_inserter(annotations));
    for (size_t i = 0; i < captures_.size(); ++i) {
      if (uses_[i].replays == 0) continue;
      const HostEventId annotation = annotations[i];
      const Timeline& trace = *captures_[i].trace;
      uses_[i].file = trace.file;
      if (!annotation.isNone()) uses_[i].name = trace.text(trace.host->name[annotation]);
      uses_[i].launches = static_cast<int64_t>(captures_[i].launches.size());
      run_.captures.push_back(uses_[i]);
    }
    run_.problems.add("graph-without-capture", withoutCapture_,
                      "device events of launched graphs are of no capture that is given; their operators are unknown");
    run_.problems.add("graph-of-several-captures", ambiguous_,
                      "device events of launched graphs fit several captures that differ in their calls; their "
                      "operators are unknown");
    run_.problems.add("graph-event-not-captured", notCaptured_,
                      "device events of launched graphs agree with no launch of the capture in name, order and grid; "
                      "their operators are unknown");
    run_.problems.add("captured-launch-not-run", notRun_,
                      "launches of a capture have no device event that agrees where its graph is launched");
    for (const Timeline& trace : traces_) {
      if (!isUsed(trace)) continue;
      run_.file += "," + trace.file;
      run_.contentHash += "," + trace.contentHash;
    }
  }

 private:
  /// A capture of a graph, and how its launches fit.
  struct Chosen {
    size_t capture;
    const Fit* fit;
  };

  /// Whether a graph fits one of its captures.
  bool isUsed(const Timeline& trace) const {
    return std::ranges::any_of(graphs_, [&](const Graph& graph) {
      return std::ranges::any_of(graph.captures, [&](size_t one) { return captures_[one].trace == &trace; });
    });
  }

  WorkSequence sequenceOf(const Capture& capture) {
    WorkSequence work;
    const auto isStated = [](const CapturedLaunch& launch) { return !launch.stream.empty(); };
    const bool hasStreams = std::ranges::all_of(capture.launches, isStated);
    for (const CapturedLaunch& launch : capture.launches) {
      // What has no name is like nothing that ran.
      const bool isKnown = launch.kind != EventKind::Kernel || !launch.kernel.empty();
      work.keys.push_back(isKnown ? keys_.of(launch.kind, capture.trace->text(launch.kernel))
                                  : keys_.of(EventKind::Other, {}));
      if (hasStreams) work.lanes.push_back(launch.stream.index);
    }
    return work;
  }

  void collectGraphs() {
    std::map<std::vector<uint32_t>, size_t> known;
    for (auto& [call, events] : launchedGraphs(run_)) {
      WorkSequence work;
      std::vector<uint32_t> content;
      for (const EventIndex event : events) {
        work.keys.push_back(keys_.of(run_.kind[event], run_.text(run_.name[event])));
        work.lanes.push_back(run_.track[event]);
        content.insert(content.end(), {work.keys.back(), work.lanes.back(), run_.factsIndex[event]});
      }
      const auto [found, isNew] = known.try_emplace(std::move(content), graphs_.size());
      if (isNew) graphs_.push_back({events, std::move(work), {}, {}, {}});
      graphs_[found->second].launches.push_back(std::move(events));
    }
  }

  Fit fitOf(const Graph& graph, size_t capture) const {
    return fit(run_, graph.events, graph.work, captures_[capture].launches, captured_[capture]);
  }

  /// The captures that may have enough in common with a graph, ascending. All but a tenth of its events must have a
  /// partner: so has one of any that are more than a tenth, such as those of the kernels that the fewest captures have.
  std::vector<size_t> candidatesOf(const Graph& graph) const {
    // With the number of captures.
    std::vector<std::pair<size_t, uint32_t>> keys;
    for (const uint32_t key : graph.work.keys) {
      const auto found = capturesOfKey_.find(key);
      keys.emplace_back(found == capturesOfKey_.end() ? 0 : found->second.size(), key);
    }
    std::ranges::sort(keys);
    keys.resize(keys.size() / 10 + 1);
    sortUnique(keys);
    std::vector<size_t> candidates;
    for (const auto& [count, key] : keys)
      if (count > 0) std::ranges::copy(capturesOfKey_.at(key), std::back_inserter(candidates));
    sortUnique(candidates);
    return candidates;
  }

  void findCaptures(Graph& graph) const {
    size_t best = 0;
    for (const size_t i : candidatesOf(graph)) {
      const size_t events = graph.events.size(), launches = captures_[i].launches.size();
      if (!isEnough(std::min(events, launches), events, launches)) continue;
      Fit found = fitOf(graph, i);
      if (!isEnough(found.pairs.size(), events, launches) || found.pairs.size() < best) continue;
      if (found.pairs.size() > best) {
        graph.captures.clear();
        graph.fits.clear();
      }
      best = found.pairs.size();
      graph.captures.push_back(i);
      graph.fits.push_back(std::move(found));
    }
  }

  /// Launches of a graph that are next to each other in its list, by iteration.
  std::vector<std::pair<size_t, size_t>> launchesByIteration(const Graph& graph) const {
    std::vector<std::pair<size_t, size_t>> runs;
    const auto iterationOf = [&](size_t launch) { return run_.iteration[graph.launches[launch].front()]; };
    for (size_t begin = 0, end = 0; begin < graph.launches.size(); begin = end) {
      while (end < graph.launches.size() && iterationOf(end) == iterationOf(begin)) ++end;
      runs.emplace_back(begin, end);
    }
    return runs;
  }

  /// What the captures of a graph that fit equally well have in common.
  enum class Tie : uint8_t { All, OperatorsOnly, Nothing };

  Tie tieOf(const Graph& graph) const {
    if (graph.captures.size() < 2) return Tie::All;
    Tie tie = Tie::All;
    const CallTexts first = textsOf(captures_[graph.captures.front()]);
    for (const size_t capture : graph.captures) {
      const CallTexts texts = textsOf(captures_[capture]);
      if (texts.operators != first.operators) return Tie::Nothing;
      if (texts.modules != first.modules) tie = Tie::OperatorsOnly;
    }
    return tie;
  }

  /// The capture of all launches of an iteration, or one for each; none if nothing tells. Captures that differ in
  /// operators or shapes may be of other batches. Those that differ in modules only are of equal layers, which are
  /// launched in the order in which they were captured.
  static std::vector<Chosen> chosenOf(const Graph& graph, Tie tie, size_t launches) {
    if (tie == Tie::Nothing || (tie == Tie::OperatorsOnly && graph.captures.size() != launches)) return {};
    std::vector<Chosen> chosen;
    for (size_t i = 0; i < graph.captures.size(); ++i) chosen.push_back({graph.captures[i], &graph.fits[i]});
    if (tie == Tie::All && !chosen.empty()) chosen.resize(1);
    return chosen;
  }

  void give(const Graph& graph, const std::vector<EventIndex>& events, const Chosen* chosen, CapturedCalls& calls) {
    if (chosen == nullptr) {
      (graph.captures.empty() ? withoutCapture_ : ambiguous_) += static_cast<int64_t>(events.size());
      return;
    }
    const auto pairs = static_cast<int64_t>(chosen->fit->pairs.size());
    for (const auto& [event, launch] : chosen->fit->pairs) calls.give(events[event], chosen->capture, launch);
    notCaptured_ += static_cast<int64_t>(events.size()) - pairs;
    notRun_ += static_cast<int64_t>(captures_[chosen->capture].launches.size()) - pairs;
    ++uses_[chosen->capture].replays;
    uses_[chosen->capture].events += pairs;
  }

  /// Why no capture of a trace is used.
  std::string whyNot(const Timeline& trace) const {
    if (graphs_.empty()) return "it launches none, or the trace lacks their kernels";
    const auto isUnnamed = [](const CapturedLaunch& one) {
      return one.kind == EventKind::Kernel && one.kernel.empty();
    };
    size_t pairs = 0, otherGrids = 0, launches = 0, events = 0;
    for (const Graph& graph : graphs_)
      for (size_t i = 0; i < captures_.size(); ++i) {
        if (captures_[i].trace != &trace) continue;
        const Fit one = fitOf(graph, i);
        if (launches > 0 && std::pair(one.pairs.size(), one.otherGrids) <= std::pair(pairs, otherGrids)) continue;
        pairs = one.pairs.size();
        otherGrids = one.otherGrids;
        launches = captures_[i].launches.size();
        events = graph.events.size();
      }
    std::string text =
        fmt::format("at most {} of {} launches of a capture agree by name and order with the {} of a graph", pairs,
                    launches, plural(events, "device event"));
    if (const auto unnamed = std::ranges::count_if(trace.host->capturedLaunches, isUnnamed); unnamed > 0)
      text += fmt::format("; {} of {} do not name their kernel", unnamed, describeCaptures(trace));
    if (otherGrids > 0) text += fmt::format(", and {} agree but for their grids", otherGrids);
    return text;
  }

  Timeline& run_;
  const std::span<const Timeline> traces_;
  WorkKeys keys_;
  std::vector<Capture> captures_;
  std::vector<WorkSequence> captured_;
  /// By key, ascending.
  std::map<uint32_t, std::vector<size_t>> capturesOfKey_;
  std::vector<Graph> graphs_;
  std::vector<GraphCapture> uses_;
  int64_t withoutCapture_ = 0, ambiguous_ = 0, notCaptured_ = 0, notRun_ = 0;
};

}  // namespace

bool isOfCaptures(const Timeline& timeline) {
  return timeline.host && !timeline.host->capturedLaunches.empty() && launchedGraphs(timeline).empty();
}

bool isOfLittleElse(const Timeline& timeline) {
  return isOfCaptures(timeline) && (!timeline.hasDevice || timeline.host->capturedLaunches.size() > timeline.size());
}

std::string describeCaptures(const Timeline& timeline) {
  return fmt::format("{} launches in {}", timeline.host->capturedLaunches.size(),
                     plural(capturesOf(timeline).size(), "capture"));
}

bool attachCaptures(Timeline& run, std::span<const Timeline> captures, DiagnosticEngine& diagnostics) {
  Attachment attachment(run, captures);
  if (!attachment.report(diagnostics)) return false;
  attachment.attach();
  return true;
}

}  // namespace amdahlc::captures
