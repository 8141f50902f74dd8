/// Binding of runs whose events name the nodes that they ran.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "passes/fuse/choice_order.h"
#include "passes/fuse/cover_builder.h"
#include "passes/manager/analysis.h"
#include "passes/trace_bind/binder.h"
#include "passes/trace_bind/fit_text.h"
#include "support/disjoint_sets.h"
#include "support/printable.h"

namespace amdahlc::binding {

using ir::CandidateId;
using ir::kNone;
using ir::OpId;

namespace {

/// What an event says of the nodes of one graph: of that of its first node. A node of control flow stands for its
/// bodies.
std::vector<OpId> nodesOfOneGraph(const ir::Module& module, const Naming& naming) {
  std::vector<OpId> ops;
  for (const OpId op : naming.ops)
    if (module.ops[op].graph == module.ops[naming.ops.front()].graph) ops.push_back(op);
  return ops;
}

/// Binds each event to the kernel of the nodes that it names. Nothing is aligned and nothing is weighed.
///
/// What ran as one event is one kernel: nodes that one event names are in one kernel of the run's cover, and so are the
/// nodes of events that share a node, because a shared node's time cannot be divided. So are the nodes that no event
/// names and that lie on a path between nodes of a kernel: the kernel would have to wait for itself if they ran outside
/// of it. The kernel is the smallest candidate that holds the named nodes and none that other events name. If there is
/// none, the kernel has no candidate. If the kernel would close a cycle, its events are bound to the kernel of the
/// anchor.
class NodeBinder : public Binder {
 public:
  NodeBinder(const BindInput& input, NamedNodes named)
      : input_(input),
        graph_(input.graph),
        module_(graph_.module()),
        operators_(graph_.operators()),
        named_(std::move(named)),
        timeline_(input.timeline),
        holding_(module_.ops.size()),
        isNamed_(module_.ops.size(), false),
        isRefused_(module_.ops.size(), false) {}

  std::optional<IdVector<ir::KernelId, ir::Kernel>> chooseKernels(ObservedRun&) override {
    input_.result.remarks.emplace_back("events name the nodes that they ran; nothing is aligned");
    std::vector<Group> groups = findGroups();
    for (const Group& group : groups)
      for (const OpId op : group.named) isNamed_[op] = true;
    findCandidates();
    addBetween(groups);

    CoverBuilder builder(module_, operators_);
    const auto addAlone = [&](OpId op) {
      const CandidateId candidate = candidateOf({{op}, {}});
      if (candidate == kNone || builder.choose(candidate).choice != Choice::Chosen) builder.addGroup({op});
    };
    std::vector<const Group*> refused;
    for (const Group& group : groups) {
      if (const CandidateId candidate = candidateOf(group);
          candidate != kNone && builder.choose(candidate).choice == Choice::Chosen)
        continue;
      std::vector<OpId> ops = group.named;
      ops.insert(ops.end(), group.between.begin(), group.between.end());
      const OpId anchor = anchorOf(group.named);
      std::ranges::sort(ops);
      ops.erase(std::ranges::find(ops, anchor));
      ops.insert(ops.begin(), anchor);
      if (!builder.addGroup(std::move(ops))) refused.push_back(&group);
    }
    refused_ = static_cast<int64_t>(refused.size());
    for (const Group* group : refused) {
      for (const OpId op : group->named) {
        isRefused_[op] = true;
        if (!builder.isCovered(op)) addAlone(op);
      }
    }
    for (const CandidateId candidate : ChoiceOrder(module_, operators_).candidates())
      if (graph_.admits(candidate)) builder.choose(candidate);
    return builder.kernels();
  }

  void bind(const ir::Cover& cover, ir::BoundFacet& facts) override {
    IdVector<OpId, ir::KernelId> kernelOf(module_.ops.size());
    for (const ir::Kernel& kernel : cover.kernels) {
      for (const OpId op : kernel.ops) kernelOf[op] = kernel.id;
      const bool refused = std::ranges::any_of(kernel.ops, [&](OpId op) { return isRefused_[op]; });
      facts.kernels[kernel.id].missReason = refused ? ir::MissReason::NamedWithOthers : ir::MissReason::NotNamed;
    }
    for (const EventIndex event : timeline_.selectedEvents()) {
      const Naming& naming = named_.of(event);
      if (!naming.ops.empty()) {
        const ir::KernelId kernel = kernelOf[anchorOf(nodesOfOneGraph(module_, naming))];
        facts.kernels[kernel].events.push_back({event, static_cast<ir::EvidenceSet>(ir::Evidence::Node), kCertain});
        continue;
      }
      using Kind = ir::UnboundReason::Kind;
      ir::UnboundReason reason;
      reason.kind = naming.layout ? Kind::Layout : naming.folded ? Kind::Folded : Kind::NodeNotInGraph;
      reason.name = timeline_.text(timeline_.name[event]);
      facts.unbound.push_back({event, ir::kRootScope, std::move(reason)});
    }
    facts.fit = fitOf(cover, facts);
  }

  void explain(const ir::Cover& cover, const ir::BoundFacet& facts) override {
    if (refused_ > 0)
      input_.result.remarks.push_back(fmt::format(
          "{} kernels of nodes that one event names would close a cycle between kernels; the events are bound to the "
          "kernel of one of their nodes",
          refused_));
    for (const Subject& subject : input_.options.subjects)
      input_.result.explanations.push_back(explanation(subject, cover, facts));
  }

 private:
  /// Events count equally, and so do nodes with parameters, and those that reduce or contract their operands: others
  /// may be folded. A branch that did not run counts nothing. If events name ranges, other nodes may have run in them.
  ir::ModelFit fitOf(const ir::Cover& cover, const ir::BoundFacet& facts) const {
    ir::ModelFit fit;
    fit.evidence.nodes = true;
    int64_t events = 0, bound = 0;
    bool ranges = false;
    std::map<std::pair<int32_t, uint32_t>, int64_t> times;  // by iteration and name of the event
    for (const EventIndex event : timeline_.selectedEvents()) {
      const Naming& naming = named_.of(event);
      fit.evidence.marks |= timeline_.iterations[static_cast<size_t>(timeline_.iteration[event])].startNs.has_value();
      events += !naming.layout && !naming.folded;
      if (naming.ops.empty()) continue;
      ++bound;
      ranges |= naming.range;
      // In a body, an event may occur several times in one forward.
      if (module_.graphs[module_.ops[naming.ops.front()].graph].parent == kNone)
        ++times[{timeline_.iteration[event], timeline_.name[event].index}];
    }
    std::map<int32_t, int64_t> forwards;
    for (const auto& [at, count] : times) {
      int64_t& fewest = forwards.try_emplace(at.first, count).first->second;
      fewest = std::min(fewest, count);
    }
    for (const auto& [iteration, count] : forwards) fit.forwards += count;
    int64_t heavy = 0, ran = 0;
    for (const ir::Kernel& kernel : cover.kernels) {
      for (const OpId op : kernel.ops) {
        if (graph_.need(op) != Need::Heavy || graph_.inBranch(op)) continue;
        ++heavy;
        ran += !facts.kernels[kernel.id].events.empty() || isRefused_[op];
      }
    }
    const auto share = [](int64_t part, int64_t whole) {
      return whole == 0 ? kCertain : permille(static_cast<double>(part) / static_cast<double>(whole));
    };
    fit.callsPermille = share(bound, events);
    fit.unitsPermille = share(ran, heavy);
    // One node of a small model tells nothing.
    const bool unitsRan = ranges || fit.unitsPermille >= kLeastUnitsPermille || heavy - ran <= 1;
    fit.fits = bound > 0 && fit.callsPermille >= kLeastCallsPermille && unitsRan;
    return fit;
  }

  std::string explanation(const Subject& subject, const ir::Cover& cover, const ir::BoundFacet& facts) const {
    const std::vector<EventIndex> selected = timeline_.selectedEvents();
    const auto title = [&](EventIndex event) {
      std::vector<std::string> nodes;
      for (const OpId op : named_.of(event).ops) nodes.push_back(printable(module_.displayName(op)));
      return fmt::format("event `{}` names {}", printable(timeline_.text(timeline_.name[event])),
                         nodes.empty() ? "no node" : fmt::format("{}", fmt::join(nodes, ", ")));
    };
    std::string text;
    if (const auto* rank = std::get_if<size_t>(&subject)) {
      if (*rank >= selected.size()) return {};
      const EventIndex event = selected[*rank];
      text = title(event) + ": ";
      if (const ir::KernelId owner = ir::eventOwners(timeline_, facts)[event]; !owner.isNone())
        return text + fmt::format("bound to kernel {}\n", kernelTitle(module_, cover.kernels[owner]));
      for (const ir::UnboundEvent& unbound : facts.unbound)
        if (unbound.event == event) return text + ir::describe(module_, cover, unbound.reason) + "\n";
      return {};
    }
    for (const OpId op : std::get<std::vector<OpId>>(subject)) {
      for (const ir::Kernel& kernel : cover.kernels) {
        if (std::ranges::find(kernel.ops, op) == kernel.ops.end()) continue;
        const ir::KernelBinding& binding = facts.kernels[kernel.id];
        text +=
            fmt::format("node {} is in kernel {}", printable(module_.displayName(op)), kernelTitle(module_, kernel));
        if (binding.missReason) text += ": " + ir::describe(module_, kernel, *binding.missReason);
        text += "\n";
        for (const ir::BoundEvent& bound : binding.events) text += "  " + title(bound.event) + "\n";
      }
    }
    return text;
  }

  /// Nodes that events name together.
  struct Group {
    /// In the order of names.
    std::vector<OpId> named;
    /// Nodes between them, which no event names.
    std::vector<OpId> between;
  };

  /// The nodes that each event names, united where they share a node; in order of the first event.
  std::vector<Group> findGroups() const {
    DisjointSets sets(module_.ops.size());
    std::vector<OpId> order;
    std::set<uint32_t> seen;  // names of events
    for (const EventIndex event : timeline_.selectedEvents()) {
      const Naming& naming = named_.of(event);
      if (naming.ops.empty() || !seen.insert(timeline_.name[event].index).second) continue;
      for (const OpId op : nodesOfOneGraph(module_, naming)) {
        sets.unite(op.index(), naming.ops.front().index());
        order.push_back(op);
      }
    }
    std::vector<Group> groups;
    std::map<size_t, size_t> groupOf;
    IdVector<OpId, bool> done(module_.ops.size(), false);
    for (const OpId op : order) {
      if (done[op]) continue;
      done[op] = true;
      const auto [found, added] = groupOf.try_emplace(sets.find(op.index()), groups.size());
      if (added) groups.emplace_back();
      groups[found->second].named.push_back(op);
    }
    return groups;
  }

  /// Adds the nodes without a name on paths between those of one group.
  void addBetween(std::vector<Group>& groups) const {
    IdVector<OpId, uint32_t> below(module_.ops.size(), 0), inside(module_.ops.size(), 0);
    IdVector<OpId, bool> taken(module_.ops.size(), false);
    uint32_t search = 0;
    for (Group& group : groups) {
      if (group.named.size() < 2) continue;
      ++search;
      uint32_t first = std::numeric_limits<uint32_t>::max(), last = 0;
      for (const OpId op : group.named) {
        first = std::min(first, operators_.position(op));
        last = std::max(last, operators_.position(op));
      }
      // No path between the nodes leaves their part of the topological order.
      const auto visitFrom = [&](auto neighbors, const auto& enters) {
        std::vector<OpId> pending = group.named;
        while (!pending.empty()) {
          const OpId op = pending.back();
          pending.pop_back();
          for (const OpId next : (operators_.*neighbors)(op))
            if (enters(next)) pending.push_back(next);
        }
      };
      visitFrom(&ir::OperatorGraph::successors, [&](OpId next) {
        return operators_.position(next) <= last && std::exchange(below[next], search) != search;
      });
      for (const OpId op : group.named) inside[op] = search;
      visitFrom(&ir::OperatorGraph::predecessors, [&](OpId next) {
        if (operators_.position(next) < first || below[next] != search || inside[next] == search) return false;
        inside[next] = search;
        if (!isNamed_[next] && !taken[next]) group.between.push_back(next);
        taken[next] = true;
        return true;
      });
    }
  }

  /// The first of the nodes that need most.
  OpId anchorOf(const std::vector<OpId>& named) const {
    return *std::ranges::max_element(named, {}, [&](OpId op) { return graph_.need(op); });
  }

  void findCandidates() {
    for (const CandidateId id : module_.candidates.ids()) {
      const ir::Candidate& candidate = module_.candidates[id];
      if (module_.rules.rules[candidate.rule].noDeviceWork || !graph_.admits(id)) continue;
      for (const OpId op : candidate.ops)
        if (isNamed_[op]) holding_[op].push_back(id);
    }
  }

  /// The smallest candidate with device work that holds all named nodes of the group and no other named one.
  CandidateId candidateOf(const Group& group) const {
    CandidateId best = kNone;
    for (const CandidateId id : holding_[group.named.front()]) {
      const std::vector<OpId>& ops = module_.candidates[id].ops;
      if (ops.size() < group.named.size()) continue;
      const auto holds = [&](OpId op) { return std::ranges::binary_search(ops, op); };
      const auto isOthers = [&](OpId op) {
        return isNamed_[op] && std::ranges::find(group.named, op) == group.named.end();
      };
      if (!std::ranges::all_of(group.named, holds)) continue;
      if (std::ranges::any_of(ops, isOthers)) continue;
      if (best == kNone || ops.size() < module_.candidates[best].ops.size()) best = id;
    }
    return best;
  }

  const BindInput input_;
  const AlternativeGraph& graph_;
  const ir::Module& module_;
  const ir::OperatorGraph& operators_;
  const NamedNodes named_;
  const Timeline& timeline_;
  /// By named node: the candidates with device work that hold it, ascending.
  IdVector<OpId, std::vector<CandidateId>> holding_;
  /// Some event names the node.
  IdVector<OpId, bool> isNamed_;
  /// Of a group that would close a cycle.
  IdVector<OpId, bool> isRefused_;
  /// Kernels that would have closed a cycle.
  int64_t refused_ = 0;
};

}  // namespace

std::unique_ptr<Binder> bindsByNodes(const BindInput& input) {
  NamedNodes named(input.graph.module(), input.timeline);
  if (!named.any()) return nullptr;
  return std::make_unique<NodeBinder>(input, std::move(named));
}

}  // namespace amdahlc::binding
