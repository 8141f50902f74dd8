#include "passes/trace_bind/named_nodes.h"

#include <algorithm>
#include <unordered_set>

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

NamedNodes::NamedNodes(const ir::Module& module, const Timeline& timeline) : timeline_(timeline) {
  findNodes(module);
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

void NamedNodes::findNodes(const ir::Module& module) {
  std::vector<std::string_view> repeated;
  for (const OpId op : module.ops.ids()) {
    const std::string_view name = module.text(module.ops[op].name);
    if (name.empty()) continue;
    if (!nodes_.try_emplace(name, op).second) repeated.push_back(name);
    mostParts_ = std::clamp<size_t>(separatorsIn(name) + 1, mostParts_, limits::kNodesOfOneName);
  }
  for (const std::string_view name : repeated) nodes_.erase(name);
}

OpId NamedNodes::find(std::string_view name) const {
  const auto node = nodes_.find(name);
  return node == nodes_.end() ? OpId(kNone) : node->second;
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
      op = find({begin, static_cast<size_t>(end - begin)});
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

}  // namespace amdahlc::binding
