/// How well a trace fits the model as a whole.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "passes/trace_bind/aligned_run.h"
#include "passes/trace_bind/fit_text.h"

namespace amdahlc::binding {

namespace {

/// Calls of less weight tell nothing: one call of a small model. Units tell nothing that weigh less than one with
/// parameters.
constexpr int64_t kInsignificant = 700;
/// If every call with weight has a node, and at least so much of the device time, the run is one of the model.
constexpr int64_t kLeastBoundPercent = 90;

/// The weight of the units that must run, of those of them that ran, and of those before the first call of the forward
/// or behind its last one: a trace that was cut lacks them.
struct UnitWeights {
  int64_t needed = 0, done = 0, cut = 0;
  /// One that needs nothing is complete.
  bool isMoreComplete(const UnitWeights& other) const {
    const auto [ran, of] = needed > 0 ? std::pair(done, needed) : std::pair<int64_t, int64_t>(1, 1);
    const auto [otherRan, otherOf] =
        other.needed > 0 ? std::pair(other.done, other.needed) : std::pair<int64_t, int64_t>(1, 1);
    return ran * otherOf > otherRan * of;
  }
};

/// Weighs the units of one forward after another.
class ForwardWeights {
 public:
  ForwardWeights(const AlternativeGraph& graph, const Program& program)
      : program_(program),
        optional_(program.units().size(), false),
        ranIn_(program.units().size(), 0),
        generatedIn_(program.units().size(), 0) {
    for (UnitId unit = 0; unit < program.units().size(); ++unit) {
      const Unit& at = program.units()[unit];
      // A branch that did not run needs no call.
      optional_[unit] = graph.inBranch(at.ops.front());
      if (at.mustRun && !optional_[unit]) always_ += at.weight;
    }
    before_.push_back(0);
    for (uint32_t position = 0; position < program.end(); ++position) {
      const UnitId unit = program.unitAt(position);
      const bool counts = unit != kNoUnit && program.units()[unit].mustRun && !optional_[unit];
      before_.push_back(before_.back() + (counts ? program.units()[unit].weight : 0));
    }
  }
  /// Of a forward that never ran.
  UnitWeights none() const { return {always_, 0, always_}; }
  void beginForward() {
    endForward();
    ++forward_;
    position_ = 0;
    first_ = program_.end();
    last_ = 0;
    forwards_.push_back(none());
  }
  void ran(UnitId unit) {
    const Unit& at = program_.units()[unit];
    if (!at.mustRun || ranIn_[unit] == forward_) return;
    ranIn_[unit] = forward_;
    forwards_.back().done += at.weight;
    if (optional_[unit] || generatedIn_[unit] == forward_) forwards_.back().needed += at.weight;
  }
  /// A call ran the units from one position of the program to another. Generated code since the call before, if any,
  /// may have run what lies between the two.
  void advance(uint32_t from, uint32_t to, bool generated) {
    if (generated && from < position_) runGenerated(position_, program_.end());  // another trip of a loop
    if (generated) runGenerated(from < position_ ? 0 : position_, from);
    position_ = to;
    first_ = std::min(first_, from);
    last_ = std::max(last_, to);
  }
  /// Generated code ran since the last call of the forward.
  void endGenerated() { runGenerated(position_, program_.end()); }
  /// The median of the forwards since the last end, which follow each other without a mark; the less complete of two. A
  /// trace of another model may run each unit in some forward, but not all in one; and what follows the last forward
  /// may look like the begin of another. If the trace may begin and end within a forward (`cut`), the first and the
  /// last do not count beside others, and of two the more complete one does.
  UnitWeights endSegment(bool cut) {
    endForward();
    std::vector<UnitWeights> forwards = std::exchange(forwards_, {});
    if (cut && forwards.size() > 2) forwards = {forwards.begin() + 1, forwards.end() - 1};
    std::ranges::sort(forwards, [](const UnitWeights& a, const UnitWeights& b) { return b.isMoreComplete(a); });
    return forwards[cut ? forwards.size() / 2 : (forwards.size() - 1) / 2];
  }

 private:
  /// What is outside of its calls, without what generated code may have run there.
  void endForward() {
    if (forwards_.empty() || first_ >= last_) return;
    int64_t& cut = forwards_.back().cut;
    cut = before_[first_] + before_.back() - before_[last_];
    for (const auto& [position, weight] : std::exchange(generated_, {}))
      if (position < first_ || position >= last_) cut -= weight;
  }
  /// Units that need no call, because generated code ran where they are. It contains no products with weights.
  void runGenerated(uint32_t begin, uint32_t end) {
    for (uint32_t position = begin; position < end; ++position) {
      const UnitId unit = program_.unitAt(position);
      if (unit == kNoUnit || generatedIn_[unit] == forward_) continue;
      const Unit& at = program_.units()[unit];
      if (!at.mustRun || at.multiplies || optional_[unit]) continue;
      generatedIn_[unit] = forward_;
      if (ranIn_[unit] == forward_) continue;
      forwards_.back().needed -= at.weight;
      generated_.emplace_back(position, at.weight);
    }
  }

  const Program& program_;
  std::vector<bool> optional_;
  /// By unit: the last forward in which it ran, or may have run in generated code, from 1.
  std::vector<uint32_t> ranIn_, generatedIn_;
  uint32_t forward_ = 0;
  /// Behind what the last call of the forward ran.
  uint32_t position_ = 0;
  /// The positions of the program between which the calls of the forward are.
  uint32_t first_ = 0, last_ = 0;
  /// Positions of units that generated code of the forward may have run, and their weights.
  std::vector<std::pair<uint32_t, int64_t>> generated_;
  /// By position: the weight of the units before it that run in every forward.
  std::vector<int64_t> before_;
  int64_t always_ = 0;
  std::vector<UnitWeights> forwards_;
};

/// Whether only the operator of a call is that of the node. ONNX Runtime packs weights of nodes that it states.
bool isOfOtherWeights(const Option& option) {
  using evidence::Row;
  return (option.rows & evidence::bit(Row::OtherWeight)) != 0 && (option.rows & evidence::bit(Row::SameNode)) == 0;
}

}  // namespace

ir::RecordedEvidence recordedEvidence(const Launches& launches) {
  ir::RecordedEvidence evidence;
  for (size_t i = 0; i < launches.iterations().size(); ++i) {
    evidence.marks |= launches.iteration(i).startNs.has_value();
    for (const Call& call : launches.calls(i)) {
      evidence.operators |= !call.op.isNone();
      evidence.frames |= !call.frame.isNone();
      if (call.op.isNone()) continue;
      const OperatorFacts* facts = launches.host().operatorFactsOf(call.op);
      evidence.shapes |= facts && std::ranges::any_of(facts->inputDims, [](const auto& dims) { return !dims.empty(); });
    }
    for (const EventOutsideCalls& outside : launches.outside(i)) evidence.operators |= !outside.op.isNone();
  }
  return evidence;
}

/// Calls and units that found each other, by weight: what a skipped unit costs, and as much for a call as for the
/// heaviest unit that it may run.
ir::ModelFit measureFit(const Search& search, const ir::BoundFacet& facts) {
  const Launches& launches = search.launches;
  ir::ModelFit fit;
  ForwardWeights units(search.graph, search.program);
  std::optional<UnitWeights> best;
  int64_t callWeight = 0, boundWeight = 0, bits = 0, countedCalls = 0;
  for (uint32_t i = 0; i < search.alignments.size(); ++i) {
    const Segment& segment = search.segment(i);
    uint32_t forwards = 0;
    bool any = false;
    const auto phases = launches.outside(segment.iteration);
    const bool trains = std::ranges::any_of(phases, [](const auto& one) { return !one.trainingCall.isNone(); });
    size_t behindModel = search.alignments[i].calls.size();
    while (behindModel > 0 && !search.alignments[i].calls[behindModel - 1].option) --behindModel;
    units.beginForward();
    bool generated = false;
    for (uint32_t call = 0; call < search.alignments[i].calls.size(); ++call) {
      const Search::Place at{segment, i, call};
      const CallBinding& binding = search.binding(at);
      generated |= launches.isAfterGenerated(segment.iteration, segment.begin + call);
      if (binding.option) {
        any = true;
        if (binding.forward > forwards) {
          if (generated) units.endGenerated();
          units.beginForward();
        }
        forwards = std::max(forwards, binding.forward);
        const bool before = std::exchange(generated, generated && binding.leftover);
        if (binding.first && !binding.leftover) units.advance(binding.option->from, binding.option->to, before);
        for (const ir::OpId op : search.graph.alternatives()[binding.option->alternative].ops)
          if (search.program.unitOf(op) != kNoUnit) units.ran(search.program.unitOf(op));
      }
      // The loss, and what is done with gradients, are no part of the model.
      if (call >= behindModel && trains) continue;
      // Work launched before the trace may be of anything.
      const CallFeatures& features = search.features(at);
      if (at.isOutside() || features.spill || features.movesData) continue;
      countedCalls += search.copies[i];
      const int64_t weight = search.scorer.weight(search.kind(at));
      callWeight += search.copies[i] * weight;
      if (!binding.option || isOfOtherWeights(*binding.option)) continue;
      boundWeight += search.copies[i] * weight;
      if (binding.first) bits += search.copies[i] * search.advantage(at, *binding.option);
    }
    if (generated || launches.isAfterGenerated(segment.iteration, segment.end)) units.endGenerated();
    const Iteration& iteration = launches.iteration(segment.iteration);
    UnitWeights weights = units.endSegment(!iteration.startNs);
    // What a mark begins and ends is whole.
    if (iteration.startNs && !iteration.isCut()) weights.cut = 0;
    if (!best || weights.isMoreComplete(*best)) best = weights;
    if (any) fit.forwards += search.copies[i] * (forwards + 1);
  }
  const auto [needed, done, cut] = best.value_or(units.none());
  constexpr double kBitsPerCentinat = 0.014426950408889634;
  fit.callsPermille = callWeight > 0 ? permille(static_cast<double>(boundWeight) / static_cast<double>(callWeight)) : 0;
  fit.unitsPermille = needed > 0 ? permille(static_cast<double>(done) / static_cast<double>(needed)) : 1000;
  fit.millibitsPerCall = countedCalls > 0 ? static_cast<int64_t>(static_cast<double>(bits) * kBitsPerCentinat * 1000 /
                                                                 static_cast<double>(countedCalls))
                                          : 0;
  if (const auto seen = search.scorer.kinds().compared().weightsSeen) fit.weightsPermille = permille(*seen);
  fit.evidence = recordedEvidence(launches);
  const bool fewUnexplained = boundWeight > 0 && callWeight - boundWeight <= kInsignificant;
  const bool callsExplained = fit.callsPermille >= kLeastCallsPermille || fewUnexplained;
  // A stated node tells more than the dimensions of its weights, which ONNX Runtime leaves out if it packed them.
  const bool weightsOccur =
      search.scorer.order() == OrderKind::Trace || fit.weightsPermille.value_or(1000) >= kLeastWeightsPermille;
  // If the model explains all of a run, what is before its first call and behind its last one was cut off. Where the
  // trace states nodes, the runtime may have folded others.
  const auto times = totalsByState(launches.timeline(), facts).ns;
  const int64_t deviceNs = std::accumulate(times.begin(), times.end(), int64_t{0});
  const int64_t boundNs = times[static_cast<size_t>(ir::EventState::Bound)];
  // Among many calls of something else, a part of a model is as well one of a model that is much like it.
  const bool isMostOfRun =
      fewUnexplained || fit.callsPermille >= kLeastCallsOfPartPermille || (done == needed && boundNs >= deviceNs / 2);
  const bool unitsRan = isMostOfRun && (fit.unitsPermille >= kLeastUnitsPermille || needed - done < kHeavyWeight);
  const bool allExplained =
      callWeight > 0 && boundWeight == callWeight && boundNs >= deviceNs - deviceNs / 100 * (100 - kLeastBoundPercent);
  const bool unitsBetweenRan =
      search.scorer.order() == OrderKind::Trace || done * 1000 >= (needed - cut) * kLeastUnitsPermille;
  // Without a binding there is nothing that fits.
  fit.fits = fit.forwards > 0 && fit.millibitsPerCall > 0 && (callsExplained || callWeight == 0) && weightsOccur &&
             (unitsRan || (allExplained && unitsBetweenRan));
  return fit;
}

}  // namespace amdahlc::binding
