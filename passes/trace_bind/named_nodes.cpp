#include "passes/trace_bind/named_nodes.h"

#include <vector>

namespace amdahlc::binding {

NamedNodes::NamedNodes(const ir::Module& module, const Timeline& timeline) {
  std::vector<std::string_view> repeated;
  for (const ir::OpId op : module.ops.ids()) {
    const std::string_view name = module.text(module.ops[op].name);
    if (!name.empty() && !nodes_.try_emplace(name, op).second) repeated.push_back(name);
  }
  for (const std::string_view name : repeated) nodes_.erase(name);
  size_t selected = 0, named = 0;
  for (const EventIndex event : timeline.selectedEvents()) {
    ++selected;
    named += nodes_.contains(timeline.text(timeline.name[event]));
  }
  if (named * 2 <= selected) nodes_.clear();
}

}  // namespace amdahlc::binding
