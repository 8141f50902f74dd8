#include "passes/trace_bind/forwards.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

namespace amdahlc::binding {

namespace {

/// The outermost levels in which a model's own frame may lie.
constexpr size_t kOuterLevels = 3;
/// A frame with fewer of the calls, in percent, is a part of the model, or another one.
constexpr size_t kLeastPercent = 10;
constexpr size_t kMaxRoots = 8;

Forwards wholeIterations(const Launches& launches) {
  Forwards result;
  for (size_t i = 0; i < launches.iterations().size(); ++i) {
    const auto count = static_cast<uint32_t>(launches.calls(i).size());
    result.segments.push_back({i, 0, count, true, std::vector<bool>(count, false)});
  }
  return result;
}

/// When some call of the module runs, on any thread.
std::vector<TimeInterval> runningTimes(const HostFacts& host, Symbol module) {
  std::vector<TimeInterval> calls;
  for (const HostEventId event : host.kind.ids())
    if (host.kind[event] == EventKind::ModuleFrame && host.name[event] == module) calls.push_back(host.interval(event));
  return unionOf(std::move(calls));
}

/// Whether the call lies outside of the root, which runs at `running`, given that no frame of the root is around it.
/// Threads without frames may launch for the module while it runs.
bool isOutside(const Launches& launches, size_t iteration, const Call& call, std::span<const TimeInterval> running) {
  if (!call.frame.isNone()) return true;
  const auto launchedAt = launches.launchedAt(launches.launches(iteration)[call.first]);
  if (!launchedAt) return false;
  const auto after = std::ranges::upper_bound(running, *launchedAt, {}, &TimeInterval::startNs);
  return after == running.begin() || *launchedAt >= std::prev(after)->endNs;
}

Forwards withRoot(const Launches& launches, Symbol root) {
  Forwards result;
  result.root = root;
  const HostFacts& host = launches.host();
  const std::vector<TimeInterval> running = runningTimes(host, root);
  for (size_t i = 0; i < launches.iterations().size(); ++i) {
    const auto calls = launches.calls(i);
    Segment segment{i, 0, 0, false, {}};
    HostEventId current;
    for (uint32_t c = 0; c < calls.size(); ++c) {
      HostEventId inside;
      for (const HostEventId frame : launches.framesAround(calls[c]))
        if (host.name[frame] == root) inside = frame;
      if (!inside.isNone() && inside != current) {
        if (!current.isNone()) {
          segment.end = c;
          result.segments.push_back(std::move(segment));
          segment = {i, c, c, false, {}};
        }
        current = inside;
      }
      segment.outside.push_back(inside.isNone() && isOutside(launches, i, calls[c], running));
    }
    segment.end = static_cast<uint32_t>(calls.size());
    if (segment.end > segment.begin) result.segments.push_back(std::move(segment));
  }
  return result;
}

}  // namespace

std::vector<Forwards> forwardHypotheses(const Launches& launches) {
  std::map<uint32_t, std::pair<size_t, size_t>> counts;  // calls, order of first occurrence
  size_t total = 0;
  for (const Call& call : launches.calls()) {
    ++total;
    const std::vector<HostEventId> frames = launches.framesAround(call);
    for (const HostEventId frame : frames | std::views::reverse | std::views::take(kOuterLevels))
      ++counts.try_emplace(launches.host().name[frame].index, 0, counts.size()).first->second.first;
  }
  std::vector<std::pair<std::pair<size_t, size_t>, uint32_t>> roots;  // (calls, order), symbol
  for (const auto& [symbol, count] : counts)
    if (count.first * 100 >= kLeastPercent * total) roots.push_back({count, symbol});
  std::ranges::sort(roots, [](const auto& a, const auto& b) {
    return std::pair(b.first.first, a.first.second) < std::pair(a.first.first, b.first.second);
  });
  if (roots.size() > kMaxRoots) roots.resize(kMaxRoots);
  std::vector<Forwards> result;
  for (const auto& [count, symbol] : roots) result.push_back(withRoot(launches, Symbol{symbol}));
  if (result.empty()) result.push_back(wholeIterations(launches));
  return result;
}

}  // namespace amdahlc::binding
