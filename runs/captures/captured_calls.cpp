#include "runs/captures/captured_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "replay/runtimes/runtime.h"

namespace amdahlc::captures {

namespace {

/// Whether a program has the call: what is around it beside is of the profiler's.
bool isKept(EventKind kind) { return kind == EventKind::Operator || kind == EventKind::ModuleFrame; }

bool contains(const HostFacts& host, HostEventId outer, HostEventId inner) {
  return host.track[outer] == host.track[inner] && host.startNs[outer] <= host.startNs[inner] &&
         host.endNs(inner) <= host.endNs(outer);
}

}  // namespace

std::vector<Capture> capturesOf(const Timeline& trace) {
  std::vector<Capture> captures;
  const std::vector<CapturedLaunch>& all = trace.host->capturedLaunches;
  for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end].begin == all[begin].begin) ++end;
    captures.push_back({&trace, std::span(all).subspan(begin, end - begin)});
  }
  return captures;
}

std::vector<HostEventId> annotationsAroundCaptures(const Timeline& trace) {
  const std::vector<Capture> captures = capturesOf(trace);
  std::vector<HostEventId> around(captures.size());
  const HostFacts& host = *trace.host;
  const RuntimeAdapter& runtime = runtimeAdapter(trace.target.runtime);
  std::vector<std::pair<HostEventId, size_t>> begins;
  for (size_t i = 0; i < captures.size(); ++i) begins.emplace_back(captures[i].launches.front().begin, i);
  std::ranges::sort(begins);
  // By thread, those that have begun. One that ended before the last one begins is not the innermost of any capture.
  std::map<uint32_t, std::vector<HostEventId>> open;
  auto next = begins.begin();
  for (const HostEventId event : host.kind.ids()) {
    std::vector<HostEventId>* onThread = nullptr;
    const auto closeEnded = [&] {
      onThread = &open[host.track[event]];
      while (!onThread->empty() && host.endNs(onThread->back()) < host.startNs[event]) onThread->pop_back();
    };
    for (; next != begins.end() && next->first == event; ++next) {
      closeEnded();
      const auto innermost = std::find_if(onThread->rbegin(), onThread->rend(),
                                          [&](HostEventId one) { return contains(host, one, event); });
      if (innermost != onThread->rend()) around[next->second] = *innermost;
    }
    if (next == begins.end()) break;
    if (host.kind[event] != EventKind::Annotation || runtime.isStep(trace.text(host.name[event]))) continue;
    closeEnded();
    onThread->push_back(event);
  }
  return around;
}

CallTexts textsOf(const Capture& capture) {
  const HostFacts& host = *capture.trace->host;
  CallTexts texts;
  for (const CapturedLaunch& launch : capture.launches) {
    std::string& operators = texts.operators.emplace_back();
    std::string& modules = texts.modules.emplace_back();
    for (HostEventId at = host.parent[launch.call]; !at.isNone(); at = host.parent[at]) {
      if (host.kind[at] == EventKind::ModuleFrame) modules.append(capture.trace->text(host.name[at])).append("\n");
      if (host.kind[at] != EventKind::Operator) continue;
      operators += fmt::format("{}\n", capture.trace->text(host.name[at]));
      if (const OperatorFacts* facts = host.operatorFactsOf(at))
        operators += fmt::format("{} {} {}\n", facts->inputDims, facts->inputTypes, facts->values);
    }
  }
  return texts;
}

CapturedCalls::CapturedCalls(Timeline& run, std::span<const Capture> captures) : run_(run), captures_(captures) {
  kept_.launch.resize(run.size());
  kept_.launchOp.resize(run.size());
}

HostFacts CapturedCalls::finish() && {
  std::ranges::stable_sort(given_, {}, &Given::capture);
  for (size_t begin = 0, end = 0; begin < given_.size(); begin = end) {
    const Timeline* trace = captures_[given_[begin].capture].trace;
    while (end < given_.size() && captures_[given_[end].capture].trace == trace) ++end;
    keep(*trace, std::span(given_).subspan(begin, end - begin));
  }
  return std::move(kept_);
}

uint32_t CapturedCalls::trackOf(const Timeline& trace, uint32_t track) {
  const auto [found, isNew] = tracks_.try_emplace(track, static_cast<uint32_t>(run_.tracks.size()));
  if (isNew) run_.tracks.push_back(trace.tracks[track]);
  return found->second;
}

uint32_t CapturedCalls::factsOf(const HostFacts& from, HostEventId event) {
  const OperatorFacts* facts = from.operatorFactsOf(event);
  if (facts == nullptr) return kNoFacts;
  const auto [found, isNew] =
      facts_.try_emplace(from.factsIndex[event], static_cast<uint32_t>(kept_.operatorFacts.size()));
  if (isNew) kept_.operatorFacts.push_back(*facts);
  return found->second;
}

void CapturedCalls::keep(const Timeline& trace, std::span<const Given> given) {
  const HostFacts& host = *trace.host;
  tracks_.clear();
  facts_.clear();
  std::vector<HostEventId> events;
  IdVector<HostEventId, bool> isChosen(host.size(), false);
  const auto choose = [&](HostEventId event) {
    if (isChosen[event]) return false;
    isChosen[event] = true;
    events.push_back(event);
    return true;
  };
  // By thread, when captures begin and end there.
  std::map<uint32_t, std::vector<TimeInterval>> extents;
  std::optional<size_t> last;
  for (const Given& one : given) {
    for (HostEventId at = launchOf(one).call; !at.isNone(); at = host.parent[at])
      if ((host.kind[at] == EventKind::Runtime || isKept(host.kind[at])) && !choose(at)) break;
    if (std::exchange(last, one.capture) == one.capture) continue;
    for (const CapturedLaunch& launch : captures_[one.capture].launches) {
      std::vector<TimeInterval>& onThread = extents[host.track[launch.call]];
      if (onThread.empty() || onThread.back().startNs != host.startNs[launch.begin])
        onThread.push_back({host.startNs[launch.begin], host.startNs[launch.begin]});
      onThread.back().endNs = std::max(onThread.back().endNs, host.endNs(launch.call));
    }
  }
  // Annotations are nobody's parents. One that begins before the capture is around all of it, and tells nothing apart.
  for (const HostEventId event : host.kind.ids()) {
    if (host.kind[event] != EventKind::Annotation) continue;
    const auto onThread = extents.find(host.track[event]);
    if (onThread == extents.end()) continue;
    const auto isIn = [&](const TimeInterval& extent) {
      return extent.startNs <= host.startNs[event] && host.startNs[event] < extent.endNs;
    };
    if (std::ranges::any_of(onThread->second, isIn)) choose(event);
  }
  std::ranges::sort(events);

  IdVector<HostEventId, HostEventId> keptAs(host.size());
  for (const HostEventId event : events) {
    keptAs[event] = kept_.kind.nextId();
    HostEventId parent = host.parent[event];
    while (!parent.isNone() && keptAs[parent].isNone()) parent = host.parent[parent];
    kept_.kind.push_back(host.kind[event]);
    kept_.startNs.push_back(host.startNs[event]);
    kept_.durationNs.push_back(host.durationNs[event]);
    kept_.name.push_back(run_.strings.intern(trace.text(host.name[event])));
    kept_.track.push_back(trackOf(trace, host.track[event]));
    kept_.correlation.push_back(host.correlation[event]);
    kept_.parent.push_back(parent.isNone() ? parent : keptAs[parent]);
    kept_.iteration.push_back(kNoIteration);
    kept_.factsIndex.push_back(factsOf(host, event));
    kept_.sequenceNumber.push_back(host.sequenceNumber[event]);
    kept_.forwardThread.push_back(host.forwardThread[event]);
  }
  for (const Given& one : given) {
    const HostEventId call = keptAs[launchOf(one).call];
    kept_.launch[one.event] = call;
    HostEventId op = kept_.parent[call];
    while (!op.isNone() && kept_.kind[op] != EventKind::Operator) op = kept_.parent[op];
    kept_.launchOp[one.event] = op;
  }
}

}  // namespace amdahlc::captures
