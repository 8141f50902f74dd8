#include "passes/trace_bind/named_nodes.h"

#include <algorithm>
#include <unordered_set>

#include "replay/runtimes/operator_name.h"
#include "support/limits.h"

namespace amdahlc::binding {

using ir::kNone;
using ir::OpId;

namespace {

/// How often a runtime may take a node's name apart: it separates names by these, or dots.
size_t separatorsIn(std::string_view name) {
  size_t count = 0;
  for (size_t at = name.find_first_of("+,."); at != std::string_view::npos; at = name.find_first_of("+,.", at + 1))
    if (name[at] != '.' || name.substr(at).starts_with("...")) ++count;
  return count;
}

}  // namespace

NodesByName::NodesByName(const ir::Module& module) {
  for (const OpId op : module.ops.ids()) {
    const std::string_view name = module.text(module.ops[op].name);
    if (name.empty()) continue;
    const auto [entry, isNew] = nodes_.try_emplace(name, op);
    if (!isNew) entry->second = kNone;
  }
}

bool NodesByName::empty() const {
  return std::ranges::all_of(nodes_, [](const auto& node) { return node.second.isNone(); });
}

OpId NodesByName::of(std::string_view name) const {
  const auto node = nodes_.find(name);
  return node == nodes_.end() ? OpId(kNone) : node->second;
}

NamedNodes::NamedNodes(const ir::Module& module, const Timeline& timeline) : timeline_(timeline), nodes_(module) {
  for (const ir::Op& op : module.ops)
    mostParts_ = std::clamp<size_t>(separatorsIn(module.text(op.name)) + 1, mostParts_, limits::kNodesOfOneName);
  const RuntimeAdapter& runtime = runtimeAdapter(timeline.target.runtime);
  size_t counted = 0, named = 0;
  for (const EventIndex event : timeline.selectedEvents()) {
    if (!timeline.statedNode(event).empty()) return;
    const Symbol name = timeline.name[event];
    const auto [found, added] = namings_.try_emplace(name.index);
    if (added) found->second = resolve(module, runtime, timeline.nodesText(event));
    const Naming& naming = found->second;
    counted += !naming.layout;
    named += naming.folded || !naming.ops.empty();
  }
  any_ = named * 2 > counted || runtime.namesAllNodes();
}

Naming NamedNodes::resolve(const ir::Module& module, const RuntimeAdapter& runtime, std::string_view text) const {
  const std::vector<std::string_view> parts = runtime.namedNodes(text);
  Naming naming;
  OpId absorber = kNone;
  std::unordered_set<uint32_t> known;  // looked up only
  const auto add = [&](OpId op) {
    if (module.ops[op].state == ir::OpState::Absorbed && absorber == kNone) absorber = module.ops[op].absorbedInto;
    naming.folded |= module.ops[op].state == ir::OpState::Folded;
    if (module.ops[op].state == ir::OpState::Live && known.insert(op.index()).second) naming.ops.push_back(op);
  };
  for (size_t first = 0; first < parts.size();) {
    // The longest name first: `a + b` may be one node.
    size_t last = std::min(parts.size(), first + mostParts_) - 1;
    OpId op = kNone;
    for (;; --last) {
      const char* begin = parts[first].data();
      const char* end = parts[last].data() + parts[last].size();
      op = nodes_.of({begin, static_cast<size_t>(end - begin)});
      if (op != kNone || last == first) break;
    }
    if (op != kNone) add(op);
    first = last + 1;
  }
  if (naming.ops.empty() && absorber != kNone) naming.ops.push_back(absorber);
  naming.folded &= naming.ops.empty();
  naming.range = !naming.ops.empty() && runtime.namesRange(text);
  naming.layout = naming.ops.empty() && !naming.folded && runtime.isLayoutConversion({}, text);
  return naming;
}

StatedNodes::StatedNodes(const ir::Module& module, const Timeline& timeline)
    : timeline_(timeline), runtime_(runtimeAdapter(timeline.target.runtime)) {
  const std::vector<EventIndex> selected = timeline.selectedEvents();
  if (std::ranges::none_of(selected, [&](EventIndex event) { return !timeline.statedNode(event).empty(); })) return;
  nodes_ = NodesByName(module);
  if (nodes_.empty()) return;
  for (const OpId op : module.ops.ids())
    for (const ir::ValueId output : module.ops[op].outputs)
      if (output != kNone) producers_.try_emplace(module.text(module.values[output].name), op);
  any_ = std::ranges::any_of(selected, [&](EventIndex event) { return of(event) != kNone; });
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
  IdVector<OpId, std::vector<AlternativeId>> holding(graph.module().ops.size());
  for (AlternativeId id = 0; id < graph.alternatives().size(); ++id)
    if (const Alternative& one = graph.alternatives()[id]; one.rule != kNoRule && one.ops.size() > 1)
      for (const OpId op : one.ops) holding[op].push_back(id);
  uint32_t next = 0;
  OpId last;
  for (const EventIndex event : events) {
    OpId node = of(event);
    // A node that the runtime made without a name often runs right behind what it reads.
    if (node == kNone && last != kNone) node = unstatedUser(graph, last, event, isStated);
    if (node == kNone) continue;
    last = node;
    if (places[node] == ir::kNoIndex) places[node] = next++;
    // Nodes that ran together stand together.
    for (const OpId other : fusedWith(graph, holding[node], event))
      if (!isStated[other] && places[other] == ir::kNoIndex) places[other] = next++;
  }
  return orderOfPlaces(std::move(places), graph.launches());
}

/// The nodes of the largest of these alternatives whose rule names the event's operator.
std::vector<OpId> StatedNodes::fusedWith(const AlternativeGraph& graph, const std::vector<AlternativeId>& holding,
                                         EventIndex event) const {
  std::vector<OpId> fused;
  const HostEventId op = timeline_.host ? timeline_.host->launchOp[event] : HostEventId();
  if (op.isNone()) return fused;
  for (const AlternativeId id : holding) {
    const Alternative& one = graph.alternatives()[id];
    if (one.ops.size() > fused.size() && graph.operatorPatterns().isNamed(graph.module().rules.rules[one.rule],
                                                                          timeline_.text(timeline_.host->name[op])))
      fused = one.ops;
  }
  return fused;
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
OpId StatedNodes::of(EventIndex event) const {
  const std::string_view name = timeline_.statedNode(event);
  if (name.empty()) return kNone;
  if (const OpId node = nodes_.of(name); node != kNone) return node;
  for (const std::string_view part : runtime_.namedNodes(name)) {
    if (const OpId node = nodes_.of(part); node != kNone) return node;
    if (const auto producer = producers_.find(part); producer != producers_.end()) return producer->second;
  }
  return kNone;
}

}  // namespace amdahlc::binding
