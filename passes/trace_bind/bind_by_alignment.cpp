// Aligns the calls of a run with the graph: see align.h. The order of the program, and which calls are a forward of the
// model, are hypotheses of which the best alignment tells the right one. Then instances of modules vote, and the cover
// is chosen.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <tuple>

#include "passes/trace_bind/aligned_run.h"
#include "passes/trace_bind/binder.h"
#include "support/printable.h"

namespace amdahlc::binding {

namespace {

constexpr int kVotingRounds = 2;
/// With one of these, a pair is no leftover.
constexpr evidence::Rows kContradicting =
    evidence::bit(evidence::Row::OtherWeight) | evidence::bit(evidence::Row::OtherClass);
/// Another order must be ten thousand times likelier: a few calls that a program runs out of order are no reason.
constexpr Score kClearly = 920;

/// Tries hypotheses of the order and the forwards.
class HypothesisSearch {
 public:
  HypothesisSearch(const CallKinds& kinds, BoundRun& result) : kinds_(kinds), run_(kinds.run()), result_(result) {}

  /// An exporter writes nodes in program order, but a tool may have sorted them since. The likely order wins unless
  /// another one has a clearly higher score.
  std::unique_ptr<Search> best() {
    std::unique_ptr<Search> best;
    for (const OrderKind order : orders()) {
      auto search = std::make_unique<Search>(kinds_, order, run_.rank(order), result_.counts.cells);
      highest_.reset();
      for (const Forwards& hypothesis : forwardHypotheses(run_.launches)) consider(*search, hypothesis);
      if (best && *highest_ <= best->score + kClearly) continue;
      best = std::move(search);
      if (!isAligned_) best->align(std::move(model_));
      if (best->isInOrder()) break;
    }
    // A framework runs the program as it is written; a compiler need not.
    if (run_.stated.any() || !run_.launches.hasGeneratedCode()) return best;
    if (const auto rank = orderOfCalls(*best)) {
      auto search = std::make_unique<Search>(kinds_, OrderKind::Calls, *rank, result_.counts.cells);
      search->align(best->forwards);
      note(*search);
      if (search->score > best->score + kClearly) best = std::move(search);
    }
    return best;
  }

 private:
  /// Those worth trying, the likely one first.
  std::vector<OrderKind> orders() const {
    std::vector<OrderKind> orders{run_.likelyOrder()};
    if (run_.stated.any()) return orders;
    const ProgramOrders& all = run_.graph.orders();
    for (const OrderKind other : {OrderKind::Model, OrderKind::Operands})
      if (std::ranges::none_of(orders, [&](OrderKind order) { return all.rank(order) == all.rank(other); }))
        orders.push_back(other);
    return orders;
  }

  /// A hypothesis, and its segments divided where forwards may begin.
  void consider(Search& search, const Forwards& hypothesis) {
    const auto restarted = search.atRestarts(hypothesis);
    align(search, restarted ? *restarted : hypothesis);
    // What leads back to the begin of the program may be a trip of a loop.
    if (restarted && !search.program.loops().empty()) align(search, hypothesis);
    if (search.isInOrder() || search.isHopeless()) return;
    bool divided = false;
    for (const bool searchBegin : {false, true}) {
      const auto repetitions = divided ? std::nullopt : search.atRepetitions(hypothesis, searchBegin);
      if (!repetitions) continue;
      align(search, *repetitions);
      // A restart in a repetition says that it begins within a forward; a repetition may be a trip of a loop.
      divided = search.isInOrder() && (searchBegin || !search.hasRestarts()) && search.program.loops().empty();
    }
    if (restarted && !divided) align(search, hypothesis);
  }

  void align(Search& search, const Forwards& hypothesis) {
    search.align(hypothesis);
    note(search);
    isAligned_ = !highest_ || search.score > *highest_;
    if (!isAligned_) return;
    highest_ = search.score;
    model_ = hypothesis;
  }

  void note(const Search& search) {
    const auto& root = search.forwards.root;
    result_.debugLines.push_back(fmt::format(
        "{}, {}: {:.2f} nats", name(search.scorer.order()),
        root ? fmt::format("the calls of `{}` are the forwards", printable(run_.launches.timeline().text(*root)))
             : "a forward may begin anywhere",
        static_cast<double>(search.score) / 100));
  }

  const CallKinds& kinds_;
  const ObservedRun& run_;
  BoundRun& result_;
  /// Of one order: the best forwards, their score, and whether they were tried last.
  Forwards model_;
  std::optional<int64_t> highest_;
  bool isAligned_ = false;
};

/// The modules around calls, in order of first call, outer ones first.
std::vector<Symbol> instanceNames(const Launches& launches) {
  std::vector<Symbol> names;
  std::set<uint32_t> seen;
  for (const Call& call : launches.calls())
    for (const HostEventId frame : std::views::reverse(launches.framesAround(call)))
      if (const Symbol name = launches.host().name[frame]; seen.insert(name.index).second) names.push_back(name);
  return names;
}

Instances voteInstances(const Search& search) {
  Instances instances;
  search.eachDistinctCall([&](const Search::Place& at) {
    const CallBinding& call = search.binding(at);
    const auto instance = search.instance(at);
    if (!call.option || !call.first || !instance || at.isOutside()) return;
    instances.vote(*instance, search.scope(*call.option), search.copies[at.alignment] * call.option->vote());
  });
  return instances;
}

/// Pairs what the order forbade, because streams or an optimizer changed it: calls and units of one forward that are
/// left over, with strong evidence, the strongest first. Kernels of a cover share no work: only those that ran in the
/// same forward are taken. Without modules only what has no other partner is paired, and only where the trace states
/// nodes, because then few calls are left.
void pairLeftovers(Search& search, uint32_t index, const Instances& instances, const ChosenCover& chosen) {
  Alignment& alignment = search.alignments[index];
  std::set<std::pair<uint32_t, AlternativeId>> used;
  for (const CallBinding& call : alignment.calls)
    if (call.option) used.insert({call.forward, call.option->alternative});
  std::vector<std::tuple<Score, size_t, const Option*>> left, alone;
  std::map<size_t, int> ofCall;
  std::map<std::pair<uint32_t, AlternativeId>, int> ofAlternative;
  for (uint32_t call = 0; call < alignment.calls.size(); ++call) {
    const Search::Place at{search.segment(index), index, call};
    if (alignment.calls[call].option || at.isOutside()) continue;
    const auto instance = search.instance(at);
    if (!instance && search.scorer.order() != OrderKind::Trace) continue;
    for (const Option& option : search.options(at)) {
      if (option.calls > 1 || !chosen.holds(option.alternative)) continue;
      Judgement votes;
      if (instance) instances.judge(*instance, search.scope(option), votes);
      const Score advantage = search.advantage(at, option) + votes.score;
      if (advantage <= kLeastAdvantage || (option.rows & kContradicting) != 0) continue;
      if (instance) {
        left.emplace_back(-advantage, call, &option);
      } else if (const std::pair place{alignment.calls[call].forward, option.alternative}; !used.contains(place)) {
        alone.emplace_back(-advantage, call, &option);
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

/// Alternatives of the alignments that do not overlap, those of most bindings first.
std::vector<AlternativeId> usedAlternatives(const Search& search) {
  const std::vector<Alternative>& alternatives = search.graph.alternatives();
  std::vector<int64_t> bindings(alternatives.size(), 0);
  search.eachDistinctCall([&](const Search::Place& at) {
    const CallBinding& call = search.binding(at);
    if (call.option && call.first) bindings[call.option->alternative] += search.copies[at.alignment];
  });
  std::vector<std::pair<int64_t, AlternativeId>> order;
  for (AlternativeId id = 0; id < bindings.size(); ++id)
    if (bindings[id] > 0) order.emplace_back(-bindings[id], id);
  std::ranges::sort(order);
  // Then those of nodes of which calls run parts.
  std::set<AlternativeId> moved;
  search.eachDistinctCall([&](const Search::Place& at) { moved.insert(search.features(at).movedAs); });
  moved.erase(kNoAlternative);
  for (const AlternativeId id : moved) order.emplace_back(0, id);
  IdVector<ir::OpId, bool> taken(search.graph.module().ops.size(), false);
  std::vector<AlternativeId> used;
  for (const auto& [count, id] : order) {
    const Alternative& alternative = alternatives[id];
    if (!alternative.recompute && std::ranges::any_of(alternative.ops, [&](ir::OpId op) { return taken[op]; }))
      continue;
    for (const ir::OpId op : alternative.ops) taken[op] = true;
    used.push_back(id);
  }
  return used;
}

/// The bound events of each forward. Empty where every iteration has one forward at most.
std::vector<ForwardExtent> forwardsOf(const Search& search) {
  std::vector<ForwardExtent> forwards;
  const Segment* segment = nullptr;
  uint32_t last = 0;
  bool areSeveral = false;
  search.eachCall([&](const Search::Place& at) {
    const CallBinding& binding = search.binding(at);
    const Call& call = search.call(at);
    if (!binding.option || binding.leftover || call.spill) return;
    if (segment != &at.segment || last != binding.forward) {
      areSeveral |= segment != nullptr && segment->iteration == at.segment.iteration;
      forwards.push_back({call.events.front(), call.events.front()});
    }
    segment = &at.segment;
    last = binding.forward;
    forwards.back().last = call.events.back();
  });
  if (!areSeveral) forwards.clear();
  return forwards;
}

class AlignmentBinder : public Binder {
 public:
  explicit AlignmentBinder(const BindInput& input) : input_(input) {}

  bool readsCalls() const override { return true; }

  std::optional<IdVector<ir::KernelId, ir::Kernel>> chooseKernels(ObservedRun& run) override {
    run_ = &run;
    kinds_.emplace(run);
    search_ = HypothesisSearch(*kinds_, input_.result).best();
    for (int round = 0; round < kVotingRounds && search_->forwards.root; ++round) {
      instances_ = voteInstances(*search_);
      search_->align(instances_);
    }
    auto chosen = chooseCover(input_.graph, usedAlternatives(*search_));
    if (!chosen) return std::nullopt;
    chosen_ = std::move(*chosen);
    search_->eachDistinctCall([&](const Search::Place& at) {
      const auto& option = search_->binding(at).option;
      refused_ += option && !chosen_.holds(option->alternative);
    });
    if (refused_ > 0) {
      search_->scorer.restrictTo(chosen_);
      search_->align(instances_);
    }
    return std::move(chosen_.kernels);
  }

  void bind(const ir::Cover& cover, ir::BoundFacet& facts) override {
    instances_.inferAround(run_->launches, search_->forwards.root, input_.graph.module().scopes);
    for (const Alignment& alignment : search_->alignments) {
      const Segment& segment = search_->segment(probabilities_.size());
      probabilities_.push_back(posterior(search_->program, search_->calls(segment), alignment));
    }
    if (search_->scorer.order() == OrderKind::Calls) shareAmongEquals(*search_, probabilities_);
    for (uint32_t i = 0; i < search_->alignments.size(); ++i) pairLeftovers(*search_, i, instances_, chosen_);
    distribute(aligned(), input_.options.thresholdPermille, facts);
    addOutside(*run_, cover, instances_, facts);
    facts.fit = binding::measureFit(*search_, facts);
    facts.forwards = forwardsOf(*search_);
    std::map<ir::OpId, int64_t> trips;
    for (const Alignment& alignment : search_->alignments)
      for (const auto& [op, count] : alignment.trips) trips[op] = std::max(trips[op], count);
    for (const ir::Kernel& kernel : cover.kernels)
      if (const auto count = trips.find(kernel.anchor()); count != trips.end())
        facts.kernels[kernel.id].tripCount = count->second;
    report();
  }

  void explain(const ir::Cover& cover, const ir::BoundFacet& facts) override {
    if (refused_ > 0)
      input_.result.remarks.push_back(
          fmt::format("{} candidates that the alignment used would close a cycle between kernels", refused_));
    binding::explain(aligned(), input_.options, cover, facts, input_.result);
  }

 private:
  AlignedRun aligned() const { return {*search_, chosen_, instances_, probabilities_}; }

  /// What was found about the run as a whole.
  void report() const {
    BoundRun& result = input_.result;
    const Launches& launches = run_->launches;
    const auto forwards = static_cast<int64_t>(search_->forwards.segments.size());
    result.counts.alignedSegments = static_cast<int64_t>(search_->segmentOf.size());
    result.counts.transferredSegments = forwards - result.counts.alignedSegments;
    result.order = search_->scorer.order();
    result.score = search_->score;
    result.remarks.push_back(describeOrder(result.order, kinds_->compared().weights));
    const auto nameOf = [&](Symbol instance) {
      return launches.runtime().moduleInstance(launches.timeline().text(instance));
    };
    const std::optional<Symbol> root = search_->forwards.root;
    if (root) {
      result.root = nameOf(*root);
      result.remarks.push_back(fmt::format("module frame `{}` is the model, with {} forwards", result.root, forwards));
    }
    for (const Symbol instance : instanceNames(launches)) {
      const auto scope = instances_.scopeOf(instance);
      if (scope || instance == root) result.modulesOfModel.insert(instance.index);
      if (instance == root) continue;
      result.remarks.push_back(scope ? fmt::format("module frame `{}` is scope `{}`", nameOf(instance),
                                                   input_.graph.module().scopePath(*scope))
                                     : fmt::format("module frame `{}` has no scope in the graph", nameOf(instance)));
    }
  }

  const BindInput input_;
  ObservedRun* run_ = nullptr;
  std::optional<CallKinds> kinds_;
  std::unique_ptr<Search> search_;
  Instances instances_;
  ChosenCover chosen_;
  Posteriors probabilities_;
  /// Alternatives that the alignment used but that would close a cycle between kernels or overlap others.
  int64_t refused_ = 0;
};

}  // namespace

std::unique_ptr<Binder> bindsByAlignment(const BindInput& input) { return std::make_unique<AlignmentBinder>(input); }

}  // namespace amdahlc::binding
