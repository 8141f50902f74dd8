#include "passes/trace_bind/bind_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "passes/trace_bind/bind_search.h"
#include "passes/trace_bind/named_nodes.h"
#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc::binding {

using ir::OpId;

namespace {

constexpr int kVotingRounds = 2;
/// A few calls out of order are no reason to choose the other order.
constexpr Score kClearly = 500;
/// The other order is tried if more than one in so many calls stay unbound.
constexpr int64_t kInOrderPart = 50;

/// The modules around calls, in order of first call, outer ones first.
std::vector<Symbol> instanceNames(const Launches& launches) {
  std::vector<Symbol> names;
  std::set<uint32_t> seen;
  for (size_t i = 0; i < launches.iterations().size(); ++i) {
    for (const Call& call : launches.calls(i)) {
      const std::vector<HostEventId> frames = launches.framesAround(call);
      for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
        if (const Symbol name = launches.host().name[*frame]; seen.insert(name.index).second) names.push_back(name);
    }
  }
  return names;
}

void alignSegments(Search& search, const Instances& instances, int64_t& cells) {
  search.alignments.clear();
  search.score = search.forwards.unmarked * value(evidence::Row::Restart);
  for (size_t i = 0; i < search.segmentOf.size(); ++i) {
    const Segment& segment = search.segment(i);
    const auto calls = search.calls(segment);
    Bonus bonus;
    if (!instances.empty())
      bonus = [&](size_t call, const Option& option) {
        return search.instanceBonus(instances, search.callAt(segment, call), option);
      };
    search.alignments.push_back(align(search.program, calls, segment.restarts, bonus));
    search.score += search.alignments.back().score * search.copies[i];
    cells += search.alignments.back().cells;
  }
}

Instances voteInstances(const Search& search) {
  Instances instances;
  search.eachCall([&](size_t i, size_t at) {
    const CallBinding& call = search.alignments[i].calls[at];
    const auto instance = search.launches.instanceOf(search.callAt(search.segment(i), at));
    if (!call.option || !call.first || !instance || search.segment(i).outside[at]) return;
    instances.vote(*instance, search.program.units()[call.option->unit].scope,
                   search.copies[i] * std::max<Score>(call.option->evidence, 10));
  });
  return instances;
}

/// Whether hardly any call is unbound that has options: then no other order can explain more.
bool inOrder(const Search& search) {
  int64_t withOptions = 0, unbound = 0;
  search.eachCall([&](size_t i, size_t call) {
    const Segment& segment = search.segment(i);
    if (segment.outside[call] || search.options(segment, call).empty() || search.features(segment, call).movesData)
      return;
    withOptions += search.copies[i];
    if (!search.alignments[i].calls[call].option) unbound += search.copies[i];
  });
  return unbound * kInOrderPart <= withOptions;
}

/// Pairs what the order forbade, because streams or an optimizer changed it: calls and units of one forward that are
/// left over, with strong evidence, the strongest first. Kernels of a cover share no work: only those that ran in the
/// same forward are taken. Without modules only what has no other partner is paired, and only where the trace states
/// nodes, because then few calls are left.
void pairLeftovers(Search& search, const Instances& instances, const ChosenCover& chosen) {
  for (size_t i = 0; i < search.alignments.size(); ++i) {
    Alignment& alignment = search.alignments[i];
    const Segment& segment = search.segment(i);
    std::set<std::pair<uint32_t, AlternativeId>> used;
    for (const CallBinding& call : alignment.calls)
      if (call.option) used.insert({call.forward, call.option->alternative});
    std::vector<std::tuple<Score, size_t, const Option*>> left, alone;
    std::map<size_t, int> ofCall;
    std::map<std::pair<uint32_t, AlternativeId>, int> ofAlternative;
    for (size_t call = 0; call < alignment.calls.size(); ++call) {
      if (alignment.calls[call].option || segment.outside[call]) continue;
      const auto instance = search.launches.instanceOf(search.callAt(segment, call));
      if (!instance && search.scorer.order() != OrderKind::Trace) continue;
      for (const Option& option : search.options(segment, call)) {
        if (option.calls > 1 || !chosen.holds(option.alternative)) continue;
        const ir::ScopeId scope = search.program.units()[option.unit].scope;
        const Score score = option.evidence + (instance ? instances.judge(*instance, scope).score : 0);
        if (score <= kLeastLeftover) continue;
        if (instance) {
          left.emplace_back(-score, call, &option);
        } else if (const std::pair place{alignment.calls[call].forward, option.alternative}; !used.contains(place)) {
          alone.emplace_back(-score, call, &option);
          ++ofCall[call];
          ++ofAlternative[place];
        }
      }
    }
    for (const auto& pair : alone) {
      const auto& [score, call, option] = pair;
      if (ofCall[call] == 1 && ofAlternative[{alignment.calls[call].forward, option->alternative}] == 1)
        left.push_back(pair);
    }
    std::ranges::sort(left);
    for (const auto& [score, call, option] : left) {
      CallBinding& binding = alignment.calls[call];
      if (binding.option || !used.insert({binding.forward, option->alternative}).second) continue;
      binding.option = *option;
      binding.leftover = true;
    }
    assert(bindsOnce(alignment, search.program));
  }
}

/// Alternatives of the alignments that do not overlap, those of most bindings first.
std::vector<AlternativeId> usedAlternatives(const Search& search) {
  const std::vector<Alternative>& alternatives = search.graph.alternatives();
  std::vector<int64_t> bindings(alternatives.size(), 0);
  search.eachCall([&](size_t i, size_t at) {
    const CallBinding& call = search.alignments[i].calls[at];
    if (call.option && call.first) bindings[call.option->alternative] += search.copies[i];
  });
  std::vector<std::pair<int64_t, AlternativeId>> order;
  for (AlternativeId id = 0; id < bindings.size(); ++id)
    if (bindings[id] > 0) order.emplace_back(-bindings[id], id);
  std::ranges::sort(order);
  IdVector<OpId, bool> taken(search.graph.module().ops.size(), false);
  std::vector<AlternativeId> used;
  for (const auto& [count, id] : order) {
    const Alternative& alternative = alternatives[id];
    if (!alternative.recompute && std::ranges::any_of(alternative.ops, [&](OpId op) { return taken[op]; })) continue;
    for (const OpId op : alternative.ops) taken[op] = true;
    used.push_back(id);
  }
  return used;
}

/// Whether all rules with candidates say that they bind by kernel names only.
bool haveNamesOnly(const ir::RuleSet& rules, const IdVector<ir::RuleId, bool>& active) {
  bool any = false;
  for (const ir::RuleId rule : rules.rules.ids()) {
    if (!active[rule] || rules.rules[rule].noDeviceWork) continue;
    if (!rules.rules[rule].namesOnly) return false;
    any = true;
  }
  return any;
}

/// An exporter writes nodes in program order, but a tool may have sorted them since. The likely order wins unless
/// another one has a clearly higher score.
std::unique_ptr<Search> searchOrders(const CallKinds& kinds, BoundRun& run) {
  const ObservedRun& observed = kinds.run();
  const AlternativeGraph& graph = observed.graph;
  const Timeline& timeline = observed.launches.timeline();
  const OrderKind likely = graph.orders().likely();
  std::vector<OrderKind> orders{likely};
  for (const OrderKind other : {OrderKind::Model, OrderKind::Operands})
    if (std::ranges::none_of(orders,
                             [&](OrderKind order) { return graph.orders().rank(order) == graph.orders().rank(other); }))
      orders.push_back(other);
  if (observed.stated.any()) orders.assign(1, OrderKind::Trace);
  const auto tryForwards = [&](Search& search, Forwards hypothesis) {
    search.setForwards(std::move(hypothesis));
    alignSegments(search, {}, run.counts.cells);
  };
  const auto note = [&](const Search& search) {
    const auto& root = search.forwards.root;
    run.debugLines.push_back(
        fmt::format("{}, {}: {:.2f} nats", name(search.scorer.order()),
                    root ? fmt::format("the calls of `{}` are the forwards", printable(timeline.text(*root)))
                         : "a forward may begin anywhere",
                    static_cast<double>(search.score) / 100));
  };
  std::unique_ptr<Search> best;
  for (const OrderKind order : orders) {
    auto search = std::make_unique<Search>(kinds, order, observed.rank(order));
    std::optional<Forwards> model;
    int64_t highest = 0;
    // Whether what was tried last is the best one.
    bool isAligned = false;
    const auto consider = [&](const Forwards& hypothesis) {
      tryForwards(*search, hypothesis);
      note(*search);
      isAligned = !model || search->score > highest;
      if (!isAligned) return;
      highest = search->score;
      model = hypothesis;
    };
    for (const Forwards& hypothesis : forwardHypotheses(observed.launches)) {
      const auto restarted = search->atRestarts(hypothesis);
      consider(restarted ? *restarted : hypothesis);
      // What leads back to the begin of the program may be a trip of a loop.
      if (restarted && !search->program.loops().empty()) consider(hypothesis);
      if (inOrder(*search) || search->isHopeless()) continue;
      bool divided = false;
      for (const bool searchBegin : {false, true}) {
        if (divided) break;
        if (const auto repetitions = search->atRepetitions(hypothesis, searchBegin)) {
          consider(*repetitions);
          // A restart in a repetition says that it begins within a forward; a repetition may be a trip of a loop.
          divided = inOrder(*search) && (searchBegin || !search->hasRestarts()) && search->program.loops().empty();
        }
      }
      if (restarted && !divided) consider(hypothesis);
    }
    if (best && highest <= best->score + kClearly) continue;
    best = std::move(search);
    if (!isAligned) tryForwards(*best, std::move(*model));
    if (inOrder(*best)) break;
  }
  // A framework runs the program as it is written; a compiler need not.
  if (observed.stated.any() || !observed.launches.hasGeneratedCode()) return best;
  if (const auto rank = orderOfCalls(*best)) {
    auto search = std::make_unique<Search>(kinds, OrderKind::Calls, *rank);
    tryForwards(*search, best->forwards);
    note(*search);
    if (search->score > best->score + kClearly) best = std::move(search);
  }
  return best;
}

std::string orderRemark(OrderKind order, bool weightsCompared) {
  return fmt::format("launches follow {}; weight dimensions {} compared", name(order),
                     weightsCompared ? "are" : "differ throughout and are not");
}

std::vector<ForwardExtent> forwardsOf(const Search& search) {
  std::vector<ForwardExtent> forwards;
  for (size_t s = 0; s < search.forwards.segments.size(); ++s) {
    const std::vector<CallBinding>& calls = search.alignments[search.alignmentOf[s]].calls;
    std::optional<uint32_t> last;
    for (size_t call = 0; call < calls.size(); ++call) {
      const Call& at = search.callAt(search.forwards.segments[s], call);
      if (!calls[call].option || calls[call].leftover || at.spill) continue;
      if (last != calls[call].forward) forwards.push_back({at.events.front(), at.events.front()});
      last = calls[call].forward;
      forwards.back().last = at.events.back();
    }
  }
  return forwards;
}

/// Aligns the calls with the graph. See align.h.
bool bindByAlignment(const BindInput& input, ir::Cover& cover, ir::BoundFacet& facts, BoundRun& run) {
  const Launches& launches = input.run.launches;
  const ir::Module& module = input.run.graph.module();
  const CallKinds kinds(input.run);
  const std::unique_ptr<Search> best = searchOrders(kinds, run);
  const std::optional<Symbol> root = best->forwards.root;
  Instances instances;
  for (int round = 0; round < kVotingRounds && root; ++round) {
    instances = voteInstances(*best);
    alignSegments(*best, instances, run.counts.cells);
  }
  auto chosen = chooseCover(input.run.graph, usedAlternatives(*best));
  if (!chosen) return false;
  best->eachCall([&](size_t i, size_t call) {
    const auto& option = best->alignments[i].calls[call].option;
    run.refused += option && !chosen->holds(option->alternative);
  });
  if (run.refused > 0) {
    best->scorer.restrictTo(*chosen);
    alignSegments(*best, instances, run.counts.cells);
  }
  instances.inferAround(launches, root, module.scopes);
  Posteriors probabilities;
  for (size_t i = 0; i < best->alignments.size(); ++i)
    probabilities.push_back(posterior(best->program, best->calls(best->segment(i)), best->alignments[i]));
  if (best->scorer.order() == OrderKind::Calls) shareAmongEquals(*best, probabilities);
  pairLeftovers(*best, instances, *chosen);
  cover.kernels = std::move(chosen->kernels);
  facts.kernels.resize(cover.kernels.size());

  const Found found{*best, *chosen, instances, probabilities};
  distribute(found, input.options.thresholdPermille, facts);
  addOutside(input, cover, instances, facts);
  facts.fit = measureFit(*best, facts);
  std::map<OpId, int64_t> trips;
  for (const Alignment& alignment : best->alignments)
    for (const auto& [op, count] : alignment.trips) trips[op] = std::max(trips[op], count);
  finish(input, cover, trips, facts);
  const auto forwards = static_cast<int64_t>(best->forwards.segments.size());
  run.counts.alignedSegments = static_cast<int64_t>(best->segmentOf.size());
  run.counts.transferredSegments = forwards - run.counts.alignedSegments;
  run.forwards = forwardsOf(*best);
  run.order = best->scorer.order();
  run.score = best->score;
  run.remarks.push_back(orderRemark(best->scorer.order(), best->scorer.kinds().compared().weights));
  const auto nameOf = [&](Symbol instance) {
    return launches.runtime().moduleInstance(launches.timeline().text(instance));
  };
  if (root) {
    run.root = nameOf(*root);
    run.remarks.push_back(fmt::format("module frame `{}` is the model, with {} forwards", run.root, forwards));
  }
  for (const Symbol instance : instanceNames(launches)) {
    if (instance == root) continue;
    const auto scope = instances.scopeOf(instance);
    run.remarks.push_back(
        scope ? fmt::format("module frame `{}` is scope `{}`", nameOf(instance), module.scopePath(*scope))
              : fmt::format("module frame `{}` has no scope in the graph", nameOf(instance)));
  }
  explain(found, input.options, cover, facts, run);
  return true;
}

}  // namespace

BoundRun bindTimeline(const AlternativeGraph& graph, const Timeline& timeline, const BindOptions& options) {
  const ir::Module& module = graph.module();
  BoundRun run;
  const IdVector<ir::RuleId, bool> active = graph.activeRules();
  const bool namesOnly = haveNamesOnly(module.rules, active);
  const NamedNodes named(module, timeline);
  Launches launches = observeLaunches(graph, timeline, namesOnly || named.any());
  const size_t tests = RuleLaunches::testsOf(module.rules, active), kinds = launches.signatures().size();
  if (tests > limits::kKernelTestsPerLaunch && tests * kinds > limits::kFreeKernelTests) {
    run.excess = {tests, kinds};
    return run;
  }
  ObservedRun observed(graph, std::move(launches));
  const BindInput input{observed, options};
  ir::Cover cover;
  cover.name = cover.traceLabel = timeline.label;
  ir::BoundFacet facts;
  if (namesOnly) {
    cover.kernels = graph.grouping().kernels;
    facts.kernels.resize(cover.kernels.size());
    bindByNames(module, cover, observed.launches, observed.rules, facts);
    addOutside(input, cover, Instances(), facts);
    facts.fit.emplace();
    facts.fit->namesOnly = true;
    facts.fit->evidence = recordedEvidence(observed.launches);
    run.remarks.push_back(orderRemark(run.order, false));
    finish(input, cover, {}, facts);
  } else if (named.any() ? !bindByNodes(input, named, cover, facts, run) : !bindByAlignment(input, cover, facts, run)) {
    return run;
  }
  const std::vector<std::string> decided = describeDecisions(module, graph.grouping().kernels, cover.kernels);
  run.counts.redecided = static_cast<int64_t>(decided.size());
  run.remarks.insert(run.remarks.end(), decided.begin(), decided.end());
  if (run.refused > 0)
    run.remarks.push_back(fmt::format(
        "{} {}", run.refused,
        named.any() ? "kernels of nodes that one event names would close a cycle between kernels; the events are bound "
                      "to the kernel of one of their nodes"
                    : "candidates that the alignment used would close a cycle between kernels"));
  run.counts.unboundEvents = static_cast<int64_t>(facts.unbound.size());
  for (const ir::KernelBinding& kernel : facts.kernels) {
    run.counts.boundEvents += static_cast<int64_t>(kernel.events.size());
    run.counts.boundKernels += kernel.state == ir::KernelState::Bound;
    run.counts.missedKernels += kernel.state == ir::KernelState::Unbound;
  }
  cover.facets.set(std::move(facts));
  run.cover = std::move(cover);
  return run;
}

}  // namespace amdahlc::binding
