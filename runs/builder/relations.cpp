#include "runs/builder/relations.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "replay/runtimes/device_calls.h"
#include "support/limits.h"

namespace amdahlc {
namespace {

bool isNested(EventKind kind) {
  return kind == EventKind::Operator || kind == EventKind::Frame || kind == EventKind::ModuleFrame ||
         kind == EventKind::Runtime;
}

/// The events of one thread that have begun and not ended, in order of their start.
struct OpenEvents {
  std::vector<Row> stack;
  size_t sweepAt = 64;

  void removeEnded(const EventTable& table, int64_t nowNs) {
    while (!stack.empty() && table.endNs(stack.back()) <= nowNs) stack.pop_back();
    if (stack.size() < sweepAt) return;
    // An ended event may be below one that crosses it.
    std::erase_if(stack, [&](Row open) { return table.endNs(open) <= nowNs; });
    sweepAt = std::max<size_t>(64, 2 * stack.size());
  }
};

/// For each event the innermost operator around its parent chain, itself excluded; kNoRow where there is none.
std::vector<Row> enclosingOperators(const EventTable& table) {
  std::vector<Row> around(table.size(), kNoRow);
  for (Row event = 0; event < table.size(); ++event) {
    const Row parent = table.parent[event];  // its index is lower
    if (parent != kNoRow) around[event] = table.kind[parent] == EventKind::Operator ? parent : around[parent];
  }
  return around;
}

/// Cuts the time of one thread into stretches. Operators are added in order of start.
class RunningOperators {
 public:
  void begin(EventTable& table, Row row) {
    runUntil(table, table.startNs[row]);
    nowNs_ = table.startNs[row];
    open_.push_back(row);
  }
  void end(EventTable& table) { runUntil(table, INT64_MAX); }

 private:
  void runUntil(EventTable& table, int64_t untilNs) {
    while (!open_.empty() && nowNs_ < untilNs) {
      const Row innermost = open_.back();
      const int64_t operatorEndNs = table.endNs(innermost);
      const int64_t stretchEndNs = std::min(operatorEndNs, untilNs);
      if (operatorEndNs <= untilNs) open_.pop_back();
      if (stretchEndNs <= nowNs_) continue;  // ended inside an operator that crosses it
      table.work.push_back({innermost, nowNs_, stretchEndNs - nowNs_});
      nowNs_ = stretchEndNs;
    }
  }

  /// In order of start. Some of those below the last one may have ended.
  std::vector<Row> open_;
  int64_t nowNs_ = INT64_MIN;
};

}  // namespace

int64_t clockResolutionNs(const EventTable& table) {
  for (Row event = 0; event < table.size(); ++event)
    if (table.startNs[event] % 1000 != 0 || table.durationNs[event] % 1000 != 0) return 1;
  return 1000;
}

// Start and duration are each truncated to the clock's unit, so that a child may seem to end up to one unit after its
// parent.
void nestHostEvents(EventTable& table) {
  const int64_t resolutionNs = table.clockResolutionNs;
  std::vector<OpenEvents> open(table.tracks.size());
  int64_t crossing = 0, tooDeep = 0;
  for (Row event = 0; event < table.size(); ++event) {
    const EventKind kind = table.kind[event];
    if (!isNested(kind) && kind != EventKind::Annotation) continue;
    OpenEvents& onThread = open[table.track[event]];
    onThread.removeEnded(table, table.startNs[event]);
    bool crosses = false;
    for (auto at = onThread.stack.rbegin(); at != onThread.stack.rend(); ++at) {
      if (table.endNs(*at) <= table.startNs[event]) continue;
      if (table.endNs(event) <= table.endNs(*at) + resolutionNs) {
        table.parent[event] = *at;
        break;
      }
      crosses = true;
    }
    if (!isNested(kind)) continue;
    crossing += crosses;
    if (onThread.stack.size() < limits::kOpenEvents)
      onThread.stack.push_back(event);
    else
      ++tooDeep;
  }
  table.problems.add("crossing-host-events", crossing,
                     "host events begin inside an event of their thread and end after it");
  table.problems.add("nesting-too-deep", tooDeep,
                     fmt::format("host events are nested beyond {} levels and enclose nothing", limits::kOpenEvents));
}

void joinLaunches(EventTable& table) {
  // With their correlations, and those of one in order of start.
  std::vector<std::pair<int64_t, Row>> calls;
  calls.reserve(table.size());
  const auto collect = [&](EventKind kind) {
    for (Row event = 0; event < table.size(); ++event)
      if (table.kind[event] == kind && table.correlation[event] >= 0)
        calls.emplace_back(table.correlation[event], event);
  };
  collect(EventKind::Runtime);
  if (calls.empty()) collect(EventKind::Operator);
  // Most recorders number calls in order of time.
  if (!std::ranges::is_sorted(calls)) std::ranges::sort(calls);

  const std::vector<Row> around = enclosingOperators(table);
  int64_t tooLate = 0;
  for (Row event = 0; event < table.size(); ++event) {
    if (!table.isDeviceKind(event) || table.correlation[event] < 0) continue;
    const auto candidates =
        std::ranges::equal_range(calls, table.correlation[event], {}, &std::pair<int64_t, Row>::first);
    if (candidates.empty()) continue;
    const auto after = std::ranges::upper_bound(candidates, table.startNs[event], {},
                                                [&](const auto& call) { return table.startNs[call.second]; });
    tooLate += after == candidates.begin();
    table.launch[event] = (after == candidates.begin() ? candidates.front() : *(after - 1)).second;
    const Row launch = table.launch[event];
    table.launchOp[event] = table.kind[launch] == EventKind::Operator ? launch : around[launch];
  }
  table.problems.add("device-before-launch", tooLate,
                     "device events begin before the call that launched them; the clocks of host and device disagree");
}

void addSelfTimes(EventTable& table) {
  std::vector<RunningOperators> threads(table.tracks.size());
  for (Row row = 0; row < table.size(); ++row) {
    if (table.kind[row] != EventKind::Operator) continue;
    table.launch[row] = row;
    table.launchOp[row] = row;
    if (table.durationNs[row] > 0) threads[table.track[row]].begin(table, row);
  }
  for (RunningOperators& thread : threads) thread.end(table);
  std::ranges::sort(table.work, {},
                    [](const WorkEvent& one) { return std::tuple(one.startNs, -one.durationNs, one.row); });
}

void countDeviceProblems(EventTable& table) {
  if (!table.hasDevice) {
    int64_t withoutDuration = 0, launchCalls = 0;
    for (Row event = 0; event < table.size(); ++event) {
      withoutDuration += table.kind[event] == EventKind::Operator && table.durationNs[event] == 0;
      if (table.kind[event] == EventKind::Runtime) launchCalls += isKernelLaunch(table.text(table.name[event]));
    }
    table.problems.add("zero-duration", withoutDuration,
                       "operators without a duration have no events: shorter than the clock's unit, or not measured");
    table.problems.add("no-device-events", launchCalls,
                       table.work.empty()
                           ? "kernel launches have no device events in the trace"
                           : "kernel launches have no device events in the trace; host operators are reported instead");
    return;
  }

  int64_t withoutDuration = 0, withoutLaunch = 0, overlapping = 0;
  std::vector<int64_t> streamEndNs(table.tracks.size(), INT64_MIN);
  for (const WorkEvent& event : table.work) {
    withoutDuration += event.durationNs == 0;
    withoutLaunch += table.launch[event.row] == kNoRow;
    int64_t& endNs = streamEndNs[table.track[event.row]];
    overlapping += event.startNs < endNs;
    endNs = std::max(endNs, event.startNs + event.durationNs);
  }
  table.problems.add("zero-duration", withoutDuration,
                     "device events have no duration: shorter than the clock's unit, or not measured");
  table.problems.add("no-launch", withoutLaunch,
                     withoutLaunch < static_cast<int64_t>(table.work.size())
                         ? "device events have no launching call in the trace; each belongs to the iteration of the "
                           "next event of its stream that has one, else of the previous"
                         : "device events have no launching call in the trace; they are placed by their own time");
  table.problems.add("overlap-on-stream", overlapping,
                     "device events begin before an earlier one of their stream has ended");
}

}  // namespace amdahlc
