#include "ir/module.h"

#include <algorithm>

#include "ir/domain.h"

namespace amdahlc::ir {

const Attribute* Op::attribute(std::string_view attributeName) const {
  const auto found = std::ranges::lower_bound(attributes, attributeName, {}, &Attribute::name);
  return found != attributes.end() && found->name == attributeName ? &*found : nullptr;
}

Module Module::copyOfModel() const {
  Module copy;
  copy.strings = strings.copy();
  copy.modelName = modelName;
  copy.frontEnd = frontEnd;
  copy.dataEdges = dataEdges;
  copy.opsets = opsets;
  copy.target = target;
  copy.graphs = graphs;
  copy.ops = ops;
  copy.values = values;
  copy.storages = storages;
  copy.scopes = scopes;
  copy.rules = rules;
  if (has(Facet::Simplified)) copy.establish(Facet::Simplified);
  return copy;
}

int64_t Module::opset(std::string_view domain) const {
  const auto found = opsets.find(std::string(ownDomain(domain)));
  return found == opsets.end() ? 0 : found->second;
}

std::string Module::displayName(OpId op) const {
  if (countedNames_.size() != ops.size() || countedNames_[op.index()] != ops[op].name) {
    countedNames_.clear();
    nameCounts_.assign(strings.size(), 0);
    for (const Op& counted : ops) {
      countedNames_.push_back(counted.name);
      ++nameCounts_[counted.name.index];
    }
  }
  // From the op outwards. A chain longer than the number of graphs is a cycle, which the verifier reports.
  std::vector<std::string> parts;
  OpId current = op;
  for (size_t level = 0; level <= graphs.size(); ++level) {
    const Op& node = ops[current];
    std::string part;
    if (!node.name.empty() && nameCounts_[node.name.index] == 1)
      part = text(node.name);
    else
      part = std::string(text(node.type)) + '#' + std::to_string(current.index());
    parts.push_back(std::move(part));
    if (!graphs.contains(node.graph) || !ops.contains(graphs[node.graph].parent)) break;
    const OpId parent = graphs[node.graph].parent;
    std::string_view branch;
    for (const Region& region : ops[parent].regions)
      if (region.graph == node.graph) branch = region.name;
    parts.emplace_back(branch);
    current = parent;
  }
  std::string out = parts.back();
  for (size_t i = parts.size() - 1; i-- > 0;) {
    out += '/';
    out += parts[i];
  }
  return out;
}

void Module::retractDerived(Facet facet) {
  FacetSet derived = withDerived(facet);
  derived.erase({facet});
  drop(derived);
}

void Module::drop(FacetSet dropped) {
  facets_.erase(dropped);
  if (dropped.contains(Facet::Fused)) {
    candidates.clear();
    truncatedRoots = 0;
    covers.clear();
  }
  // Only the default cover exists before binding; the others are created with the binding of their trace.
  if (dropped.contains(Facet::Bound))
    std::erase_if(covers, [](const Cover& cover) { return !cover.traceLabel.empty(); });
  for (Cover& cover : covers) cover.facets.drop(dropped);
}

void Module::forgetGrouping() {
  rules = {};
  retract(Facet::Fused);
}

void Module::addRun(Timeline timeline) {
  facets_.erase(lostWithNewRun());
  timelines.push_back(std::move(timeline));
}

const Cover* Module::coverOfRun(std::string_view label) const {
  const auto found = std::ranges::find(covers, label, &Cover::traceLabel);
  return found == covers.end() ? nullptr : &*found;
}

const Timeline* Module::findTimeline(std::string_view label) const {
  const auto found = std::ranges::find(timelines, label, &Timeline::label);
  return found == timelines.end() ? nullptr : &*found;
}
Timeline* Module::findTimeline(std::string_view label) {
  return const_cast<Timeline*>(std::as_const(*this).findTimeline(label));
}

}  // namespace amdahlc::ir
