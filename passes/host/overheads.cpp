#include "passes/host/overheads.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "replay/runtimes/device_calls.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

/// A longer gap between operators is no overhead: the host does something else.
constexpr int64_t kLongestGapNs = 200'000;

/// The recorded host events of each thread: operators, calls, annotations and frames, which a profiler writes down
/// while the host runs.
class ThreadEvents {
 public:
  /// O(events).
  explicit ThreadEvents(const Timeline& timeline) : timeline_(timeline), startNs_(timeline.tracks.size()) {
    const HostFacts& host = *timeline.host;
    for (const HostEventId event : host.kind.ids()) {
      std::vector<int64_t>& starts = startNs_[host.track[event]];
      position_.push_back(static_cast<uint32_t>(starts.size()));
      if (isRecorded(host.kind[event])) starts.push_back(host.startNs[event]);
    }
  }

  /// How many events of the thread of both come between them in order of start, and begin at `fromNs` or later.
  /// O(log events).
  int64_t between(HostEventId after, int64_t fromNs, HostEventId before) const {
    return countUntil(after, fromNs, int64_t{position_[before]});
  }
  /// How many events of the thread come after `after` and begin in [fromNs, toNs). O(log events).
  int64_t behind(HostEventId after, int64_t fromNs, int64_t toNs) const {
    return countUntil(after, fromNs, firstFrom(timeline_.host->track[after], toNs));
  }

 private:
  static bool isRecorded(EventKind kind) {
    return kind == EventKind::Operator || kind == EventKind::Runtime || kind == EventKind::Annotation ||
           kind == EventKind::Frame || kind == EventKind::ModuleFrame;
  }
  /// The first position of a thread at which an event begins at `ns` or later.
  int64_t firstFrom(uint32_t track, int64_t ns) const {
    const std::vector<int64_t>& starts = startNs_[track];
    return std::lower_bound(starts.begin(), starts.end(), ns) - starts.begin();
  }
  /// Of the thread of `after`, those after it that begin at `fromNs` or later, up to a position.
  int64_t countUntil(HostEventId after, int64_t fromNs, int64_t position) const {
    const int64_t first =
        std::max<int64_t>(int64_t{position_[after]} + 1, firstFrom(timeline_.host->track[after], fromNs));
    return std::max<int64_t>(0, position - first);
  }

  const Timeline& timeline_;
  /// By track, in order of start.
  std::vector<std::vector<int64_t>> startNs_;
  IdVector<HostEventId, uint32_t> position_;
};

/// Calls that wait for the device, of each thread.
class ThreadWaits {
 public:
  /// O(events).
  explicit ThreadWaits(const Timeline& timeline) : waits_(timeline.tracks.size()) {
    const HostFacts& host = *timeline.host;
    std::unordered_map<uint32_t, bool> isWait;  // by symbol
    for (const HostEventId event : host.kind.ids()) {
      if (host.kind[event] != EventKind::Runtime) continue;
      const Symbol name = host.name[event];
      const auto [known, isNew] = isWait.try_emplace(name.index, false);
      if (isNew) known->second = isSynchronization(deviceCall(timeline.text(name)));
      if (!known->second) continue;
      // A call of the runtime and the one of the driver inside of it are one wait.
      std::vector<Wait>& ofThread = waits_[host.track[event]];
      if (!ofThread.empty() && host.startNs[event] < ofThread.back().endNs) continue;
      ofThread.push_back({host.startNs[event], host.endNs(event),
                          (ofThread.empty() ? 0 : ofThread.back().untilNs) + host.durationNs[event]});
    }
  }

  /// How long calls of a thread that begin in [fromNs, toNs) wait. O(log waits).
  int64_t between(uint32_t track, int64_t fromNs, int64_t toNs) const {
    const auto until = [&](int64_t ns) {
      const auto next = std::ranges::lower_bound(waits_[track], ns, {}, &Wait::startNs);
      return next == waits_[track].begin() ? 0 : std::prev(next)->untilNs;
    };
    return until(toNs) - until(fromNs);
  }

 private:
  struct Wait {
    int64_t startNs, endNs;
    /// The sum of the durations up to this one.
    int64_t untilNs;
  };
  /// By track, in order of start.
  std::vector<std::vector<Wait>> waits_;
};

struct Samples {
  int64_t operators = 0;
  std::vector<int64_t> t2, t3, t5;
};

/// By symbol, in order of the names.
template <typename Value>
std::vector<std::pair<Symbol, Value>> byName(const Timeline& timeline, std::unordered_map<uint32_t, Value> values) {
  std::vector<std::pair<Symbol, Value>> rows;
  rows.reserve(values.size());
  for (auto& [index, value] : values) rows.emplace_back(Symbol{index}, std::move(value));
  std::ranges::sort(rows, {}, [&](const auto& row) { return timeline.text(row.first); });
  return rows;
}

class OverheadCollector {
 public:
  OverheadCollector(const Timeline& timeline, const OperatorNesting& nesting, const HostIterations& iterations,
                    const OverheadOptions& options)
      : timeline_(timeline), host_(*timeline.host), nesting_(nesting), iterations_(iterations), options_(options) {
    if (options.recordingNs > 0) threads_.emplace(timeline);
    if (!options.launchesByName) waits_.emplace(timeline);
  }

  HostOverheads collect() {
    findLaunches();
    size_t next = 0;  // of launches_, which are in the order of their operators
    std::vector<HostEventId> previous(timeline_.tracks.size());
    for (const HostEventId event : host_.kind.ids()) {
      const HostEventId span = nesting_.dataLoading[event];
      if (span == event) previous[host_.track[event]] = HostEventId();  // fetching input is no gap
      if (!span.isNone()) {
        leaveOut(event, span);
        continue;
      }
      if (isLaunch_[event] && iterations_.isSelected(event)) addCall(event);
      if (!nesting_.isTop(event)) continue;
      while (next < launches_.size() && launches_[next].first < event) ++next;
      const size_t first = next;
      while (next < launches_.size() && launches_[next].first == event) ++next;
      HostEventId& before = previous[host_.track[event]];
      if (!before.isNone()) addGap(before, event);
      before = event;
      if (iterations_.isSelected(event)) addOperator(event, first, next);
    }
    return statistics();
  }

 private:
  void findLaunches() {
    isLaunch_ = IdVector<HostEventId, bool>(host_.size(), false);
    if (options_.launchesByName) {
      std::vector<Symbol> names;
      for (const std::string_view name : launchesOfMlPerfModel())
        if (const auto symbol = timeline_.strings.lookUp(name)) names.push_back(*symbol);
      for (const HostEventId event : host_.kind.ids())
        isLaunch_[event] = host_.kind[event] == EventKind::Runtime &&
                           std::find(names.begin(), names.end(), host_.name[event]) != names.end();
    } else {
      for (EventIndex event = 0; event < timeline_.size(); ++event)
        if (const HostEventId launch = host_.launchCall(event); !launch.isNone()) isLaunch_[launch] = true;
    }
    for (const HostEventId event : host_.kind.ids())
      if (isLaunch_[event] && !nesting_.top[event].isNone() && nesting_.dataLoading[event].isNone())
        launches_.emplace_back(nesting_.top[event], event);
    // Those of one thread are.
    const auto isBefore = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (!std::ranges::is_sorted(launches_, isBefore)) std::ranges::stable_sort(launches_, isBefore);
  }

  /// What recording `own` events cost, and those that `ThreadEvents::between` counts.
  int64_t costBetween(HostEventId after, int64_t fromNs, HostEventId before, int64_t own = 0) const {
    return threads_ ? options_.recordingNs * (own + threads_->between(after, fromNs, before)) : 0;
  }
  int64_t costBehind(HostEventId after, int64_t fromNs, int64_t toNs, int64_t own = 0) const {
    return threads_ ? options_.recordingNs * (own + threads_->behind(after, fromNs, toNs)) : 0;
  }
  /// The time from `fromNs` to `toNs` on the thread of an event in which no call waits for the device.
  int64_t notWaiting(HostEventId event, int64_t fromNs, int64_t toNs) const {
    return toNs - fromNs - (waits_ ? waits_->between(host_.track[event], fromNs, toNs) : 0);
  }
  int64_t startNs(HostEventId event) const { return host_.startNs[event]; }
  int64_t endNs(HostEventId event) const { return host_.endNs(event); }

  /// An operator's own recording falls into the gap before it.
  void addGap(HostEventId before, HostEventId after) {
    const int64_t gapNs = startNs(after) - endNs(before);
    if (gapNs <= 0 || gapNs >= kLongestGapNs) return;
    if (!iterations_.isSelected(after) || iterations_.of(before) != iterations_.of(after)) return;
    gapsNs_.push_back(notWaiting(after, endNs(before), startNs(after)) - costBetween(before, endNs(before), after, 1));
  }

  void addCall(HostEventId call) {
    calls_[host_.name[call].index].push_back(host_.durationNs[call] - costBehind(call, startNs(call), endNs(call), 1));
  }

  /// The launches are those of launches_ at [first, last).
  void addOperator(HostEventId op, size_t first, size_t last) {
    Samples& samples = operators_[host_.name[op].index];
    ++samples.operators;
    if (first == last) {
      samples.t5.push_back(notWaiting(op, startNs(op), endNs(op)) - costBehind(op, startNs(op), endNs(op)));
      return;
    }
    const HostEventId firstLaunch = launches_[first].second, lastLaunch = launches_[last - 1].second;
    samples.t2.push_back(notWaiting(op, startNs(op), startNs(firstLaunch)) - costBetween(op, startNs(op), firstLaunch));
    samples.t3.push_back(notWaiting(op, endNs(lastLaunch), endNs(op)) -
                         costBehind(lastLaunch, endNs(lastLaunch), endNs(op)));
    if (last - first == 1) samples.t5.push_back(0);
    for (size_t i = first + 1; i < last; ++i) {
      const HostEventId from = launches_[i - 1].second, to = launches_[i].second;
      samples.t5.push_back(notWaiting(op, endNs(from), startNs(to)) - costBetween(from, endNs(from), to));
    }
  }

  void leaveOut(HostEventId event, HostEventId span) {
    if (!iterations_.isSelected(span)) return;
    LeftOutSpans& spans = spans_[host_.name[span].index];
    if (event == span) spans.durationsNs.push_back(host_.durationNs[span]);
    if (nesting_.isTop(event) && event != span) ++spans.operators;
  }

  HostOverheads statistics() {
    HostOverheads out;
    out.t1 = sampleStatistics(gapsNs_);
    for (const auto& [name, samples] : byName(timeline_, std::move(calls_)))
      out.launches.push_back({name, sampleStatistics(samples)});
    for (const auto& [name, samples] : byName(timeline_, std::move(operators_)))
      out.operators.push_back({name, samples.operators, sampleStatistics(samples.t2), sampleStatistics(samples.t3),
                               sampleStatistics(samples.t5)});
    for (const auto& [name, spans] : byName(timeline_, std::move(spans_)))
      out.dataLoading.push_back(
          {name, static_cast<int64_t>(spans.durationsNs.size()), saturatedSum(spans.durationsNs), spans.operators});
    return out;
  }

  struct LeftOutSpans {
    std::vector<int64_t> durationsNs;
    int64_t operators = 0;
  };

  const Timeline& timeline_;
  const HostFacts& host_;
  const OperatorNesting& nesting_;
  const HostIterations& iterations_;
  const OverheadOptions& options_;
  /// Absent where recording costs nothing.
  std::optional<ThreadEvents> threads_;
  /// Absent where such calls are launches.
  std::optional<ThreadWaits> waits_;
  IdVector<HostEventId, bool> isLaunch_;
  /// Top-level operators and their launches: by operator, then by start.
  std::vector<std::pair<HostEventId, HostEventId>> launches_;
  std::vector<int64_t> gapsNs_;
  // By symbol.
  std::unordered_map<uint32_t, std::vector<int64_t>> calls_;
  std::unordered_map<uint32_t, Samples> operators_;
  std::unordered_map<uint32_t, LeftOutSpans> spans_;
};

}  // namespace

Known<HostOverheads> hostOverheads(const Timeline& timeline, const OperatorNesting& nesting,
                                   const HostIterations& iterations, const OverheadOptions& options) {
  const auto& kinds = timeline.host->kind;
  for (const EventKind needed : {EventKind::Operator, EventKind::Runtime})
    if (std::find(kinds.begin(), kinds.end(), needed) == kinds.end())
      return Absence{Absence::Reason::NoOperatorsOrCalls};
  return OverheadCollector(timeline, nesting, iterations, options).collect();
}

std::vector<OverheadRow> overheadRows(const HostOverheads& overheads) {
  std::vector<OverheadRow> rows;
  const auto add = [&](std::string_view overhead, Symbol of, const SampleStatistics& samples) {
    if (samples.count > 0) rows.push_back({overhead, of, &samples});
  };
  add("T1", {}, overheads.t1);
  for (const LaunchOverheads& call : overheads.launches) add("T4", call.name, call.t4);
  for (const OperatorOverheads& op : overheads.operators) {
    add("T2", op.name, op.t2);
    add("T3", op.name, op.t3);
    add("T5", op.name, op.t5);
  }
  std::ranges::stable_sort(rows, std::greater(), [](const OverheadRow& row) { return row.samples->totalNs; });
  return rows;
}

std::string nameOf(const OverheadRow& row, const Timeline& timeline) {
  const std::string name = printable(timeline.text(row.name));
  return fmt::format("{}{}{}", row.overhead, name.empty() ? "" : " ", name);
}

}  // namespace amdahlc
