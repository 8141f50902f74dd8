// What the page needs of runs beside the report: their events, by column. docs/page.md describes the columns.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "ir/facets/bound.h"
#include "passes/schedule/schedule_analysis.h"
#include "passes/timing/forwards_analysis.h"
#include "passes/timing/phases_analysis.h"
#include "replay/timeline/breakdown.h"
#include "report/measured_runs.h"
#include "report/outputs/html_lanes.h"
#include "report/outputs/html_parts.h"
#include "report/outputs/html_replay.h"
#include "report/report.h"
#include "support/decimal_time.h"

namespace amdahlc {
namespace {

using Json = nlohmann::ordered_json;

/// Of an event that is in no selected iteration; the other classes are those of `EventState`.
constexpr uint8_t kLeftOut = ir::kEventStateCount;
constexpr int32_t kNone = -1;
/// Steps towards a page that is small enough.
constexpr size_t kTries = 8;

/// Device events are so much shorter than host events that matter as much.
constexpr int64_t kHostOverDevice = 16;

/// Which events a page has.
struct Extent {
  bool onlySelected = false;
  /// Shorter host events are left out.
  int64_t leastNs = 0;
  /// Shorter device events and pieces of idle time are left out.
  int64_t leastOnDeviceNs() const { return leastNs / kHostOverDevice; }
};

/// The columns of one run.
class ColumnsOfRun {
 public:
  ColumnsOfRun(const OutputContext& context, const RunReport& run, size_t index, const Extent& extent)
      : context_(context),
        run_(run),
        timeline_(*run.timeline),
        prefix_(std::to_string(index) + "/"),
        extent_(extent),
        lanes_(timeline_),
        stringOf_(timeline_.strings.size(), kUnknownString) {
    choose();
    page_.originNs = originNs_ = origin();
    if (timeline_.hasStarts) addHost();
    addEvents();
    addLaunches();
    if (run.cover->facets.get<ir::BoundFacet>() != nullptr) {
      addParts("event.phase", context.analyses.get<PhasesAnalysis>(run.id).ofEvents());
      addParts("event.forward", context.analyses.get<ForwardsAnalysis>(run.id).ofEvents());
    }
    addSchedule();
    addMemory();
    add("strings", page::encodedText(texts_));
    add("strings.end", ends_);
  }

  Json describe() const {
    Json iterations = Json::array();
    const std::vector<TimeInterval> extents = extentsOfIterations();
    for (size_t i = 0; i < timeline_.iterations.size(); ++i)
      iterations.push_back({{"name", timeline_.iterationName(i)},
                            {"start_ns", extents[i].startNs - originNs_},
                            {"end_ns", extents[i].endNs - originNs_},
                            {"selected", timeline_.iterations[i].selected()}});
    Json lanes = Json::array();
    for (const auto& [section, name, kind, isOnDevice] : lanes_.describe())
      lanes.push_back({{"section", section}, {"name", name}, {"kind", kind}, {"device", isOnDevice}});
    Json causes = Json::array();
    for (size_t kind = 0; kind <= static_cast<size_t>(schedule::PieceKind::Unknown); ++kind)
      causes.push_back(schedule::name(static_cast<schedule::PieceKind>(kind)));
    return {{"label", run_.label},
            {"origin_ns", std::to_string(originNs_)},
            {"lanes", std::move(lanes)},
            {"iterations", std::move(iterations)},
            {"causes", std::move(causes)},
            {"restricted", nullptr},
            {"has_selected", extent_.leastNs == 0},
            {"not_replayed", nullptr}};
  }

  std::vector<page::NamedColumn>& columns() { return columns_; }
  const PageRun& page() const { return page_; }
  size_t bytes() const { return bytes_; }
  /// The durations of the events that it has, those of device events as much longer as they count.
  std::vector<int64_t> durations() const {
    std::vector<int64_t> all;
    for (const EventIndex event : events_) all.push_back(timeline_.durationNs[event] * kHostOverDevice);
    for (const HostEventId event : hostEvents_) all.push_back(timeline_.host->durationNs[event]);
    return all;
  }

 private:
  static constexpr uint32_t kUnknownString = std::numeric_limits<uint32_t>::max();

  void add(std::string_view name, page::EncodedColumn column) {
    bytes_ += column.base64.size();
    columns_.push_back({prefix_ + std::string(name), std::move(column)});
  }
  /// The columns `TABLE.start` and `TABLE.duration`.
  void addSpans(std::string_view table, const std::vector<int64_t>& starts, const std::vector<int64_t>& durations) {
    const std::string duration = fmt::format("{}.duration", table);
    if (timeline_.hasStarts) {
      add(fmt::format("{}.start", table), page::encodedStarts(starts, durations));
      columns_.back().after = prefix_ + duration;
    }
    add(duration, page::encodedDurations(durations));
  }
  template <typename Value>
  void add(std::string_view name, const std::vector<Value>& values) {
    add(name, page::encoded(values));
  }

  /// What the events are parts of, by event of the run; nothing where it is not known.
  template <typename Part>
  void addParts(std::string_view name, std::span<const Part> parts) {
    std::vector<uint32_t> values;
    for (const EventIndex event : events_)
      if (!parts.empty()) values.push_back(static_cast<uint32_t>(parts[event]));
    if (!parts.empty()) add(name, values);
  }

  uint32_t string(Symbol symbol) {
    uint32_t& index = stringOf_[symbol.index];
    if (index != kUnknownString) return index;
    index = static_cast<uint32_t>(ends_.size());
    texts_ += timeline_.text(symbol);
    ends_.push_back(static_cast<uint32_t>(texts_.size()));
    texts_ += '\0';
    return index;
  }

  /// Chooses the events, and numbers those of the page. What launched an event of a selected iteration may be in
  /// another one.
  void choose() {
    const auto isIn = [&](int32_t iteration, int64_t ns, int64_t leastNs) {
      const bool isSelected =
          iteration != kNoIteration && timeline_.iterations[static_cast<size_t>(iteration)].selected();
      return (isSelected || !extent_.onlySelected) && ns >= leastNs;
    };
    placeOf_.assign(timeline_.size(), kNone);
    for (EventIndex event = 0; event < timeline_.size(); ++event) {
      if (!isIn(timeline_.iteration[event], timeline_.durationNs[event], extent_.leastOnDeviceNs())) continue;
      placeOf_[event] = static_cast<int32_t>(events_.size());
      events_.push_back(event);
    }
    if (!timeline_.host || !timeline_.hasStarts) return;
    const HostFacts& host = *timeline_.host;
    std::vector<bool> isLaunching(host.size(), false);
    if (extent_.leastNs == 0)
      for (const EventIndex event : events_)
        for (HostEventId one : {host.launchCall(event), host.launchOp[event]})
          for (; !one.isNone() && !isLaunching[one.index()]; one = host.parent[one]) isLaunching[one.index()] = true;
    hostPlaceOf_.assign(host.size(), kNone);
    for (const HostEventId event : host.kind.ids()) {
      if (!isLaunching[event.index()] && !isIn(host.iteration[event], host.durationNs[event], extent_.leastNs))
        continue;
      hostPlaceOf_[event.index()] = static_cast<int32_t>(hostEvents_.size());
      hostEvents_.push_back(event);
    }
  }

  int32_t placeOf(EventIndex event) const { return event == kNoEvent ? kNone : placeOf_[event]; }
  int32_t placeOf(HostEventId event) const {
    return event.isNone() || hostPlaceOf_.empty() ? kNone : hostPlaceOf_[event.index()];
  }
  /// Itself or what is around it.
  int32_t placeOfNearest(HostEventId event) const {
    while (!event.isNone() && placeOf(event) == kNone) event = timeline_.host->parent[event];
    return placeOf(event);
  }

  int64_t origin() const {
    std::optional<int64_t> first;
    const auto meet = [&](int64_t ns) { first = std::min(first.value_or(ns), ns); };
    if (timeline_.size() > 0) meet(timeline_.startNs.front());
    if (timeline_.host && timeline_.host->size() > 0) meet(timeline_.host->startNs[HostEventId(0)]);
    for (const Iteration& iteration : timeline_.iterations)
      if (iteration.startNs) meet(*iteration.startNs);
    return first.value_or(0);
  }

  /// Of each iteration the annotation, else its device events; empty at the origin where it has neither.
  std::vector<TimeInterval> extentsOfIterations() const {
    std::vector<std::optional<TimeInterval>> found(timeline_.iterations.size());
    for (EventIndex event = 0; event < timeline_.size(); ++event) {
      if (timeline_.iteration[event] == kNoIteration) continue;
      auto& extent = found[static_cast<size_t>(timeline_.iteration[event])];
      if (!extent) extent = timeline_.interval(event);
      extent->endNs = std::max(extent->endNs, timeline_.endNs(event));
    }
    std::vector<TimeInterval> extents;
    for (size_t i = 0; i < found.size(); ++i) {
      const Iteration& iteration = timeline_.iterations[i];
      extents.push_back(iteration.startNs && iteration.endNs ? TimeInterval{*iteration.startNs, *iteration.endNs}
                                                             : found[i].value_or(TimeInterval{originNs_, originNs_}));
    }
    return extents;
  }

  void addHost() {
    if (!timeline_.host) return;
    const HostFacts& host = *timeline_.host;
    std::vector<int64_t> starts, durations;
    std::vector<uint32_t> names;
    std::vector<uint8_t> kinds;
    std::vector<int32_t> parents, iterations;
    for (const HostEventId event : hostEvents_) {
      starts.push_back(host.startNs[event] - originNs_);
      durations.push_back(host.durationNs[event]);
      names.push_back(string(host.name[event]));
      kinds.push_back(static_cast<uint8_t>(host.kind[event]));
      parents.push_back(host.parent[event].isNone() ? kNone : placeOfNearest(host.parent[event]));
      iterations.push_back(host.iteration[event]);
      lanes_.add(laneKindOf(host.kind[event]), host.track[event]);
    }
    addSpans("host", starts, durations);
    page_.host = {std::move(starts), std::move(durations)};
    add("host.name", names);
    add("host.kind", kinds);
    add("host.parent", parents);
    add("host.iteration", iterations);
  }

  /// The kernel and the state of each event of the run.
  std::pair<std::vector<int32_t>, std::vector<uint8_t>> bindings() const {
    std::vector<int32_t> kernels(timeline_.size(), kNone);
    std::vector<uint8_t> classes(timeline_.size(), kLeftOut);
    const auto* facts = run_.cover->facets.get<ir::BoundFacet>();
    if (facts == nullptr) return {std::move(kernels), std::move(classes)};
    for (const ir::KernelId kernel : facts->kernels.ids())
      for (const ir::BoundEvent& bound : facts->kernels[kernel].events) {
        kernels[bound.event] = static_cast<int32_t>(kernel.index());
        classes[bound.event] = static_cast<uint8_t>(ir::EventState::Bound);
      }
    for (const ir::UnboundEvent& unbound : facts->unbound)
      classes[unbound.event] = static_cast<uint8_t>(ir::info(unbound.reason.kind).state);
    return {std::move(kernels), std::move(classes)};
  }

  void addEvents() {
    const auto [kernelOf, classOf] = bindings();
    std::vector<int64_t> starts, durations;
    std::vector<uint32_t> names;
    std::vector<int32_t> iterations, kernels, calls, operators;
    std::vector<uint8_t> classes;
    std::vector<LaneKind> kinds;
    DeviceUses uses(timeline_);
    for (const EventIndex event : events_) {
      starts.push_back(timeline_.startNs[event] - originNs_);
      durations.push_back(timeline_.durationNs[event]);
      names.push_back(string(timeline_.name[event]));
      iterations.push_back(timeline_.iteration[event]);
      kernels.push_back(kernelOf[event]);
      classes.push_back(classOf[event]);
      calls.push_back(timeline_.host ? placeOf(timeline_.host->launchCall(event)) : kNone);
      operators.push_back(timeline_.host ? placeOf(timeline_.host->launchOp[event]) : kNone);
      const DeviceUse use = uses.of(event);
      // Without a device, all events are the self time of operators, whatever they do.
      kinds.push_back(!timeline_.hasDevice || use == DeviceUse::Computation ? LaneKind::Kernels
                      : use == DeviceUse::Copy                              ? LaneKind::Copies
                                                                            : LaneKind::Collectives);
      lanes_.add(kinds.back(), timeline_.track[event]);
    }
    // All lanes are known from here on.
    lanes_.number();
    addSpans("event", starts, durations);
    page_.events = {std::move(starts), std::move(durations)};
    if (timeline_.hasStarts) {
      std::vector<uint16_t> lanes;
      for (size_t i = 0; i < events_.size(); ++i) lanes.push_back(lanes_.of(kinds[i], timeline_.track[events_[i]]));
      add("event.lane", lanes);
    }
    add("event.name", names);
    add("event.iteration", iterations);
    add("event.kernel", kernels);
    add("event.call", calls);
    add("event.operator", operators);
    add("event.class", classes);
    if (!timeline_.hasStarts || !timeline_.host) return;
    std::vector<uint16_t> lanes;
    for (const HostEventId event : hostEvents_)
      lanes.push_back(lanes_.of(laneKindOf(timeline_.host->kind[event]), timeline_.host->track[event]));
    add("host.lane", lanes);
  }

  /// With what kernels were launched, and how much copies moved; each different one once.
  void addLaunches() {
    using Values = std::array<int64_t, 9>;
    static constexpr std::string_view kNames[] = {"grid_x",  "grid_y",    "grid_z",        "block_x", "block_y",
                                                  "block_z", "registers", "shared_memory", "bytes"};
    std::map<Values, int32_t> known;
    std::vector<int32_t> launches;
    std::array<std::vector<int64_t>, std::size(kNames)> columns;
    for (const EventIndex event : events_) {
      const LaunchFacts* facts = timeline_.launchFactsOf(event);
      if (facts == nullptr) {
        launches.push_back(kNone);
        continue;
      }
      const Values values{facts->grid[0],  facts->grid[1],   facts->grid[2],           facts->block[0], facts->block[1],
                          facts->block[2], facts->registers, facts->sharedMemoryBytes, facts->bytes};
      const auto [found, isNew] = known.try_emplace(values, static_cast<int32_t>(known.size()));
      if (isNew)
        for (size_t i = 0; i < values.size(); ++i) columns[i].push_back(values[i]);
      launches.push_back(found->second);
    }
    if (known.empty()) return;
    add("event.launch", launches);
    for (size_t i = 0; i < columns.size(); ++i) add(fmt::format("launch.{}", kNames[i]), columns[i]);
  }

  /// Idle time by cause, and the path, of the selected iterations.
  void addSchedule() {
    const auto* facts = run_.facts<ScheduleAnalysis>();
    if (facts == nullptr || !facts->run) return;
    const schedule::RunModel& model = *context_.analyses.get<RunModelAnalysis>(run_.id).model();
    const schedule::HostActivity activity(model.calls);
    Pieces idle, path;
    for (size_t i = 0; i < timeline_.iterations.size(); ++i) {
      if (!timeline_.iterations[i].selected()) continue;
      const auto iteration = static_cast<int32_t>(i);
      for (const auto& piece : schedule::idlePieces(model, activity, iteration)) add(idle, piece, iteration);
      for (const auto& piece : schedule::wallPath(model, activity, iteration)) add(path, piece, iteration);
    }
    addPieces("idle", "cause", idle);
    std::vector<int32_t> events;
    for (const auto& [piece, iteration] : path) events.push_back(placeOf(piece.event));
    addPieces("path", "kind", path);
    add("path.event", events);
  }
  using Pieces = std::vector<std::pair<schedule::PlacedPiece, int32_t>>;
  void add(Pieces& pieces, const schedule::PlacedPiece& piece, int32_t iteration) const {
    if (piece.ns >= extent_.leastOnDeviceNs()) pieces.emplace_back(piece, iteration);
  }
  void addPieces(std::string_view table, std::string_view kind, const Pieces& pieces) {
    std::vector<int64_t> starts, durations;
    std::vector<uint8_t> kinds, notes;
    std::vector<int32_t> rows, iterations;
    for (const auto& [piece, iteration] : pieces) {
      iterations.push_back(iteration);
      starts.push_back(piece.startNs - originNs_);
      durations.push_back(piece.ns);
      kinds.push_back(static_cast<uint8_t>(piece.kind));
      notes.push_back(static_cast<uint8_t>(piece.note));
      rows.push_back(placeOf(piece.row));
    }
    addSpans(table, starts, durations);
    add(fmt::format("{}.{}", table, kind), kinds);
    add(fmt::format("{}.note", table), notes);
    add(fmt::format("{}.host", table), rows);
    add(fmt::format("{}.iteration", table), iterations);
  }

  /// Bytes in use after each record of the allocator. Without short events the peaks would be missing, too.
  void addMemory() {
    if (!timeline_.host || timeline_.host->memory.empty() || extent_.leastNs > 0) return;
    std::vector<int64_t> times, allocated, reserved;
    for (const MemoryRecord& record : timeline_.host->memory) {
      times.push_back(record.ns - originNs_);
      allocated.push_back(record.allocatedBytes);
      reserved.push_back(record.reservedBytes);
    }
    add("memory.time", times);
    add("memory.bytes", allocated);
    add("memory.reserved", reserved);
  }

  const OutputContext& context_;
  const RunReport& run_;
  const Timeline& timeline_;
  const std::string prefix_;
  const Extent extent_;
  int64_t originNs_ = 0;
  Lanes lanes_;
  /// By event its place in the page; -1 for none.
  std::vector<int32_t> placeOf_, hostPlaceOf_;
  std::vector<EventIndex> events_;
  std::vector<HostEventId> hostEvents_;
  std::string texts_;
  std::vector<uint32_t> ends_;
  std::vector<uint32_t> stringOf_;
  std::vector<page::NamedColumn> columns_;
  PageRun page_;
  size_t bytes_ = 0;
};

/// What the page is told of a run without columns of events.
Json describeWithoutColumns(const RunReport& run, const Json& restricted) {
  return {{"label", run.label},
          {"origin_ns", "0"},
          {"lanes", Json::array()},
          {"iterations", Json::array()},
          {"causes", Json::array()},
          {"restricted", restricted},
          {"has_selected", restricted.is_null()},
          {"not_replayed", nullptr}};
}

/// Why a run is not compared with the baseline; null if it is, or if none was given.
Json whyNotCompared(const comparison::Baseline* baseline, const RunReport& run, size_t runs) {
  if (baseline == nullptr) return nullptr;
  const auto comparison = comparedWithBaseline(*baseline, run, runs);
  return comparison ? Json() : Json(describe(*comparison.absence()));
}

/// Adds the columns of a run as far as so many bytes go, and what they refer to.
Json addRun(const OutputContext& context, const Replays& replays, size_t index, size_t mostBytes,
            std::vector<page::NamedColumn>& columns) {
  const RunReport& run = context.reported().runs[index];
  if (run.timeline == nullptr) return describeWithoutColumns(run, nullptr);
  Extent extent;
  std::string restricted;
  for (size_t tried = 0; tried < kTries; ++tried) {
    ColumnsOfRun made(context, run, index, extent);
    if (made.bytes() <= mostBytes) {
      std::ranges::move(made.columns(), std::back_inserter(columns));
      Json description = made.describe();
      if (!restricted.empty()) description["restricted"] = restricted;
      const std::string problem = replays.add(index, made.page(), mostBytes - made.bytes(), columns);
      if (!problem.empty()) description["not_replayed"] = problem;
      return description;
    }
    if (!std::exchange(extent.onlySelected, true)) {
      restricted = "the whole run would make the page slow: it has the selected iterations";
      continue;
    }
    // As many events as there is room for, and some room to spare.
    std::vector<int64_t> durations = made.durations();
    const double kept = 0.8 * static_cast<double>(mostBytes) / static_cast<double>(made.bytes());
    const auto place = durations.begin() + static_cast<ptrdiff_t>(kept * static_cast<double>(durations.size()));
    if (place == durations.end()) break;
    std::ranges::nth_element(durations, place, std::greater());
    extent.leastNs = std::max(extent.leastNs, *place) + 1;
    restricted = fmt::format(
        "the whole run would make the page slow: of the selected iterations it has what lasts {} or longer on the "
        "device, and {} or longer on the host",
        formatReadable(extent.leastOnDeviceNs()), formatReadable(extent.leastNs));
  }
  Json description = describeWithoutColumns(run, "its events would make the page slow");
  const std::string problem = replays.add(index, {}, mostBytes, columns);
  if (!problem.empty()) description["not_replayed"] = problem;
  return description;
}

}  // namespace

PageData pageDataOf(const OutputContext& context) {
  PageData data;
  Json described = Json::array();
  const Replays replays(context);
  const std::vector<RunReport>& runs = context.reported().runs;
  for (size_t run = 0; run < runs.size(); ++run) {
    described.push_back(
        addRun(context, replays, run, static_cast<size_t>(context.report.pageBytes) / runs.size(), data.columns));
    described.back()["not_compared"] = whyNotCompared(context.report.baseline, runs[run], runs.size());
  }
  data.runs = described.dump(-1, ' ', false, Json::error_handler_t::replace);
  return data;
}

}  // namespace amdahlc
