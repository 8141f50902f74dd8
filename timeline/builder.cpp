#include "timeline/builder.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "runtimes/runtime.h"
#include "timeline/iterations.h"
#include "timeline/relations.h"
#include "timeline/self_time.h"
#include "timeline/time_limits.h"

namespace amdahlc {
namespace {

/// Of host events with equal intervals, the kind with the lower rank encloses the other: a Python frame calls the
/// operator, which calls the runtime.
int nestingRank(EventKind kind) {
  switch (kind) {
    case EventKind::Annotation:
      return 0;
    case EventKind::Frame:
    case EventKind::ModuleFrame:
      return 1;
    case EventKind::Operator:
      return 2;
    case EventKind::Runtime:
      return 3;
    default:
      return 4;
  }
}

}  // namespace

uint32_t TimelineBuilder::track(std::string_view process, std::string_view thread, bool device) {
  const auto key = std::pair(std::string(process), std::pair(std::string(thread), device));
  const auto [found, added] = trackIndex_.emplace(key, static_cast<uint32_t>(table_.tracks.size()));
  if (added) table_.tracks.push_back({key.first, key.second.first, device, {}});
  return found->second;
}

void TimelineBuilder::nameTrack(uint32_t track, std::string name) { table_.tracks.at(track).name = std::move(name); }

void TimelineBuilder::add(const RawEvent& event) {
  uint32_t facts = kNoFacts;
  if (info(event.kind).deviceWork && event.launchFacts) {
    facts = static_cast<uint32_t>(table_.launchFacts.size());
    table_.launchFacts.push_back(*event.launchFacts);
  } else if (event.kind == EventKind::Operator && event.operatorFacts) {
    facts = static_cast<uint32_t>(table_.operatorFacts.size());
    table_.operatorFacts.push_back(*event.operatorFacts);
  }
  rows_.push_back({event.startNs, event.durationNs, event.correlation, event.recordOrder,
                   table_.strings.intern(event.name), event.track, facts, event.kind});
}

void TimelineBuilder::problem(std::string_view name, int64_t count, std::string_view what) {
  table_.problems.add(name, count, what);
}

/// Corrects or drops events with times that no clock can have measured, and counts them.
void TimelineBuilder::dropUnusableRows() {
  int64_t negative = 0;
  for (RawRow& row : rows_) {
    if (row.durationNs >= 0) continue;
    row.durationNs = 0;
    ++negative;
  }
  problem("negative-duration", negative, "events with a negative duration count as having none");

  const bool hasTimes = std::any_of(rows_.begin(), rows_.end(), [](const RawRow& row) { return row.startNs != 0; });
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
  if (rows_.empty()) return 0;
  std::vector<int64_t> starts;
  for (const RawRow& row : rows_) starts.push_back(row.startNs);
  const auto middle = starts.begin() + static_cast<ptrdiff_t>(starts.size() / 2);
  std::nth_element(starts.begin(), middle, starts.end());
  const __int128 medianNs = *middle;
  const auto isFar = [&](const RawRow& row) {
    const __int128 beginNs = row.startNs, endNs = beginNs + row.durationNs;
    return beginNs < medianNs - kMaxTimeNs / 2 || endNs > medianNs + kMaxTimeNs / 2;
  };
  const auto far = static_cast<size_t>(std::count_if(rows_.begin(), rows_.end(), isFar));
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
  std::stable_sort(longestFirst.begin(), longestFirst.end(),
                   [&](size_t a, size_t b) { return rows_[a].durationNs > rows_[b].durationNs; });
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

void TimelineBuilder::sortRows() {
  std::stable_sort(rows_.begin(), rows_.end(), [](const RawRow& a, const RawRow& b) {
    return std::tuple(a.startNs, -a.durationNs, nestingRank(a.kind), a.recordOrder) <
           std::tuple(b.startNs, -b.durationNs, nestingRank(b.kind), b.recordOrder);
  });
}

/// One stream cannot run the same launch twice in the same interval: the file holds the event twice (merged traces do).
/// The first is kept. Copies have equal intervals, so they are in one run of the sorted rows, but not always adjacent:
/// events of other streams may be between.
void TimelineBuilder::dropDuplicateRows() {
  const auto identity = [](const RawRow& row) {
    return std::tuple(row.kind, row.track, row.correlation, row.name.index);
  };
  std::vector<bool> isDuplicate(rows_.size(), false);
  std::vector<size_t> candidates;
  for (size_t begin = 0, end = 0; begin < rows_.size(); begin = end) {
    const auto sameInterval = [&](const RawRow& row) {
      return row.startNs == rows_[begin].startNs && row.durationNs == rows_[begin].durationNs;
    };
    candidates.clear();
    for (end = begin; end < rows_.size() && sameInterval(rows_[end]); ++end)
      if (info(rows_[end].kind).deviceWork && rows_[end].durationNs > 0 && rows_[end].correlation >= 0)
        candidates.push_back(end);
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](size_t a, size_t b) { return identity(rows_[a]) < identity(rows_[b]); });
    for (size_t i = 1; i < candidates.size(); ++i)
      isDuplicate[candidates[i]] = identity(rows_[candidates[i]]) == identity(rows_[candidates[i - 1]]);
  }
  size_t kept = 0;
  for (size_t row = 0; row < rows_.size(); ++row)
    if (!isDuplicate[row]) rows_[kept++] = rows_[row];
  const auto duplicates = static_cast<int64_t>(rows_.size() - kept);
  rows_.resize(kept);
  problem("duplicate-event", duplicates, "device events that the file holds twice count once");
}

void TimelineBuilder::fillColumns() {
  EventTable& t = table_;
  const size_t count = rows_.size();
  t.parent.assign(count, kNoRow);
  t.launch.assign(count, kNoRow);
  t.launchOp.assign(count, kNoRow);
  t.iteration.assign(count, kNoIteration);
  for (const RawRow& row : rows_) {
    t.kind.push_back(row.kind);
    t.startNs.push_back(row.startNs);
    t.durationNs.push_back(row.durationNs);
    t.name.push_back(row.name);
    t.track.push_back(row.track);
    t.correlation.push_back(row.correlation);
    t.factsIndex.push_back(row.facts);
  }
}

namespace {

/// A stretch of self time is named after the node that the operator states, if it does.
Symbol workName(EventTable& table, Row row) {
  if (table.isDeviceKind(row) || table.factsIndex[row] == kNoFacts) return table.name[row];
  const std::string& node = table.operatorFacts[table.factsIndex[row]].node;
  return node.empty() ? table.name[row] : table.strings.intern(node);
}

/// Moves the events of the run and the rows of the host to their own columns of the timeline.
void split(EventTable table, Timeline& timeline) {
  std::vector<HostEventId> hostOf(table.size());
  HostFacts& host = timeline.host.emplace();
  for (Row row = 0; row < table.size(); ++row) {
    if (table.isDeviceKind(row)) continue;
    hostOf[row] = host.kind.push_back(table.kind[row]);
    host.startNs.push_back(table.startNs[row]);
    host.durationNs.push_back(table.durationNs[row]);
    host.name.push_back(table.name[row]);
    host.track.push_back(table.track[row]);
    host.correlation.push_back(table.correlation[row]);
    host.parent.push_back(table.parent[row] == kNoRow ? HostEventId() : hostOf[table.parent[row]]);
    host.iteration.push_back(table.iteration[row]);
    host.factsIndex.push_back(table.factsIndex[row]);
  }
  for (const WorkEvent& event : table.work) {
    const Row row = event.row;
    timeline.kind.push_back(table.kind[row]);
    timeline.startNs.push_back(event.startNs);
    timeline.durationNs.push_back(event.durationNs);
    timeline.name.push_back(workName(table, row));
    timeline.track.push_back(table.track[row]);
    timeline.correlation.push_back(table.correlation[row]);
    timeline.iteration.push_back(event.iteration);
    timeline.factsIndex.push_back(table.isDeviceKind(row) ? table.factsIndex[row] : kNoFacts);
    host.launch.push_back(table.launch[row] == kNoRow ? HostEventId() : hostOf[table.launch[row]]);
    host.launchOp.push_back(table.launchOp[row] == kNoRow ? HostEventId() : hostOf[table.launchOp[row]]);
  }
  host.operatorFacts = std::move(table.operatorFacts);
  timeline.launchFacts = std::move(table.launchFacts);
  timeline.hasDevice = table.hasDevice;
  timeline.strings = std::move(table.strings);
  timeline.tracks = std::move(table.tracks);
  timeline.iterations = std::move(table.iterations);
  timeline.problems = std::move(table.problems);
}

}  // namespace

Timeline TimelineBuilder::finish(StepSelection selection) {
  dropUnusableRows();
  sortRows();
  dropDuplicateRows();
  fillColumns();
  rows_.clear();
  trackIndex_.clear();
  const RuntimeAdapter& runtime = runtimeAdapter(facts_.target.runtime);
  EventTable table = std::exchange(table_, {});
  for (Row row = 0; row < table.size(); ++row)
    if (table.isDeviceKind(row)) table.work.push_back({row, table.startNs[row], table.durationNs[row]});
  table.hasDevice = !table.work.empty();

  nestHostEvents(table);
  joinLaunches(table);
  if (!table.hasDevice) addSelfTimes(table);
  countDeviceProblems(table, runtime);
  findIterations(table, runtime, selection);
  Timeline timeline = std::exchange(facts_, {});
  split(std::move(table), timeline);
  return timeline;
}

}  // namespace amdahlc
