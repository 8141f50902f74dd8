#include "passes/trace_bind/bind_timeline.h"

#include <algorithm>
#include <functional>
#include <set>

#include "runtimes/operator_name.h"

namespace amdahlc::binding {

using ir::kNone;
using ir::OpId;

/// One search under one expectation of order.
struct TimelineBinder::Attempt {
  Attempt(const AlternativeGraph& graph, const ir::Cover& defaultCover, OrderKind order, const Launches& launches,
          RuleLaunches& rules)
      : order(order), frames(graph, defaultCover, order, launches, rules), scorer(graph, launches, rules, frames) {}
  OrderKind order;
  FrameScopes frames;
  Scorer scorer;
  Alignment alignment;
};

namespace {

/// Binds the unbound launches of a call to the kernel that all other launches of that call belong to: they clear memory
/// before a GEMM, or change a layout before a convolution.
void joinCalls(const Launches& all, std::span<const Launch> launches, Scorer& scorer, Alignment& alignment) {
  scorer.start(launches);
  for (size_t begin = 0; begin < launches.size();) {
    size_t end = begin + 1;
    while (end < launches.size() && launches[end].call == launches[begin].call && !launches[begin].call.isNone()) ++end;
    AlternativeId only = kNoAlternative;
    bool several = false;
    for (size_t i = begin; i < end; ++i) {
      const AlternativeId id = alignment.bindings[i].alternative;
      if (id == kNoAlternative) continue;
      several |= only != kNoAlternative && id != only;
      only = id;
    }
    for (size_t i = begin; i < end && only != kNoAlternative; ++i) {
      LaunchBinding& binding = alignment.bindings[i];
      if (binding.alternative != kNoAlternative) continue;
      const EventKind kind = all.signature(launches[i]).kind;
      AlternativeId next = several ? kNoAlternative : only;
      if (several && (kind == EventKind::Set || kind == EventKind::Copy)) {
        for (size_t j = i + 1; j < end && next == kNoAlternative; ++j) next = alignment.bindings[j].alternative;
      }
      if (next == kNoAlternative || !scorer.namesCall(i, next)) continue;
      binding.alternative = next;
      binding.evidence = static_cast<ir::EvidenceSet>(ir::Evidence::Operator);
      binding.confidencePermille = confidence(binding.evidence, 0);
    }
    begin = end;
  }
}

/// Names of framework operators that active rules or operators of the graph use.
class KnownOperators {
 public:
  KnownOperators(const AlternativeGraph& graph, const RuntimeAdapter& runtime, const IdVector<ir::RuleId, bool>& active)
      : runtime_(runtime), rules_(graph.module().rules.rules), active_(active) {
    for (const Alternative& alternative : graph.alternatives()) {
      for (const std::string& target : alternative.targets) names_.insert(runtime.comparableName(target));
      names_.insert(alternative.typeNames.begin(), alternative.typeNames.end());
    }
  }
  bool contains(std::string_view name) {
    const std::string comparable = runtime_.comparableName(name);
    if (std::any_of(names_.begin(), names_.end(),
                    [&](const std::string& known) { return sameOperator(comparable, known); }))
      return true;
    for (const ir::RuleId rule : rules_.ids()) {
      if (!active_[rule]) continue;
      for (const ir::LaunchSequence& sequence : rules_[rule].launches) {
        if (std::find(sequence.operators.begin(), sequence.operators.end(), name) != sequence.operators.end())
          return true;
        for (const std::string& pattern : sequence.operatorPatterns)
          if (operatorPatterns_.matches(pattern, name)) return true;
      }
    }
    return false;
  }

 private:
  const RuntimeAdapter& runtime_;
  const IdVector<ir::RuleId, ir::Rule>& rules_;
  const IdVector<ir::RuleId, bool>& active_;
  std::set<std::string> names_;
  OperatorPatterns operatorPatterns_;
};

}  // namespace

std::optional<ir::Cover> TimelineBinder::bind(const Timeline& timeline) {
  const ir::Cover& defaultCover = module_.covers.front();
  IdVector<ir::RuleId, bool> active(module_.rules.rules.size(), false);
  for (const ir::Candidate& candidate : module_.candidates) active[candidate.rule] = true;
  KnownOperators known(graph_, runtimeAdapter(timeline.target.runtime), active);
  const Launches launches(timeline, [&](std::string_view name) { return known.contains(name); });
  RuleLaunches rules(module_.rules, launches, active);
  ir::Cover cover;
  cover.name = timeline.label;
  cover.traceLabel = timeline.label;
  ir::BoundFacet facts;
  Alignment alignment;
  if (launches.iterations().empty()) {
    auto chosen = chooseCover(module_, operators_, graph_, alignment);
    if (!chosen) return std::nullopt;
    cover.kernels = std::move(chosen->kernels);
    facts.kernels.resize(cover.kernels.size());
    setStates(cover, facts, alignment, rules, launches);
    cover.facets.set(std::move(facts));
    return cover;
  }
  const size_t representative = launches.representative();
  details_.representativeIteration = launches.iterations()[representative];
  // An exporter writes nodes in program order, but a tool may have sorted them since. The likely order wins unless the
  // other one has a clearly higher score.
  std::unique_ptr<Attempt> best;
  const OrderKind likely = graph_.likelyOrder();
  for (const OrderKind order : {likely, likely == OrderKind::Model ? OrderKind::Operands : OrderKind::Model}) {
    auto attempt = std::make_unique<Attempt>(graph_, defaultCover, order, launches, rules);
    attempt->alignment =
        align(graph_, attempt->scorer, launches, launches.launches(representative), {beamWidth_, order, nullptr});
    counts_.expandedStates += attempt->alignment.statesExpanded;
    // A few launches out of order are not a reason to choose the other order.
    constexpr int64_t kClearly = 100;
    if (!best || attempt->alignment.score > best->alignment.score + kClearly) best = std::move(attempt);
    if (best->alignment.asExpected) break;
  }
  ++counts_.searchedIterations;
  auto chosen = chooseCover(module_, operators_, graph_, best->alignment);
  if (!chosen) return std::nullopt;
  details_.refused = static_cast<int64_t>(chosen->refused.size());
  const auto realign = [&](size_t iteration) {
    Alignment again = align(graph_, best->scorer, launches, launches.launches(iteration),
                            {beamWidth_, best->order, &chosen->inCover});
    counts_.expandedStates += again.statesExpanded;
    joinCalls(launches, launches.launches(iteration), best->scorer, again);
    return again;
  };
  if (!chosen->refused.empty())
    best->alignment = realign(representative);
  else
    joinCalls(launches, launches.launches(representative), best->scorer, best->alignment);
  alignment = best->alignment;
  cover.kernels = std::move(chosen->kernels);
  facts.kernels.resize(cover.kernels.size());

  std::vector<bool> served(graph_.alternatives().size(), false);
  std::vector<std::pair<size_t, Alignment>> all;
  for (size_t i = 0; i < launches.iterations().size(); ++i) {
    if (i == representative || launches.sameSequence(i, representative)) {
      counts_.transferredIterations += i != representative;
      all.emplace_back(i, alignment);
    } else {
      ++counts_.searchedIterations;
      all.emplace_back(i, realign(i));
      for (const auto& [op, trips] : all.back().second.trips)
        alignment.trips[op] = std::max(alignment.trips[op], trips);
    }
    for (const LaunchBinding& binding : all.back().second.bindings)
      if (binding.alternative != kNoAlternative) served[binding.alternative] = true;
  }
  for (const auto& [iteration, bound] : all) {
    const auto sequence = launches.launches(iteration);
    best->scorer.start(sequence);
    for (size_t position = 0; position < sequence.size(); ++position) {
      const LaunchBinding& binding = bound.bindings[position];
      if (binding.alternative == kNoAlternative) {
        facts.unbound.push_back(explain(sequence[position], position, best->scorer, best->frames, launches, served));
        continue;
      }
      facts.kernels[chosen->kernelOf[binding.alternative]].events.push_back(
          {sequence[position].event, binding.evidence, binding.confidencePermille});
    }
  }
  for (ir::KernelBinding& kernel : facts.kernels)
    std::sort(kernel.events.begin(), kernel.events.end(),
              [](const auto& a, const auto& b) { return a.event < b.event; });
  std::sort(facts.unbound.begin(), facts.unbound.end(), [](const auto& a, const auto& b) { return a.event < b.event; });
  setStates(cover, facts, alignment, rules, launches);

  for (const ir::KernelBinding& kernel : facts.kernels) {
    counts_.boundEvents += static_cast<int64_t>(kernel.events.size());
    counts_.boundKernels += kernel.state == ir::KernelState::Bound;
    counts_.missedKernels += kernel.state == ir::KernelState::Unbound;
  }
  counts_.unboundEvents += static_cast<int64_t>(facts.unbound.size());
  counts_.matchedFrames += static_cast<int64_t>(best->frames.matchedCount());
  details_.order = best->order;
  details_.weightsCompared = best->scorer.weightsCompared();
  details_.decisions = decisions(module_, defaultCover, cover.kernels);
  nameFrames(best->frames);
  cover.facets.set(std::move(facts));
  return cover;
}

void TimelineBinder::nameFrames(const FrameScopes& frames) {
  const auto& nodes = frames.frames();
  const std::function<void(uint32_t, std::string)> visit = [&](uint32_t node, const std::string& path) {
    for (const uint32_t child : nodes[node].children) {
      const std::string name = path.empty() ? nodes[child].name : path + "/" + nodes[child].name;
      const bool matched = nodes[child].matched != kNoScope;
      details_.frames.push_back(
          {name, matched ? module_.scopePath(ir::ScopeId(nodes[child].matched)) : std::string(), matched});
      visit(child, name);
    }
  };
  visit(0, {});
}

ir::UnboundEvent TimelineBinder::explain(const Launch& launch, size_t position, Scorer& scorer,
                                         const FrameScopes& frames, const Launches& launches,
                                         const std::vector<bool>& served) const {
  using Kind = ir::UnboundReason::Kind;
  const Timeline& timeline = launches.timeline();
  const ModulePlace place = scorer.place(position);
  ir::UnboundEvent unbound;
  unbound.event = launch.event;
  unbound.scope = frames.scope(place);
  const auto& operators = launches.signature(launch).operators;
  const std::string op = operators.empty() ? std::string() : std::string(timeline.text(operators.front()));
  if (scorer.isSpill(position)) {
    unbound.reason.kind = Kind::SpillIn;
    return unbound;
  }
  const auto rule = scorer.bestRule(position);
  if (place.known() && !place.exact) {
    unbound.reason.kind = Kind::ModuleNotInGraph;
    unbound.reason.name = timeline.text(timeline.host->name[launch.frame]);
    return unbound;
  }
  if (rule) {
    const auto& alternatives = graph_.ofRule(*rule);
    const bool plausible = std::any_of(alternatives.begin(), alternatives.end(), [&](AlternativeId id) {
      const auto found = scorer.score(position, id);
      return found && found->contradictions == 0 && !graph_.alternatives()[id].unlikely;
    });
    if (!plausible && !op.empty()) {
      unbound.reason.kind = Kind::OperatorNotInGraph;
      unbound.reason.name = op;
    } else if (std::all_of(alternatives.begin(), alternatives.end(),
                           [&](AlternativeId id) { return static_cast<bool>(served[id]); })) {
      unbound.reason.kind = Kind::NoKernelLeft;
      unbound.reason.rule = *rule;
      unbound.reason.kernels = static_cast<int64_t>(alternatives.size());
    } else {
      unbound.reason.kind = Kind::NoKernelFits;
      unbound.reason.rule = *rule;
    }
    return unbound;
  }
  // An operator that no node of the graph has as its origin was not exported. Without an operator's name, the only
  // known fact is that no rule knows the kernel.
  if (!op.empty()) {
    unbound.reason.kind = Kind::OperatorNotInGraph;
    unbound.reason.name = op;
  } else {
    unbound.reason.kind = Kind::NoRule;
  }
  return unbound;
}

}  // namespace amdahlc::binding
