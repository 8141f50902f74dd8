#include <algorithm>

#include "replay/runtimes/collectives.h"
#include "runs/builder/captured_launches.h"
#include "runs/builder/event_table.h"

namespace amdahlc {
namespace {

/// A stretch of self time is named after the node that the operator states, if it does.
Symbol workName(EventTable& table, Row row) {
  if (table.isDeviceKind(row) || table.factsIndex[row] == kNoFacts) return table.name[row];
  const std::string& node = table.operatorFacts[table.factsIndex[row]].node;
  return node.empty() ? table.name[row] : table.strings.intern(node);
}

/// What is stated of the collectives among device events: at the kernel, or else at the operator that launches it.
std::map<EventIndex, CollectiveFacts> collectivesOf(const EventTable& table) {
  std::map<EventIndex, CollectiveFacts> collectives;
  if (table.collectives.empty() || !table.hasDevice) return collectives;
  for (EventIndex event = 0; event < table.work.size(); ++event) {
    const Row row = table.work[event].row;
    if (table.kind[row] != EventKind::Kernel) continue;
    CollectiveFacts facts;
    bool isStated = false;
    const auto add = [&](Row of) {
      const auto found = table.collectives.find(table.fileEvent[of]);
      if (found == table.collectives.end()) return;
      isStated = true;
      const CollectiveFacts& more = found->second;
      for (Symbol CollectiveFacts::* text :
           {&CollectiveFacts::operation, &CollectiveFacts::group, &CollectiveFacts::groupRanks})
        if ((facts.*text).empty()) facts.*text = more.*text;
      if (facts.groupSize < 0) facts.groupSize = more.groupSize;
      if (facts.sequence < 0) facts.sequence = more.sequence;
    };
    add(row);
    // Other kernels run inside of such operators, too.
    if (isStated || isCommunicationKernel(table.text(table.name[row])))
      for (Row op = table.launchOp[row]; op != kNoRow; op = table.parent[op]) add(op);
    if (isStated) collectives.emplace(event, facts);
  }
  return collectives;
}

}  // namespace

void splitTable(EventTable table, Timeline& timeline) {
  HostFacts& host = timeline.host.emplace();
  host.collectives = collectivesOf(table);
  host.memory = std::move(table.memory);
  std::vector<HostEventId> hostOf(table.size());
  std::vector<Row> hostRows;
  hostRows.reserve(table.size());
  for (Row row = 0; row < table.size(); ++row) {
    if (table.isDeviceKind(row)) continue;
    hostOf[row] = HostEventId(hostRows.size());
    hostRows.push_back(row);
  }
  const auto hostId = [&](Row row) { return row == kNoRow ? HostEventId() : hostOf[row]; };
  host.capturedLaunches = capturedLaunches(table, hostId);
  const auto ofWork = [&](auto& to, auto&& valueOf) {
    to.reserve(table.work.size());
    for (const WorkEvent& event : table.work) to.push_back(valueOf(event.row));
  };
  const auto toEvents = [&](const auto& column, auto& to) { ofWork(to, [&](Row row) { return column[row]; }); };
  const auto toHost = [&](auto& column, auto& to, auto&& convert) {
    to.resize(hostRows.size());
    std::ranges::transform(hostRows, to.begin(), [&](Row row) { return convert(column[row]); });
    column = std::decay_t<decltype(column)>();
  };
  const auto moveToHost = [&](auto& column, auto& to) { toHost(column, to, [](auto value) { return value; }); };

  ofWork(timeline.name, [&](Row row) { return workName(table, row); });
  // Of work that is not device rows, but stretches of operators, there are no launch facts.
  ofWork(timeline.factsIndex, [&](Row row) { return table.isDeviceKind(row) ? table.factsIndex[row] : kNoFacts; });
  moveToHost(table.factsIndex, host.factsIndex);
  toEvents(table.kind, timeline.kind);
  moveToHost(table.kind, host.kind);
  moveToHost(table.startNs, host.startNs);
  moveToHost(table.durationNs, host.durationNs);
  moveToHost(table.name, host.name);
  toEvents(table.track, timeline.track);
  moveToHost(table.track, host.track);
  const bool isList = std::ranges::any_of(
      table.work, [&](const WorkEvent& event) { return table.fileEvent[event.row] != kNoFileEvent; });
  if (isList) toEvents(table.fileEvent, timeline.fileEvent);
  table.fileEvent = decltype(table.fileEvent)();
  toEvents(table.correlation, timeline.correlation);
  moveToHost(table.correlation, host.correlation);
  toHost(table.parent, host.parent, hostId);
  moveToHost(table.iteration, host.iteration);
  moveToHost(table.sequenceNumber, host.sequenceNumber);
  if (!table.recordFunction.empty()) moveToHost(table.recordFunction, host.recordFunction);
  moveToHost(table.forwardThread, host.forwardThread);
  timeline.startNs.reserve(table.work.size());
  timeline.durationNs.reserve(table.work.size());
  timeline.iteration.reserve(table.work.size());
  host.launch.reserve(table.work.size());
  host.launchOp.reserve(table.work.size());
  for (const WorkEvent& event : table.work) {
    timeline.startNs.push_back(event.startNs);
    timeline.durationNs.push_back(event.durationNs);
    timeline.iteration.push_back(event.iteration);
    host.launch.push_back(hostId(table.launch[event.row]));
    host.launchOp.push_back(hostId(table.launchOp[event.row]));
  }
  host.operatorFacts = std::move(table.operatorFacts);
  host.waitFacts = std::move(table.waitFacts);
  timeline.launchFacts = std::move(table.launchFacts);
  timeline.hasDevice = table.hasDevice;
  timeline.clockResolutionNs = table.clockResolutionNs;
  timeline.strings = std::move(table.strings);
  timeline.tracks = std::move(table.tracks);
  timeline.iterations = std::move(table.iterations);
  timeline.problems = std::move(table.problems);
}

}  // namespace amdahlc
