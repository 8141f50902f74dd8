#include "replay/schedule/constants.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "support/statistics.h"

namespace amdahlc::schedule {
namespace {

/// Fewer values say little of a class.
constexpr size_t kFewest = 3;
/// A launch that takes longer waited for something.
constexpr int64_t kLongestLatencyNs = 50'000;
/// Without any value: of a launch, of one whose event starts inside it, from its start, of the next event of a stream,
/// of the next node of a graph, of an event that waits for another stream. As measured on H100, MI300X and V100; nodes
/// of graphs on H100, where the means of three graphs are from 110 to 1060.
constexpr int64_t kAssumedLatencyNs = 5'000, kAssumedInsideLatencyNs = 8'000, kAssumedTurnAroundNs = 1'000,
                  kAssumedNodeTurnAroundNs = 300, kAssumedEventToEventNs = 2'000;
/// The range in which the 90th percentile of launch latency is looked for.
constexpr int64_t kLeastLongLatencyNs = 5'000, kAssumedLongLatencyNs = 20'000;
/// A turn-around that is longer than this, and than ten medians, is a wait.
constexpr int64_t kLongestTurnAroundNs = 20'000, kManyMedians = 10;
constexpr int64_t kLongestEventToEventNs = 20'000;

/// Of all classes.
template <typename Samples>
std::vector<int64_t> valuesOf(const Samples& samples) {
  std::vector<int64_t> all;
  for (const auto& [key, values] : samples) all.insert(all.end(), values.begin(), values.end());
  return all;
}

}  // namespace

std::string_view name(Constant::Kind kind) {
  // In the order of the enumeration.
  static constexpr std::string_view kNames[] = {"launch-latency", "latency-inside-call", "turn-around",
                                                "graph-turn-around", "event-to-event"};
  static_assert(std::size(kNames) == static_cast<size_t>(Constant::Kind::EventToEvent) + 1);
  return kNames[static_cast<size_t>(kind)];
}

int64_t Constants::Table::of(const Key& key) const {
  const auto found = byClass.find(key);
  return found == byClass.end() ? all.ns : found->second.ns;
}

Constants::Table Constants::tableOf(const Samples& samples, int64_t assumedNs,
                                    Estimate (*estimate)(const std::vector<int64_t>&)) {
  Table table;
  for (const auto& [key, values] : samples)
    if (values.size() >= kFewest) table.byClass.emplace(key, estimate(values));
  const std::vector<int64_t> all = valuesOf(samples);
  table.all = all.empty() ? Estimate{assumedNs, 0} : estimate(all);
  return table;
}

Constants::Constants(const RunCalls& calls, const Waits& waits) : calls_(calls), waits_(waits) {
  estimateLatencies();
  estimateTurnArounds();
  estimateEventToEvent();
  findOfEvents();
}

Constants::Key Constants::latencyKey(EventIndex event) const {
  const Call& call = calls_.calls()[calls_.launchOf(event)];
  return {calls_.symbol(call).index, static_cast<uint32_t>(calls_.timeline().kind[event])};
}

Constants::Key Constants::turnAroundKey(EventIndex event) const { return {calls_.timeline().name[event].index, 0}; }

void Constants::estimateLatencies() {
  const Timeline& timeline = calls_.timeline();
  Samples launches, inside;
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    if (!calls_.isFirstOfLaunch(event) || !waits_.sources(event).empty()) continue;
    const Call& call = calls_.calls()[calls_.launchOf(event)];
    const EventIndex before = calls_.before(event);
    if (before != kNoEvent && timeline.endNs(before) > call.startNs) continue;
    if (waits_.startsInsideLaunch(event)) {
      inside[latencyKey(event)].push_back(timeline.startNs[event] - call.startNs);
      continue;
    }
    const int64_t latencyNs = timeline.startNs[event] - call.endNs;
    if (latencyNs < -kLongestLatencyNs || latencyNs > kLongestLatencyNs) continue;
    launches[latencyKey(event)].push_back(latencyNs);
  }
  longLatencyNs_ = kAssumedLongLatencyNs;
  medianLatencyNs_ = kAssumedLatencyNs;
  if (std::vector<int64_t> all = valuesOf(launches); all.size() >= kFewest) {
    // The nearest rank, and so a latency of the run. `quartile` lies on the line between two samples, and would give
    // other constants, and with them other predictions.
    const auto rank = all.begin() + static_cast<ptrdiff_t>(all.size() * 9 / 10);
    std::ranges::nth_element(all, rank);
    longLatencyNs_ = std::max(kLeastLongLatencyNs, *rank);
    medianLatencyNs_ = median(all);
  }
  const auto medianOf = [](const std::vector<int64_t>& values) {
    return Estimate{median(values), static_cast<int64_t>(values.size())};
  };
  latency_ = tableOf(launches, kAssumedLatencyNs, medianOf);
  insideLatency_ = tableOf(inside, kAssumedInsideLatencyNs, medianOf);
}

void Constants::estimateTurnArounds() {
  const Timeline& timeline = calls_.timeline();
  Samples next, nodes;
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    const EventIndex before = calls_.before(event);
    if (before == kNoEvent || !waits_.sources(event).empty()) continue;
    const CallIndex launch = calls_.launchOf(event);
    if (launch != kNoCall && !calls_.isLaterOfLaunch(event) &&
        timeline.endNs(before) <= calls_.calls()[launch].endNs + longLatencyNs_)
      continue;
    (calls_.isLaterOfLaunch(event) ? nodes : next)[turnAroundKey(event)].push_back(timeline.startNs[event] -
                                                                                   timeline.endNs(before));
  }
  const std::vector<int64_t> all = valuesOf(next.empty() ? nodes : next);
  const int64_t medianNs = all.size() < kFewest ? kAssumedTurnAroundNs : median(all);
  longestDelayNs_ = std::max({kLongestLatencyNs, kManyMedians * medianLatencyNs_, kManyMedians * medianNs});
  const auto eraseLonger = [](Samples& samples, int64_t longestNs) {
    for (auto& [key, values] : samples) std::erase_if(values, [&](int64_t ns) { return ns > longestNs; });
  };
  eraseLonger(next, std::max(kLongestTurnAroundNs, kManyMedians * medianNs));
  // A launch of a graph hands its nodes over in parts. The first node of a part may be late without a wait: by 20 to
  // 28 us on an H100.
  eraseLonger(nodes, longestDelayNs_);
  const auto mean = [](const std::vector<int64_t>& values) {
    return Estimate{roundedMean(values), static_cast<int64_t>(values.size())};
  };
  turnAround_ = tableOf(next, kAssumedTurnAroundNs, mean);
  graphTurnAround_ = tableOf(nodes, kAssumedNodeTurnAroundNs, mean);
}

void Constants::estimateEventToEvent() {
  const Timeline& timeline = calls_.timeline();
  std::vector<int64_t> lags;
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    const CallIndex launch = calls_.launchOf(event);
    if (waits_.sources(event).empty() || launch == kNoCall) continue;
    int64_t endNs = timeline.endNs(waits_.sources(event).front());
    for (const EventIndex source : waits_.sources(event)) endNs = std::max(endNs, timeline.endNs(source));
    const int64_t lagNs = timeline.startNs[event] - endNs;
    if (lagNs >= 0 && lagNs < kLongestEventToEventNs && calls_.calls()[launch].endNs < endNs) lags.push_back(lagNs);
  }
  eventToEventSamples_ = static_cast<int64_t>(lags.size());
  eventToEventNs_ = lags.empty() ? kAssumedEventToEventNs : median(lags);
}

void Constants::findOfEvents() {
  const size_t size = calls_.timeline().size();
  latencyOf_.resize(size, 0);
  turnAroundOf_.resize(size, 0);
  for (EventIndex event = 0; event < size; ++event) {
    if (calls_.isFirstOfLaunch(event))
      latencyOf_[event] = (waits_.startsInsideLaunch(event) ? insideLatency_ : latency_).of(latencyKey(event));
    turnAroundOf_[event] = (calls_.isLaterOfLaunch(event) ? graphTurnAround_ : turnAround_).of(turnAroundKey(event));
  }
}

int64_t Constants::turnAroundInGraphNs(EventIndex event) const {
  const Key key = turnAroundKey(event);
  // A graph does not make a gap longer than it is without one.
  return graphTurnAround_.all.samples == 0 ? std::min(turnAround_.of(key), kAssumedNodeTurnAroundNs)
                                           : graphTurnAround_.of(key);
}

std::vector<Constant> Constants::all() const {
  std::vector<Constant> rows;
  const Timeline& timeline = calls_.timeline();
  const std::pair<Constant::Kind, const Table*> tables[] = {{Constant::Kind::LaunchLatency, &latency_},
                                                            {Constant::Kind::InsideLatency, &insideLatency_},
                                                            {Constant::Kind::TurnAround, &turnAround_},
                                                            {Constant::Kind::GraphTurnAround, &graphTurnAround_}};
  for (const auto& [kind, table] : tables) {
    const size_t first = rows.size();
    for (const auto& [key, estimate] : table->byClass)
      rows.push_back({kind, std::string(timeline.text(Symbol{key.first})), estimate.ns, estimate.samples});
    std::stable_sort(rows.begin() + static_cast<ptrdiff_t>(first), rows.end(),
                     [](const Constant& a, const Constant& b) {
                       return std::tuple(a.name, a.ns, a.samples) < std::tuple(b.name, b.ns, b.samples);
                     });
    rows.push_back({kind, "", table->all.ns, table->all.samples});
  }
  rows.push_back({Constant::Kind::EventToEvent, "", eventToEventNs_, eventToEventSamples_});
  return rows;
}

}  // namespace amdahlc::schedule
