#include "passes/trace_bind/named_nodes.h"

#include <algorithm>
#include <vector>

namespace amdahlc::binding {

NamedNodes::NamedNodes(const ir::Module& module, const Timeline& timeline)
    : timeline_(timeline), runtime_(runtimeAdapter(timeline.target.runtime)) {
  const std::vector<EventIndex> selected = timeline.selectedEvents();
  stated_ = std::any_of(selected.begin(), selected.end(),
                        [&](EventIndex event) { return !timeline.statedNode(event).empty(); });
  std::vector<std::string_view> repeated;
  for (const ir::OpId op : module.ops.ids()) {
    const std::string_view name = module.text(module.ops[op].name);
    if (!name.empty() && !nodes_.try_emplace(name, op).second) repeated.push_back(name);
    if (!stated_) continue;
    for (const ir::ValueId output : module.ops[op].outputs)
      if (output != ir::kNone) producers_.try_emplace(module.text(module.values[output].name), op);
  }
  for (const std::string_view name : repeated) nodes_.erase(name);
  size_t named = 0;
  for (const EventIndex event : selected) named += of(event) != ir::kNone;
  if (stated_ ? named == 0 : named * 2 <= selected.size()) nodes_.clear();
}

ir::OpId NamedNodes::of(EventIndex event) const {
  if (!any()) return ir::kNone;
  return find(stated_ ? timeline_.statedNode(event) : timeline_.text(timeline_.name[event]));
}

IdVector<ir::OpId, uint32_t> NamedNodes::order(const AlternativeGraph& graph) const {
  IdVector<ir::OpId, uint32_t> places(graph.module().ops.size(), ir::kNoIndex);
  uint32_t next = 0;
  int32_t iteration = kNoIteration;
  for (const EventIndex event : timeline_.selectedEvents()) {
    if (iteration == kNoIteration) iteration = timeline_.iteration[event];
    const ir::OpId node = of(event);
    if (timeline_.iteration[event] == iteration && node != ir::kNone && places[node] == ir::kNoIndex)
      places[node] = next++;
  }
  return orderOfPlaces(
      std::move(places), [&](ir::OpId op) { return graph.waitsFor(op); },
      [&](ir::OpId op) { return graph.waiting(op); });
}

/// A node that the runtime made of others has a name of its own, or that of a result of one of them.
ir::OpId NamedNodes::find(std::string_view name) const {
  if (const auto node = nodes_.find(name); node != nodes_.end()) return node->second;
  if (!stated_) return ir::kNone;
  for (const std::string_view part : runtime_.namedNodes(name)) {
    if (const auto node = nodes_.find(part); node != nodes_.end()) return node->second;
    if (const auto producer = producers_.find(part); producer != producers_.end()) return producer->second;
  }
  return ir::kNone;
}

}  // namespace amdahlc::binding
