#include "runs/builder/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/sort/flat_stable_sort/flat_stable_sort.hpp>
#include <numeric>
#include <set>
#include <tuple>

#include "replay/runtimes/runtime.h"
#include "replay/timeline/guessed_iterations.h"
#include "replay/timeline/time_limits.h"
#include "runs/builder/iterations.h"
#include "runs/builder/relations.h"
#include "support/statistics.h"
#include "support/utf8.h"

namespace amdahlc {
namespace {

/// Of host events with equal intervals, the kind with the lower rank encloses the other: a Python frame calls the
/// operator, which calls the runtime.
int nestingRank(EventKind kind) {
  if (kind == EventKind::Annotation) return 0;
  if (kind == EventKind::Frame || kind == EventKind::ModuleFrame) return 1;
  return kind == EventKind::Operator ? 2 : kind == EventKind::Runtime ? 3 : 4;
}

}  // namespace

std::string_view TimelineBuilder::nameWithinLimit(std::string_view name) {
  constexpr auto kBytes = static_cast<size_t>(limits::kNameBytes);
  if (name.size() <= kBytes) return name;
  ++cutNames_;
  return utf8::beginning(name, kBytes);
}

void TimelineBuilder::cutNames(std::initializer_list<std::string*> names) {
  for (std::string* const name : names) name->resize(nameWithinLimit(*name).size());
}

void TimelineBuilder::cutNames(Target& target) {
  cutNames({&target.runtime, &target.vendor, &target.arch, &target.device});
}

void TimelineBuilder::deviceTarget(const std::string& device, const Target& target) {
  Target& known = targets_[std::string(nameWithinLimit(device))] = target;
  cutNames(known);
}

void TimelineBuilder::setExcerpt(Excerpt excerpt) {
  cutNames(excerpt.target);
  cutNames({&excerpt.format, &excerpt.device});
  for (std::string& device : excerpt.devices) cutNames({&device});
  for (Iteration& iteration : excerpt.iterations) cutNames({&iteration.name});
  DataProblems problems;
  for (const DataProblem& problem : excerpt.problems)
    problems.add(nameWithinLimit(problem.name), problem.count, nameWithinLimit(problem.what));
  excerpt.problems = std::move(problems);
  table_.excerpt = std::move(excerpt);
}

TimelineBuilder::TrackKey TimelineBuilder::trackKey(std::string_view process, std::string_view thread, bool device) {
  return {std::string(nameWithinLimit(process)), {std::string(nameWithinLimit(thread)), device}};
}

uint32_t TimelineBuilder::track(std::string_view process, std::string_view thread, bool device) {
  const TrackKey key = trackKey(process, thread, device);
  const auto [found, added] = trackIndex_.emplace(key, static_cast<uint32_t>(table_.tracks.size()));
  if (added) table_.tracks.push_back({key.first, key.second.first, device, {}});
  return found->second;
}

void TimelineBuilder::nameTrack(uint32_t track, std::string_view name) {
  table_.tracks.at(track).name = nameWithinLimit(name);
}

size_t TimelineBuilder::LaunchFactsHash::operator()(const LaunchFacts& facts) const {
  uint64_t hash = 0;
  for (const int64_t part : {facts.grid[0], facts.grid[1], facts.grid[2], facts.block[0], facts.block[1],
                             facts.block[2], facts.registers, facts.sharedMemoryBytes, facts.bytes})
    hash = (hash ^ static_cast<uint64_t>(part)) * 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio
  return hash ^ hash >> 32;
}

uint32_t TimelineBuilder::facts(const LaunchFacts& launch) {
  const auto [found, added] = launchFactsIndex_.emplace(launch, static_cast<uint32_t>(table_.launchFacts.size()));
  if (added) table_.launchFacts.push_back(launch);
  return found->second;
}

uint32_t TimelineBuilder::facts(const WaitFacts& wait) {
  table_.waitFacts.push_back(wait);
  return static_cast<uint32_t>(table_.waitFacts.size() - 1);
}

uint32_t TimelineBuilder::facts(OperatorFacts op) {
  cutNames({&op.node});
  table_.operatorFacts.push_back(std::move(op));
  return static_cast<uint32_t>(table_.operatorFacts.size() - 1);
}

void TimelineBuilder::add(const RawEvent& event) {
  const bool hasFacts =
      info(event.kind).deviceWork || event.kind == EventKind::Operator || event.kind == EventKind::Synchronization;
  rows_.push_back({event.startNs, event.durationNs, event.correlation, event.recordOrder, event.sequenceNumber,
                   event.forwardThread, table_.strings.intern(nameWithinLimit(event.name)), event.track,
                   hasFacts ? event.facts : kNoFacts, event.fileEvent, event.iteration, event.kind});
}

void TimelineBuilder::collective(uint32_t fileEvent, const RawCollective& facts) {
  StringPool& strings = table_.strings;
  table_.collectives[fileEvent] = {strings.intern(nameWithinLimit(facts.operation)),
                                   strings.intern(nameWithinLimit(facts.group)),
                                   strings.intern(nameWithinLimit(facts.groupRanks)), facts.groupSize, facts.sequence};
}

void TimelineBuilder::statedLaunch(uint32_t fileEvent, std::string_view kernel, std::string_view stream,
                                   const LaunchFacts& launch) {
  table_.statedLaunches.push_back({fileEvent, facts(launch), table_.strings.intern(nameWithinLimit(kernel)),
                                   table_.strings.intern(nameWithinLimit(stream))});
}

void TimelineBuilder::recordFunction(uint32_t fileEvent, int64_t number) {
  recordFunctions_.resize(std::max<size_t>(recordFunctions_.size(), fileEvent + size_t{1}), -1);
  recordFunctions_[fileEvent] = number;
}

void TimelineBuilder::memory(const std::string& device, const MemoryRecord& record, std::string_view process,
                             std::string_view thread) {
  if (!isPossibleTime(record.ns, 0) || record.allocatedBytes < 0) return;
  const auto next = static_cast<uint32_t>(memoryThreads_.size());
  const auto place = memoryThreads_.try_emplace(trackKey(process, thread, false), next).first;
  memory_[device].push_back(record);
  memory_[device].back().track = place->second;
}

void TimelineBuilder::problem(std::string_view name, int64_t count, std::string_view what) {
  table_.problems.add(name, count, what);
}

void TimelineBuilder::mendDurations() {
  int64_t negative = 0;
  for (RawRow& row : rows_) {
    if (row.durationNs >= 0) continue;
    row.durationNs = 0;
    ++negative;
  }
  problem("negative-duration", negative, "events with a negative duration count as having none");
}

/// Corrects or drops events with times that no clock can have measured, and counts them.
void TimelineBuilder::dropUnusableRows() {
  mendDurations();
  const bool hasTimes = std::ranges::any_of(rows_, [](const RawRow& row) { return row.startNs != 0; });
  const int64_t zeroed =
      std::erase_if(rows_, [&](const RawRow& row) { return hasTimes && row.startNs == 0 && row.durationNs == 0; });
  problem("no-time", zeroed, "events at time zero without a duration were never measured and are left out");

  int64_t impossible =
      std::erase_if(rows_, [](const RawRow& row) { return !isPossibleTime(row.startNs, row.durationNs); });
  impossible += dropFarRows();
  impossible += dropRowsBeyondTheSum();
  problem("time-out-of-range", impossible, "events with an impossible time are left out");
}

/// Drops events that are further from the median start than half of the limit, so that the whole run is within the
/// limit. One clock cannot have measured both such an event and the others. If they are not a minority, nothing tells
/// which events are wrong: none is dropped, and the reader refuses a run that is too long.
int64_t TimelineBuilder::dropFarRows() {
  int64_t firstNs = kMaxTimeNs, lastNs = -kMaxTimeNs;
  for (const RawRow& row : rows_) {
    firstNs = std::min(firstNs, row.startNs);
    lastNs = std::max(lastNs, row.startNs + row.durationNs);
  }
  // All are near each other, as they always should be: no median is needed.
  if (rows_.empty() || lastNs - firstNs <= kMaxTimeNs / 2) return 0;
  std::vector<int64_t> starts;
  for (const RawRow& row : rows_) starts.push_back(row.startNs);
  const __int128 medianNs = median(starts);
  const auto isFar = [&](const RawRow& row) {
    const __int128 beginNs = row.startNs, endNs = beginNs + row.durationNs;
    return beginNs < medianNs - kMaxTimeNs / 2 || endNs > medianNs + kMaxTimeNs / 2;
  };
  const auto far = static_cast<size_t>(std::ranges::count_if(rows_, isFar));
  if (far >= rows_.size() - far) return 0;
  return static_cast<int64_t>(std::erase_if(rows_, isFar));
}

/// Drops the longest events until the sum of all durations is within the limit. Not the last of the file: one bogus
/// event must not displace the others.
int64_t TimelineBuilder::dropRowsBeyondTheSum() {
  __int128 sumNs = 0;
  for (const RawRow& row : rows_) sumNs += row.durationNs;
  if (sumNs <= kMaxTimeNs) return 0;
  std::vector<size_t> longestFirst(rows_.size());
  std::iota(longestFirst.begin(), longestFirst.end(), size_t{0});
  std::ranges::stable_sort(longestFirst, [&](size_t a, size_t b) { return rows_[a].durationNs > rows_[b].durationNs; });
  std::vector<bool> isDropped(rows_.size(), false);
  int64_t dropped = 0;
  for (const size_t row : longestFirst) {
    if (sumNs <= kMaxTimeNs) break;
    sumNs -= rows_[row].durationNs;
    isDropped[row] = true;
    ++dropped;
  }
  size_t kept = 0;
  for (size_t row = 0; row < rows_.size(); ++row)
    if (!isDropped[row]) rows_[kept++] = rows_[row];
  rows_.resize(kept);
  return dropped;
}

/// Corrects or drops events with impossible durations, and lets each event begin where the one before it ends.
void TimelineBuilder::layEndToEnd() {
  mendDurations();
  problem("time-out-of-range", dropRowsBeyondTheSum(), "events with an impossible time are left out");
  int64_t atNs = 0;
  for (RawRow& row : rows_) {
    row.startNs = atNs;
    atNs += row.durationNs;
  }
}

/// Keeps the device events of one device: figures about several would add up what runs side by side.
void TimelineBuilder::keepOneDevice(const std::string& wanted) {
  std::vector<std::optional<int64_t>> sumOfTrackNs(table_.tracks.size());
  for (const RawRow& row : rows_)
    if (info(row.kind).deviceWork) sumOfTrackNs[row.track] = sumOfTrackNs[row.track].value_or(0) + row.durationNs;
  std::map<std::pair<size_t, std::string>, int64_t> devices;  // by id, the shorter ones first: 2 before 10
  for (size_t track = 0; track < sumOfTrackNs.size(); ++track)
    if (const std::string& id = table_.tracks[track].process; sumOfTrackNs[track])
      devices[{id.size(), id}] += *sumOfTrackNs[track];
  std::vector<std::string> ids;
  for (const auto& [device, sumNs] : devices) ids.push_back(device.second);
  if (!wanted.empty() && std::ranges::find(ids, wanted) == ids.end()) {
    fault_ = ids.empty()
                 ? "the trace has no device events"
                 : fmt::format("the trace has no events of device {}; it has devices {}", wanted, fmt::join(ids, ", "));
    return;
  }
  if (devices.size() < 2) return;
  const auto busiest = std::ranges::max_element(devices, {}, [](const auto& one) { return one.second; });
  facts_.device = wanted.empty() ? busiest->first.second : wanted;
  facts_.devices = std::move(ids);
  if (const auto target = targets_.find(facts_.device); target != targets_.end()) facts_.target = target->second;
  const auto others = std::erase_if(rows_, [&](const RawRow& row) {
    return info(row.kind).onDevice && table_.tracks[row.track].process != facts_.device;
  });
  problem("other-device", static_cast<int64_t>(others), "events of other devices are left out; `-device=` chooses");
}

std::vector<uint32_t> TimelineBuilder::sortedRows() const {
  // Starts differ for most events, so they are sorted as pairs that fit a cache line four times.
  struct Start {
    int64_t ns;
    uint32_t row;
  };
  std::vector<Start> order;
  order.reserve(rows_.size());
  for (const RawRow& row : rows_) order.push_back({row.startNs, static_cast<uint32_t>(order.size())});
  const auto isBefore = [&](const Start& a, const Start& b) {
    if (a.ns != b.ns) return a.ns < b.ns;
    const RawRow& left = rows_[a.row];
    const RawRow& right = rows_[b.row];
    return std::tuple(-left.durationNs, nestingRank(left.kind), left.recordOrder, a.row) <
           std::tuple(-right.durationNs, nestingRank(right.kind), right.recordOrder, b.row);
  };
  // A file is a few sorted parts behind one another, of which this one makes use; the order is of all rows anyway.
  // The library does not take an empty range.
  if (!order.empty()) boost::sort::flat_stable_sort(order.begin(), order.end(), isBefore);
  std::vector<uint32_t> sorted(order.size());
  std::ranges::transform(order, sorted.begin(), [](const Start& start) { return start.row; });
  return sorted;
}

/// One stream cannot run the same launch twice in the same interval: the file holds the event twice (merged traces do).
/// The first is kept. Copies have equal intervals, so they are in one run of the sorted rows, but not always adjacent:
/// events of other streams may be between.
void TimelineBuilder::dropDuplicates(std::vector<uint32_t>& order) {
  const auto identity = [](const RawRow& row) {
    return std::tuple(row.kind, row.track, row.correlation, row.name.index);
  };
  std::vector<size_t> duplicates, candidates;
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const RawRow& first = rows_[order[begin]];
    const auto sameInterval = [&](const RawRow& row) {
      return row.startNs == first.startNs && row.durationNs == first.durationNs;
    };
    for (end = begin + 1; end < order.size() && sameInterval(rows_[order[end]]);) ++end;
    if (end - begin < 2 || first.durationNs <= 0) continue;
    candidates.clear();
    for (size_t at = begin; at < end; ++at)
      if (const RawRow& row = rows_[order[at]]; info(row.kind).deviceWork && row.correlation >= 0)
        candidates.push_back(at);
    const auto identityAt = [&](size_t at) { return identity(rows_[order[at]]); };
    std::ranges::stable_sort(candidates, {}, identityAt);
    for (size_t i = 1; i < candidates.size(); ++i)
      if (identityAt(candidates[i]) == identityAt(candidates[i - 1])) duplicates.push_back(candidates[i]);
  }
  std::ranges::sort(duplicates);
  size_t kept = 0;
  auto next = duplicates.begin();
  for (size_t at = 0; at < order.size(); ++at)
    if (next != duplicates.end() && *next == at)
      ++next;
    else
      order[kept++] = order[at];
  order.resize(kept);
  problem("duplicate-event", static_cast<int64_t>(duplicates.size()),
          "device events that the file holds twice count once");
}

/// There may be no memory for a second copy of the rows, so that they stay where they are.
void TimelineBuilder::fillColumns(const std::vector<uint32_t>& order) {
  EventTable& t = table_;
  const auto resize = [&](auto&... columns) { (columns.resize(order.size()), ...); };
  resize(t.kind, t.iteration, t.startNs, t.durationNs, t.name, t.track, t.correlation, t.factsIndex, t.fileEvent,
         t.sequenceNumber, t.forwardThread);
  for (Row at = 0; at < order.size(); ++at) {
    const RawRow& row = rows_[order[at]];
    t.kind[at] = row.kind;
    t.iteration[at] = row.iteration;
    t.startNs[at] = row.startNs;
    t.durationNs[at] = row.durationNs;
    t.name[at] = row.name;
    t.track[at] = row.track;
    t.correlation[at] = row.correlation;
    t.factsIndex[at] = row.facts;
    t.fileEvent[at] = row.fileEvent;
    t.sequenceNumber[at] = row.sequenceNumber;
    t.forwardThread[at] = row.forwardThread;
  }
  rows_ = decltype(rows_)();
  if (!recordFunctions_.empty()) {
    t.recordFunction.reserve(order.size());
    for (const uint32_t event : t.fileEvent)
      t.recordFunction.push_back(event < recordFunctions_.size() ? recordFunctions_[event] : -1);
    recordFunctions_ = decltype(recordFunctions_)();
  }
  for (std::vector<Row>* const relation : {&t.parent, &t.launch, &t.launchOp}) relation->assign(order.size(), kNoRow);
}

/// Keeps what the allocator of the run's device recorded.
void TimelineBuilder::keepMemoryOf(EventTable& table) const {
  std::string device = facts_.device;
  if (device.empty() && !table.work.empty()) device = table.tracks[table.track[table.work.front().row]].process;
  auto found = memory_.find(device);
  // A framework numbers the devices that it sees, so that the only one of the records and of the events may have two.
  if (found == memory_.end() && table.hasDevice && facts_.devices.empty()) {
    const auto isOfDevice = [](const auto& records) { return !records.first.empty(); };
    if (std::ranges::count_if(memory_, isOfDevice) == 1) found = std::ranges::find_if(memory_, isOfDevice);
  }
  if (found == memory_.end()) return;
  table.memory = found->second;
  // A thread without events is no track of the run.
  std::vector<uint32_t> tracks(memoryThreads_.size(), kNoTrack);
  for (const auto& [key, thread] : memoryThreads_)
    if (const auto track = trackIndex_.find(key); track != trackIndex_.end()) tracks[thread] = track->second;
  for (MemoryRecord& record : table.memory) record.track = tracks[record.track];
  std::ranges::stable_sort(table.memory, [](const MemoryRecord& a, const MemoryRecord& b) { return a.ns < b.ns; });
}

namespace {

/// Those that the excerpt states, which are of all events, and those that it does not know. What it states of its
/// iterations is of no use for others.
DataProblems withProblemsOfWhole(const Excerpt& excerpt, const DataProblems& found, bool hasOtherIterations) {
  DataProblems all;
  std::set<std::string_view> stated;
  for (const DataProblem& problem : excerpt.problems) {
    if (hasOtherIterations && isProblemOfIterations(problem.name)) continue;
    all.add(problem.name, problem.count, problem.what);
    stated.insert(problem.name);
  }
  for (const DataProblem& problem : found)
    if (!stated.contains(problem.name)) all.add(problem.name, problem.count, problem.what);
  return all;
}

}  // namespace

/// All devices of a trace have one clock, so that a window is the same time on each.
TraceSelection TimelineBuilder::withAbsoluteWindow(TraceSelection selection) const {
  if (!selection.window || rows_.empty()) return selection;
  int64_t originNs = kMaxTimeNs;
  for (const RawRow& row : rows_) originNs = std::min(originNs, row.startNs);
  for (int64_t* const ns : {&selection.window->startNs, &selection.window->endNs})
    *ns = *ns > kMaxTimeNs - originNs ? kMaxTimeNs : originNs + *ns;
  return selection;
}

Timeline TimelineBuilder::finish(const TraceSelection& requested) {
  fault_.clear();
  cutNames(facts_.target);
  problem("name-too-long", std::exchange(cutNames_, 0),
          fmt::format("names have more than {} bytes; the rest of them is left out", limits::kNameBytes));
  TraceSelection selection = requested;
  std::vector<uint32_t> order;
  if (facts_.hasStarts) {
    dropUnusableRows();
    selection = withAbsoluteWindow(requested);
    keepOneDevice(selection.device);
    order = sortedRows();
    dropDuplicates(order);
  } else {
    layEndToEnd();
    order.resize(rows_.size());
    std::iota(order.begin(), order.end(), uint32_t{0});
    if (!selection.device.empty())
      fault_ = "`-device` cannot be used: the trace does not say on which device each event ran";
  }
  fillColumns(order);
  order = decltype(order)();
  launchFactsIndex_.clear();
  EventTable table = std::exchange(table_, {});
  if (const auto& excerpt = table.excerpt; excerpt && fault_.empty()) {
    facts_.format = excerpt->format;
    facts_.target = excerpt->target;
    facts_.devices = excerpt->devices;
    facts_.device = excerpt->device;
  }
  const RuntimeAdapter& runtime = runtimeAdapter(facts_.target.runtime);
  for (Row row = 0; row < table.size(); ++row)
    if (table.isDeviceKind(row)) table.work.push_back({row, table.startNs[row], table.durationNs[row]});
  table.hasDevice = !table.work.empty();
  keepMemoryOf(table);
  memory_.clear();
  memoryThreads_.clear();
  trackIndex_.clear();

  table.clockResolutionNs = table.excerpt ? table.excerpt->clockResolutionNs : clockResolutionNs(table);
  nestHostEvents(table);
  joinLaunches(table);
  if (!table.hasDevice) addSelfTimes(table);
  if (facts_.hasStarts) countDeviceProblems(table);
  const std::string nothing =
      facts_.hasStarts ? findIterations(table, runtime, selection) : setOneIteration(table, facts_.meanOf, selection);
  if (fault_.empty()) fault_ = nothing;
  if (table.excerpt)
    table.problems = withProblemsOfWhole(*table.excerpt, table.problems, !selection.annotation.empty());
  Timeline timeline = std::exchange(facts_, {});
  timeline.average = selection.average;
  splitTable(std::move(table), timeline);
  return timeline;
}

}  // namespace amdahlc
