#include "passes/trace_bind/bind_timeline.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "passes/trace_bind/bind_by_names.h"
#include "passes/trace_bind/bind_by_nodes.h"
#include "passes/trace_bind/bind_search.h"
#include "passes/trace_bind/explainer.h"
#include "passes/trace_bind/known_operators.h"
#include "passes/trace_bind/stated_nodes.h"
#include "support/limits.h"

namespace amdahlc::binding {

using ir::OpId;

namespace {

constexpr int kVotingRounds = 2;
/// A few calls out of order are no reason to choose the other order.
constexpr Score kClearly = 500;
/// The other order is tried if more than one in so many calls stay unbound.
constexpr int64_t kInOrderPart = 50;
/// Evidence below this does not tell what a call is; its module alone does not bind it.
constexpr Score kWeak = 100;

/// The modules around calls, in order of first call, outer ones first.
std::vector<Symbol> instanceNames(const Launches& launches) {
  const HostFacts& host = launches.host();
  std::vector<Symbol> names;
  std::set<uint32_t> seen;
  for (size_t i = 0; i < launches.iterations().size(); ++i) {
    for (const Call& call : launches.calls(i)) {
      std::vector<Symbol> around;
      for (HostEventId at = call.frame; !at.isNone(); at = host.parent[at])
        if (host.kind[at] == EventKind::ModuleFrame) around.push_back(host.name[at]);
      for (auto name = around.rbegin(); name != around.rend(); ++name)
        if (seen.insert(name->index).second) names.push_back(*name);
    }
  }
  return names;
}

}  // namespace

/// Evidence of the module instance around a call; 0 without one.
Score TimelineBinder::instanceBonus(const Search& search, const Instances& instances, std::optional<Symbol> instance,
                                    const Option& option) {
  if (!instance) return 0;
  const Score score = instances.evidence(*instance, search.program.units()[option.unit].scope);
  return option.evidence < kWeak ? std::min(score, kWeak) : score;
}

void TimelineBinder::alignSegments(Search& search, const Launches& launches, const Instances& instances) {
  search.alignments.clear();
  search.score = search.forwards.unmarked * evidence::kRestart;
  for (size_t i = 0; i < search.segmentOf.size(); ++i) {
    const Segment& segment = search.segment(i);
    const auto calls = search.calls(segment);
    const auto all = launches.calls(segment.iteration);
    Bonus bonus;
    if (!instances.empty())
      bonus = [&](size_t call, const Option& option) {
        return instanceBonus(search, instances, launches.instanceOf(all[segment.begin + call]), option);
      };
    search.alignments.push_back(align(search.program, calls, segment.restarts, bonus));
    search.score += search.alignments.back().score * search.copies[i];
    counts_.cells += search.alignments.back().cells;
  }
}

Instances TimelineBinder::voteInstances(const Search& search, const Launches& launches) const {
  Instances instances;
  for (size_t i = 0; i < search.alignments.size(); ++i) {
    const Segment& segment = search.segment(i);
    const auto all = launches.calls(segment.iteration);
    for (size_t call = 0; call < search.alignments[i].calls.size(); ++call) {
      const auto& option = search.alignments[i].calls[call].option;
      const auto instance = launches.instanceOf(all[segment.begin + call]);
      if (!option || !search.alignments[i].calls[call].first || !instance || segment.outside[call]) continue;
      instances.vote(*instance, search.program.units()[option->unit].scope,
                     search.copies[i] * std::max<Score>(option->evidence, 10));
    }
  }
  return instances;
}

/// Whether hardly any call is unbound that has options: then no other order can explain more.
bool TimelineBinder::inOrder(const Search& search) const {
  int64_t withOptions = 0, unbound = 0;
  for (size_t i = 0; i < search.alignments.size(); ++i) {
    const Segment& segment = search.segment(i);
    for (size_t call = 0; call < search.alignments[i].calls.size(); ++call) {
      const uint32_t kind = search.kind(segment, call);
      if (segment.outside[call] || search.scorer.options(kind).empty() || search.scorer.features(kind).movesData)
        continue;
      withOptions += search.copies[i];
      if (!search.alignments[i].calls[call].option) unbound += search.copies[i];
    }
  }
  return unbound * kInOrderPart <= withOptions;
}

/// Pairs what the order forbade, because streams or an optimizer changed it: calls and units of one forward that are
/// left over, with strong evidence, the strongest first. Kernels of a cover share no work: only those that ran in the
/// same forward are taken. Without modules only what has no other partner is paired, and only where the trace states
/// nodes, because then few calls are left.
void TimelineBinder::pairLeftovers(Search& search, const Launches& launches, const Instances& instances,
                                   const std::vector<bool>& inCover) const {
  for (size_t i = 0; i < search.alignments.size(); ++i) {
    Alignment& alignment = search.alignments[i];
    const Segment& segment = search.segment(i);
    const auto all = launches.calls(segment.iteration);
    std::set<std::pair<uint32_t, AlternativeId>> used;
    for (const CallBinding& call : alignment.calls)
      if (call.option) used.insert({call.forward, call.option->alternative});
    std::vector<std::tuple<Score, size_t, const Option*>> left, alone;
    std::map<size_t, int> ofCall;
    std::map<std::pair<uint32_t, AlternativeId>, int> ofAlternative;
    for (size_t call = 0; call < alignment.calls.size(); ++call) {
      if (alignment.calls[call].option || segment.outside[call]) continue;
      const auto instance = launches.instanceOf(all[segment.begin + call]);
      for (const Option& option : search.scorer.options(search.kind(segment, call))) {
        if (option.calls > 1 || !inCover[option.alternative]) continue;
        const ir::ScopeId scope = search.program.units()[option.unit].scope;
        const Score score = option.evidence + (instance ? instances.evidence(*instance, scope) : 0);
        if (score <= kLeastLeftover) continue;
        if (instance) {
          left.emplace_back(-score, call, &option);
        } else if (const std::pair place{alignment.calls[call].forward, option.alternative};
                   search.order == OrderKind::Trace && !used.contains(place)) {
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
    std::sort(left.begin(), left.end());
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
std::vector<AlternativeId> TimelineBinder::usedAlternatives(const Search& search) const {
  std::vector<int64_t> bindings(graph_.alternatives().size(), 0);
  for (size_t i = 0; i < search.alignments.size(); ++i)
    for (const CallBinding& call : search.alignments[i].calls)
      if (call.option && call.first) bindings[call.option->alternative] += search.copies[i];
  std::vector<std::pair<int64_t, AlternativeId>> order;
  for (AlternativeId id = 0; id < bindings.size(); ++id)
    if (bindings[id] > 0) order.emplace_back(-bindings[id], id);
  std::sort(order.begin(), order.end());
  IdVector<OpId, bool> taken(module_.ops.size(), false);
  std::vector<AlternativeId> used;
  for (const auto& [count, id] : order) {
    const Alternative& alternative = graph_.alternatives()[id];
    if (!alternative.recompute &&
        std::any_of(alternative.ops.begin(), alternative.ops.end(), [&](OpId op) { return taken[op]; }))
      continue;
    for (const OpId op : alternative.ops) taken[op] = true;
    used.push_back(id);
  }
  return used;
}

/// Whether all rules with candidates say that they bind by kernel names only.
bool TimelineBinder::haveNamesOnly(const IdVector<ir::RuleId, bool>& active) const {
  bool any = false;
  for (const ir::RuleId rule : module_.rules.rules.ids()) {
    if (!active[rule] || module_.rules.rules[rule].noDeviceWork) continue;
    if (!module_.rules.rules[rule].namesOnly) return false;
    any = true;
  }
  return any;
}

/// An exporter writes nodes in program order, but a tool may have sorted them since. The likely order wins unless
/// another one has a clearly higher score.
std::unique_ptr<TimelineBinder::Search> TimelineBinder::searchOrders(const Launches& launches, RuleLaunches& rules) {
  const OrderKind likely = graph_.orders().likely();
  std::vector<OrderKind> orders{likely};
  for (const OrderKind other : {OrderKind::Model, OrderKind::Operands})
    if (other != likely) orders.push_back(other);
  const StatedNodes stated(module_, launches.timeline());
  IdVector<OpId, uint32_t> ofTrace;
  if (stated.any()) {
    ofTrace = stated.order(graph_);
    orders.assign(1, OrderKind::Trace);
  }
  const auto note = [&](const Search& search) {
    const Forwards& tried = search.forwards;
    details_.hypotheses.push_back({search.order,
                                   tried.hasRoot ? std::string(launches.timeline().text(tried.root)) : std::string(),
                                   search.score});
  };
  std::unique_ptr<Search> best;
  for (const OrderKind order : orders) {
    auto search = std::make_unique<Search>(
        graph_, order, order == OrderKind::Trace ? ofTrace : graph_.orders().rank(order), launches, rules);
    std::optional<Forwards> model;
    int64_t highest = 0;
    const auto consider = [&](const Forwards& hypothesis) {
      search->setForwards(hypothesis, launches);
      alignSegments(*search, launches, {});
      note(*search);
      if (model && search->score <= highest) return;
      highest = search->score;
      model = hypothesis;
    };
    for (const Forwards& hypothesis : forwardHypotheses(launches)) {
      bool divided = false;
      for (const bool searchBegin : {false, true}) {
        if (divided) break;
        if (const auto repetitions = search->atRepetitions(hypothesis, searchBegin)) {
          consider(*repetitions);
          // A restart in a repetition says that it begins within a forward; a repetition may be a trip of a loop.
          divided = inOrder(*search) && (searchBegin || !search->hasRestarts()) && search->program.loops().empty();
        }
      }
      if (!divided) consider(hypothesis);
    }
    if (best && highest <= best->score + kClearly) continue;
    best = std::move(search);
    best->setForwards(std::move(*model), launches);
    alignSegments(*best, launches, {});
    if (inOrder(*best)) break;
  }
  // A framework runs the program as it is written; a compiler need not.
  if (stated.any() || !launches.hasGeneratedCode()) return best;
  if (const auto rank = orderOfCalls(*best)) {
    auto search = std::make_unique<Search>(graph_, OrderKind::Calls, *rank, launches, rules);
    search->setForwards(best->forwards, launches);
    alignSegments(*search, launches, {});
    note(*search);
    if (search->score > best->score + kClearly) best = std::move(search);
  }
  return best;
}

std::optional<ir::Cover> TimelineBinder::bindNamed(const Timeline& timeline, const NamedNodes& named,
                                                   const Launches& launches, RuleLaunches& rules) {
  NodeBinder binder(module_, operators_, graph_, named, timeline);
  auto kernels = binder.chooseKernels();
  if (!kernels) return std::nullopt;
  ir::Cover cover;
  cover.name = timeline.label;
  cover.traceLabel = timeline.label;
  cover.kernels = std::move(*kernels);
  ir::BoundFacet facts;
  facts.kernels.resize(cover.kernels.size());
  binder.bind(cover, facts);
  finish(cover, facts, {}, rules, launches);
  binder.setMissReasons(cover, facts);
  facts.fit = binder.measureFit(facts, cover);
  details_.named = true;
  details_.refused = binder.refused();
  details_.forwards = facts.fit->forwards;
  details_.decisions = decisions(module_, graph_.grouping().kernels, cover.kernels);
  for (const Subject& subject : subjects_) details_.explanations.push_back(binder.explain(subject, cover, facts));
  cover.facets.set(std::move(facts));
  return cover;
}

std::optional<ir::Cover> TimelineBinder::bind(const Timeline& timeline) {
  const IdVector<ir::RuleId, bool> active = rulesWithCandidates(graph_);
  KnownOperators known(graph_, runtimeAdapter(timeline.target.runtime), active);
  const bool namesOnly = haveNamesOnly(active);
  const NamedNodes named(module_, timeline);
  const Launches launches(
      timeline, [&](std::string_view name) { return known.contains(name); }, namesOnly || named.any());
  const size_t tests = RuleLaunches::testsOf(module_.rules, active), kinds = launches.signatures().size();
  if (tests > limits::kKernelTestsPerLaunch && tests * kinds > limits::kFreeKernelTests) {
    details_.excess = {tests, kinds};
    return std::nullopt;
  }
  RuleLaunches rules(module_.rules, launches, active);
  ir::Cover cover;
  cover.name = timeline.label;
  cover.traceLabel = timeline.label;
  ir::BoundFacet facts;

  if (namesOnly) {
    cover.kernels = graph_.grouping().kernels;
    facts.kernels.resize(cover.kernels.size());
    bindByNames(module_, cover, launches, rules, facts);
    addOutside(cover, launches, Instances(), facts);
    facts.fit.emplace();
    facts.fit->namesOnly = true;
    facts.fit->evidence = recordedEvidence(launches);
    finish(cover, facts, {}, rules, launches);
    cover.facets.set(std::move(facts));
    return cover;
  }

  if (named.any()) return bindNamed(timeline, named, launches, rules);

  const std::unique_ptr<Search> best = searchOrders(launches, rules);
  Instances instances;
  const auto refine = [&] {
    for (int round = 0; round < kVotingRounds && best->forwards.hasRoot; ++round) {
      instances = voteInstances(*best, launches);
      alignSegments(*best, launches, instances);
    }
  };
  refine();
  auto chosen = chooseCover(module_, operators_, graph_, usedAlternatives(*best));
  if (!chosen) return std::nullopt;
  std::vector<bool> excluded = chosen->inCover;
  excluded.flip();
  bool again = false;
  for (const Alignment& alignment : best->alignments)
    for (const CallBinding& call : alignment.calls)
      if (call.option && excluded[call.option->alternative]) {
        again = true;
        ++details_.refused;
      }
  if (again) {
    best->scorer.exclude(excluded);
    alignSegments(*best, launches, instances);
  }
  instances.inferAround(launches, best->forwards.hasRoot ? std::optional(best->forwards.root) : std::nullopt,
                        module_.scopes);
  std::vector<std::vector<Posterior>> probabilities;
  for (size_t i = 0; i < best->alignments.size(); ++i)
    probabilities.push_back(posterior(best->program, best->calls(best->segment(i)), best->alignments[i]));
  if (best->order == OrderKind::Calls) shareAmongEquals(*best, probabilities);
  pairLeftovers(*best, launches, instances, chosen->inCover);
  cover.kernels = std::move(chosen->kernels);
  facts.kernels.resize(cover.kernels.size());

  const Found found{*best, *chosen, instances, probabilities};
  distribute(found, launches, facts);
  addOutside(cover, launches, instances, facts);
  facts.fit = measureFit(*best, launches);
  std::map<OpId, int64_t> trips;
  for (const Alignment& alignment : best->alignments)
    for (const auto& [op, count] : alignment.trips) trips[op] = std::max(trips[op], count);
  finish(cover, facts, trips, rules, launches);
  counts_.alignedSegments += static_cast<int64_t>(best->segmentOf.size());
  counts_.transferredSegments += static_cast<int64_t>(best->forwards.segments.size() - best->segmentOf.size());
  details_.order = best->order;
  details_.score = best->score;
  details_.weightsCompared = best->scorer.weightsCompared();
  if (best->forwards.hasRoot) details_.root = launches.runtime().moduleInstance(timeline.text(best->forwards.root));
  for (const Symbol instance : instanceNames(launches)) {
    if (best->forwards.hasRoot && instance == best->forwards.root) continue;
    const auto scope = instances.scopeOf(instance);
    details_.instances.push_back({std::string(launches.runtime().moduleInstance(timeline.text(instance))),
                                  scope ? module_.scopePath(*scope) : std::string(), scope.has_value()});
  }
  details_.forwards = static_cast<int64_t>(best->forwards.segments.size());
  details_.decisions = decisions(module_, graph_.grouping().kernels, cover.kernels);
  if (!subjects_.empty() || explainsCalls_) {
    const Explainer explainer(*this, found, launches, cover, facts);
    for (const Subject& subject : subjects_) {
      details_.explanations.emplace_back();
      if (const auto* event = std::get_if<size_t>(&subject))
        details_.explanations.back() = explainer.ofEvent(*event);
      else
        for (const OpId op : std::get<std::vector<OpId>>(subject)) details_.explanations.back() += explainer.ofNode(op);
    }
    if (explainsCalls_) details_.calls = explainer.ofCalls();
  }
  cover.facets.set(std::move(facts));
  return cover;
}

}  // namespace amdahlc::binding
