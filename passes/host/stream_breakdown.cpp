#include "passes/host/stream_breakdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "support/decimal_time.h"
#include "support/statistics.h"

namespace amdahlc {
namespace {

/// Numbers come before other names, in their order.
std::tuple<bool, int64_t, std::string_view> rankOf(const std::string& name) {
  const auto number = numberOf(name);
  return {!number, number.value_or(0), name};
}

/// When the events of a stream ran, in order of start.
std::map<int32_t, std::vector<TimeInterval>> intervalsByIteration(const Timeline& timeline,
                                                                  const StreamEvents& stream) {
  std::map<int32_t, std::vector<TimeInterval>> byIteration;
  for (const EventIndex event : stream.events)
    byIteration[timeline.iteration[event]].push_back(timeline.interval(event));
  return byIteration;
}

class StreamBuilder {
 public:
  StreamBuilder(const Timeline& timeline, const OperatorNesting& nesting)
      : timeline_(timeline), host_(*timeline.host), nesting_(nesting), families_(timeline.strings) {}

  StreamWork build(const StreamEvents& stream) {
    StreamWork out;
    out.track = stream.track;
    std::array<DeviceWork, kKernelFamilyCount> byFamily;
    for (const EventIndex event : stream.events) {
      const DeviceWork work{1, timeline_.durationNs[event]};
      out.work += work;
      byFamily[static_cast<size_t>(familyOf(event))] += work;
    }
    for (uint8_t family = 0; family < kKernelFamilyCount; ++family)
      if (byFamily[family].count > 0) out.families.push_back({static_cast<KernelFamily>(family), byFamily[family]});
    longestFirst(out.families, [](const FamilyWork& row) { return row.family; });
    out.operators = operatorRows(stream);
    addTimes(stream, out);
    return out;
  }

 private:
  KernelFamily familyOf(EventIndex event) {
    if (timeline_.kind[event] == EventKind::Copy) return KernelFamily::Copy;
    if (timeline_.kind[event] == EventKind::Set) return KernelFamily::Set;
    return families_.of(timeline_.name[event], kernelFamily);
  }

  /// The names of the top-level operator around the launch of an event, and of the innermost one.
  std::pair<Symbol, Symbol> operatorsOf(EventIndex event) const {
    const auto nameOf = [&](HostEventId op) { return op.isNone() ? Symbol{} : host_.name[op]; };
    const HostEventId launch = host_.launch[event], op = host_.launchOp[event];
    if (launch.isNone()) return {};
    const HostEventId span = nesting_.dataLoading[launch];
    if (!span.isNone()) return {host_.name[span], nameOf(op)};
    return {op.isNone() ? Symbol{} : nameOf(nesting_.top[op]), nameOf(op)};
  }

  template <typename Row, typename NameOf>
  static void longestFirst(std::vector<Row>& rows, NameOf nameOf) {
    std::ranges::sort(rows, {}, [&](const Row& row) { return std::pair(-row.work.ns, nameOf(row)); });
  }
  template <typename Row>
  void longestFirst(std::vector<Row>& rows) const {
    longestFirst(rows, [&](const Row& row) { return timeline_.text(row.name); });
  }

  void longestFirst(std::vector<NamedKernelWork>& rows) const {
    longestFirst(rows, [&](const NamedKernelWork& row) { return std::tuple(timeline_.text(row.name), row.family); });
  }

  /// By the symbol of its name, and its family.
  using Kernels = std::map<std::pair<uint32_t, KernelFamily>, DeviceWork>;

  std::vector<NamedKernelWork> kernelRows(const Kernels& kernels) const {
    std::vector<NamedKernelWork> rows;
    for (const auto& [kernel, work] : kernels) rows.push_back({Symbol{kernel.first}, kernel.second, work});
    longestFirst(rows);
    return rows;
  }

  std::vector<TopOperator> operatorRows(const StreamEvents& stream) {
    // By the symbols of the top-level operator and of the one that launches.
    std::map<uint32_t, std::map<uint32_t, Kernels>> byOperator;
    for (const EventIndex event : stream.events) {
      const auto [top, launching] = operatorsOf(event);
      byOperator[top.index][launching.index][{timeline_.name[event].index, familyOf(event)}] +=
          DeviceWork{1, timeline_.durationNs[event]};
    }
    std::vector<TopOperator> tops;
    for (const auto& [topName, launchings] : byOperator) {
      TopOperator& top = tops.emplace_back(TopOperator{Symbol{topName}, {}, {}, {}});
      Kernels ofTop;
      for (const auto& [name, kernels] : launchings) {
        LaunchingOperator& launching =
            top.operators.emplace_back(LaunchingOperator{Symbol{name}, {}, kernelRows(kernels)});
        for (const auto& [kernel, work] : kernels) {
          launching.work += work;
          ofTop[kernel] += work;
        }
        top.work += launching.work;
      }
      top.kernels = kernelRows(ofTop);
      longestFirst(top.operators);
    }
    longestFirst(tops);
    return tops;
  }

  /// Busy time, and the delay of the first event.
  void addTimes(const StreamEvents& stream, StreamWork& out) const {
    std::vector<int64_t> delays;
    bool haveWindows = true;
    for (auto& [index, intervals] : intervalsByIteration(timeline_, stream)) {
      const Iteration& iteration = timeline_.iterations[static_cast<size_t>(index)];
      if (iteration.startNs)
        delays.push_back(intervals.front().startNs - *iteration.startNs);
      else
        haveWindows = false;
      out.busyNs += unionLength(std::move(intervals));
    }
    if (haveWindows) out.startDelayNs = roundedMean(delays);
  }

  const Timeline& timeline_;
  const HostFacts& host_;
  const OperatorNesting& nesting_;
  SymbolMemo<KernelFamily> families_;
};

}  // namespace

std::optional<int64_t> numberOf(const std::string& name) {
  const auto number = parseWhole(name);
  return number && fmt::to_string(*number) == name ? number : std::nullopt;
}

std::vector<StreamEvents> eventsByStream(const Timeline& timeline, const std::vector<EventIndex>& events) {
  std::vector<StreamEvents> streams(timeline.tracks.size());
  for (uint32_t track = 0; track < streams.size(); ++track) streams[track].track = track;
  for (const EventIndex event : events) streams[timeline.track[event]].events.push_back(event);
  std::erase_if(streams, [](const StreamEvents& stream) { return stream.events.empty(); });
  std::stable_sort(streams.begin(), streams.end(), [&](const StreamEvents& a, const StreamEvents& b) {
    const Track &x = timeline.tracks[a.track], &y = timeline.tracks[b.track];
    return std::tuple(rankOf(x.process), rankOf(x.thread)) < std::tuple(rankOf(y.process), rankOf(y.thread));
  });
  return streams;
}

std::vector<StreamWork> streamBreakdown(const Timeline& timeline, const OperatorNesting& nesting,
                                        const std::vector<StreamEvents>& streams) {
  StreamBuilder builder(timeline, nesting);
  std::vector<StreamWork> rows;
  for (const StreamEvents& stream : streams) rows.push_back(builder.build(stream));
  return rows;
}

std::vector<int64_t> streamConcurrency(const Timeline& timeline, const std::vector<StreamEvents>& streams,
                                       const std::vector<TimeInterval>& extents) {
  // By iteration, of all streams; those of one stream are disjoint.
  std::vector<std::vector<TimeInterval>> active(extents.size());
  for (const StreamEvents& stream : streams) {
    for (auto& [iteration, intervals] : intervalsByIteration(timeline, stream)) {
      const std::vector<TimeInterval> joined = unionOf(std::move(intervals));
      auto& all = active[static_cast<size_t>(iteration)];
      all.insert(all.end(), joined.begin(), joined.end());
    }
  }

  std::vector<int64_t> byCountNs(1, 0);
  for (size_t iteration = 0; iteration < extents.size(); ++iteration) {
    size_t count = 0;
    int64_t coveredNs = 0;
    sweep(active[iteration], {.begins = [&](uint32_t, int64_t) { ++count; },
                              .ends = [&](uint32_t, int64_t) { --count; },
                              .segment =
                                  [&](int64_t lengthNs) {
                                    if (count >= byCountNs.size()) byCountNs.resize(count + 1);
                                    byCountNs[count] += lengthNs;
                                    coveredNs += lengthNs;
                                  }});
    byCountNs[0] += extents[iteration].lengthNs() - coveredNs;
  }
  return byCountNs;
}

void addLaunchQueue(const Timeline& timeline, const StreamEvents& stream, const std::vector<TimeInterval>& extents,
                    StreamWork& work) {
  std::vector<int64_t> latencies, entered, left;
  double waitedNs = 0, wallNs = 0;
  for (const TimeInterval& extent : extents) wallNs += static_cast<double>(extent.lengthNs());
  for (const EventIndex event : stream.events) {
    const HostEventId launch = timeline.host->launchCall(event);
    if (launch.isNone()) continue;
    const int64_t startNs = timeline.startNs[event], launchedNs = timeline.host->endNs(launch);
    latencies.push_back(startNs - launchedNs);
    if (launchedNs >= startNs) continue;
    entered.push_back(launchedNs);
    left.push_back(startNs);
    // The event starts within its iteration.
    const TimeInterval& extent = extents[static_cast<size_t>(timeline.iteration[event])];
    waitedNs += static_cast<double>(startNs - std::max(launchedNs, extent.startNs));
  }
  work.launchLatency = sampleStatistics(latencies);
  if (latencies.empty()) return;
  work.queue.emplace();
  if (wallNs > 0) work.queue->mean = waitedNs / wallNs;
  std::sort(entered.begin(), entered.end());
  std::sort(left.begin(), left.end());
  size_t gone = 0;
  for (size_t i = 0; i < entered.size(); ++i) {
    while (left[gone] <= entered[i]) ++gone;
    work.queue->longest = std::max(work.queue->longest, static_cast<int64_t>(i + 1 - gone));
  }
}

}  // namespace amdahlc
