#include "passes/trace_bind/stated_nodes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "replay/runtimes/operator_name.h"

namespace amdahlc::binding {

using ir::kNone;
using ir::OpId;

StatedNodes::StatedNodes(const ir::Module& module, const Timeline& timeline)
    : timeline_(timeline), runtime_(runtimeAdapter(timeline.target.runtime)) {
  const std::vector<EventIndex> selected = timeline.selectedEvents();
  if (std::none_of(selected.begin(), selected.end(),
                   [&](EventIndex event) { return !timeline.statedNode(event).empty(); }))
    return;
  findNodes(module);
  any_ = std::any_of(selected.begin(), selected.end(), [&](EventIndex event) { return of(event) != kNone; });
}

void StatedNodes::findNodes(const ir::Module& module) {
  std::vector<std::string_view> repeated;
  for (const OpId op : module.ops.ids()) {
    const std::string_view name = module.text(module.ops[op].name);
    if (!name.empty() && !nodes_.try_emplace(name, op).second) repeated.push_back(name);
    for (const ir::ValueId output : module.ops[op].outputs)
      if (output != kNone) producers_.try_emplace(module.text(module.values[output].name), op);
  }
  for (const std::string_view name : repeated) nodes_.erase(name);
}

OpId StatedNodes::of(EventIndex event) const {
  return nodes_.empty() ? OpId(kNone) : find(timeline_.statedNode(event));
}

IdVector<OpId, uint32_t> StatedNodes::order(const AlternativeGraph& graph) const {
  std::vector<EventIndex> events = timeline_.selectedEvents();
  std::erase_if(events, [&, first = timeline_.iteration[events.front()]](EventIndex event) {
    return timeline_.iteration[event] != first;
  });
  IdVector<OpId, bool> isStated(graph.module().ops.size(), false);
  for (const EventIndex event : events)
    if (const OpId node = of(event); node != kNone) isStated[node] = true;
  IdVector<OpId, uint32_t> places(graph.module().ops.size(), ir::kNoIndex);
  uint32_t next = 0;
  OpId last;
  for (const EventIndex event : events) {
    OpId node = of(event);
    // A node that the runtime made without a name often runs right behind what it reads.
    if (node == kNone && last != kNone) node = unstatedUser(graph, last, event, isStated);
    if (node == kNone) continue;
    last = node;
    if (places[node] == ir::kNoIndex) places[node] = next++;
  }
  return orderOfPlaces(std::move(places), graph.launches());
}

/// The first operator of the event's type that reads `producer` and that no event states; kNone without one.
OpId StatedNodes::unstatedUser(const AlternativeGraph& graph, OpId producer, EventIndex event,
                               const IdVector<OpId, bool>& isStated) const {
  const HostEventId op = timeline_.host ? timeline_.host->launchOp[event] : HostEventId();
  if (op.isNone()) return kNone;
  const std::string type = comparableName(timeline_.text(timeline_.host->name[op]));
  for (const OpId user : graph.waiting(producer))
    if (!isStated[user] && comparableName(graph.module().text(graph.module().ops[user].type)) == type) return user;
  return kNone;
}

/// A node that the runtime made of others has a name of its own, or that of a result of one of them.
OpId StatedNodes::find(std::string_view name) const {
  if (name.empty()) return kNone;
  if (const auto node = nodes_.find(name); node != nodes_.end()) return node->second;
  for (const std::string_view part : runtime_.namedNodes(name)) {
    if (const auto node = nodes_.find(part); node != nodes_.end()) return node->second;
    if (const auto producer = producers_.find(part); producer != producers_.end()) return producer->second;
  }
  return kNone;
}

}  // namespace amdahlc::binding
