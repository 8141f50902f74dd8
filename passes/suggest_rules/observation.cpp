#include "passes/suggest_rules/observation.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "passes/suggest_rules/proposals.h"
#include "passes/trace_bind/call_kinds.h"
#include "passes/trace_bind/launches.h"
#include "passes/trace_bind/named_nodes.h"

namespace amdahlc::suggestions {
namespace {

using ir::OpId;

/// Whether a rule could explain an event that is without a kernel for this reason: it ran in the model and does work.
bool mayHaveRule(ir::UnboundReason::Kind reason) {
  using enum ir::UnboundReason::Kind;
  constexpr ir::UnboundReason::Kind kReasons[] = {
      Ambiguous, ModuleNotInGraph, OperatorNotInGraph, WorkNotInGraph, NoKernelLeft, NoKernelFits, NoRule};
  return std::ranges::find(kReasons, reason) != std::end(kReasons);
}

class Observer {
 public:
  Observer(const RuleTrial& trial, const TrialResult& result, const Timeline& timeline)
      : trial_(trial),
        module_(trial.module()),
        result_(result),
        timeline_(timeline),
        launches_(timeline, binding::knownOperators(*result.graph, runtimeAdapter(timeline.target.runtime))),
        kernelOf_(ir::eventOwners(timeline, result.facts())),
        isOpen_(timeline.size(), false) {
    for (EventIndex event = 0; event < timeline.size(); ++event) {
      if (kernelOf_[event].isNone() || result.cover.kernels[kernelOf_[event]].candidate) continue;
      kernelOf_[event] = ir::kNone;
      isOpen_[event] = true;
    }
    for (const ir::UnboundEvent& unbound : result.facts().unbound)
      isOpen_[unbound.event] = mayHaveRule(unbound.reason.kind);
  }

  Observation run() {
    rankOperators();
    for (size_t iteration = 0; iteration < launches_.iterations().size(); ++iteration) observeIteration(iteration);
    for (auto& [key, count] : gaps_) {
      const auto& [begin, end, calls] = key;
      observed_.gaps.push_back({calls, opsBetween(begin, end), count});
    }
    if (result_.facts().fit) observed_.forwards = result_.facts().fit->forwards;
    sortKinds();
    return std::move(observed_);
  }

 private:
  /// Before the first operator, or behind the last one.
  static constexpr uint32_t kNowhere = ir::kNoIndex;

  void rankOperators() {
    const binding::StatedNodes stated(module_, timeline_);
    const binding::ProgramOrders& orders = result_.graph->orders();
    rank_ = stated.any() ? stated.order(*result_.graph)
                         : orders.rank(result_.order <= binding::OrderKind::Operands ? result_.order : orders.likely());
    IdVector<OpId, bool> ran(module_.ops.size(), false);
    for (const ir::Kernel& kernel : result_.cover.kernels)
      if (kernel.candidate && !result_.facts().kernels[kernel.id].events.empty())
        for (const OpId op : kernel.ops) ran[op] = true;
    for (const OpId op : result_.graph->operators().order())
      if (!ran[op] && mayLaunch(op) && module_.ops[op].regions.empty()) observed_.openOps.push_back(op);
    std::ranges::sort(observed_.openOps, {}, [&](OpId op) { return std::pair(rank_[op], op); });
  }

  /// Whether a call may run the operator. A framework also computes what is known before the run.
  bool mayLaunch(OpId op) const {
    const binding::Need need = result_.graph->need(op);
    if (need == binding::Need::Unlikely) return false;
    const auto outputs = result_.graph->operators().outputs(op);
    return need != binding::Need::None || (!result_.graph->onlyMovesData(op) && !outputs.empty() &&
                                           result_.graph->operators().isKnownBeforeRun(outputs[0]));
  }

  void observeIteration(size_t iteration) {
    const auto launches = launches_.launches(iteration);
    const auto hasKernel = [&](EventIndex event) { return !kernelOf_[event].isNone(); };
    uint32_t begin = kNowhere;
    std::vector<KindId> calls;
    // Of the call before, if it is bound.
    ir::KernelId before;
    for (const binding::Call& call : launches_.calls(iteration)) {
      if (call.events.empty()) continue;
      const auto bound = std::ranges::find_if(call.events, hasKernel);
      if (bound != call.events.end()) {
        const ir::Kernel& kernel = result_.cover.kernels[kernelOf_[*bound]];
        const uint32_t at = rank_[kernel.anchor()];
        if (!calls.empty()) ++gaps_[{begin, at, calls}];
        begin = at;
        calls.clear();
        before = kernel.id;
        ++observed_.bound[std::string(trial_.ruleOf(kernel))];
        continue;
      }
      if (std::ranges::none_of(call.events, [&](EventIndex event) { return isOpen_[event]; })) continue;
      const KindId kind = kindOf(call, launches);
      calls.push_back(kind);
      if (!before.isNone() && readsResultOf(call, before))
        ++observed_.behind[{kind, std::string(trial_.ruleOf(result_.cover.kernels[before]))}];
      before = ir::kNone;
    }
    if (!calls.empty()) ++gaps_[{begin, kNowhere, calls}];
  }

  /// Whether the call may continue a kernel: an operand has as many elements as a result of it. Unknown sizes do not
  /// tell.
  bool readsResultOf(const binding::Call& call, ir::KernelId kernel) const {
    const OperatorFacts* facts = call.op.isNone() ? nullptr : launches_.host().operatorFactsOf(call.op);
    if (facts == nullptr || facts->inputDims.empty()) return true;
    bool known = false;
    for (const OpId op : result_.cover.kernels[kernel].ops)
      for (const ir::ValueId value : result_.graph->operators().outputs(op)) {
        const auto elements = value.isNone() ? std::nullopt : module_.values[value].type.elementCount();
        if (!elements) continue;
        known = true;
        for (const std::vector<int64_t>& dims : facts->inputDims)
          if (!dims.empty() && binding::elementsOf(dims) == *elements) return true;
      }
    return !known;
  }

  std::pair<std::string, bool> nameOf(const binding::Call& call, std::span<const binding::Launch> launches) const {
    if (!call.op.isNone()) return {std::string(timeline_.text(launches_.host().name[call.op])), true};
    return {shownKernelName(launches_.kernelName(launches[call.first])), false};
  }

  KindId kindOf(const binding::Call& call, std::span<const binding::Launch> launches) {
    const auto [name, isOperator] = nameOf(call, launches);
    const auto [found, isNew] = kinds_.try_emplace({name, isOperator}, static_cast<KindId>(observed_.kinds.size()));
    if (isNew) observed_.kinds.push_back({name, isOperator, 0, 0});
    CallKind& kind = observed_.kinds[found->second];
    ++kind.calls;
    for (const EventIndex event : call.events) kind.ns += timeline_.durationNs[event];
    for (const binding::Launch& launch : launches.subspan(call.first, call.count))
      for (const HostEventId op : launch.calls) addDims(op, kind);
    return found->second;
  }

  void addDims(HostEventId op, CallKind& kind) const {
    constexpr size_t kMostDims = 100;
    const OperatorFacts* facts = launches_.host().operatorFactsOf(op);
    if (facts == nullptr || kind.dims.size() >= kMostDims) return;
    for (const std::vector<int64_t>& operand : facts->inputDims)
      if (auto dims = binding::tellingDims(operand); dims.size() > 1) kind.dims.insert(std::move(dims));
  }

  /// Open operators behind one rank and before another. If the second is not the higher one, a forward ended between
  /// them: those at the end of one and at the begin of the next.
  std::vector<OpId> opsBetween(uint32_t begin, uint32_t end) const {
    const std::vector<OpId>& ops = observed_.openOps;
    if (begin == end && begin != kNowhere) return {};
    const auto rankOf = [&](OpId op) { return rank_[op]; };
    const auto behind = begin == kNowhere ? ops.begin() : std::ranges::upper_bound(ops, begin, {}, rankOf);
    const auto before = std::ranges::lower_bound(ops, end, {}, rankOf);  // no rank is as high as `kNowhere`
    const bool isWithin = behind <= before;
    const auto count = static_cast<size_t>(isWithin ? before - behind : (before - ops.begin()) + (ops.end() - behind));
    if (count > Gap::kMostOperators) return {};
    if (isWithin) return {behind, before};
    std::vector<OpId> around(ops.begin(), before);
    around.insert(around.end(), behind, ops.end());
    return around;
  }

  void sortKinds() {
    std::vector<KindId> order(observed_.kinds.size());
    for (KindId kind = 0; kind < order.size(); ++kind) order[kind] = kind;
    std::sort(order.begin(), order.end(), [&](KindId a, KindId b) {
      const CallKind &one = observed_.kinds[a], &other = observed_.kinds[b];
      return std::tuple(-one.ns, one.name, one.isOperator) < std::tuple(-other.ns, other.name, other.isOperator);
    });
    std::vector<KindId> renamed(order.size());
    std::vector<CallKind> sorted;
    for (const KindId kind : order) {
      renamed[kind] = static_cast<KindId>(sorted.size());
      sorted.push_back(std::move(observed_.kinds[kind]));
    }
    observed_.kinds = std::move(sorted);
    for (Gap& gap : observed_.gaps)
      for (KindId& kind : gap.calls) kind = renamed[kind];
    std::map<std::pair<KindId, std::string>, int64_t> behind;
    for (const auto& [key, count] : observed_.behind) behind[{renamed[key.first], key.second}] = count;
    observed_.behind = std::move(behind);
  }

  const RuleTrial& trial_;
  const ir::Module& module_;
  const TrialResult& result_;
  const Timeline& timeline_;
  binding::Launches launches_;
  /// By event; none without a kernel of a rule.
  std::vector<ir::KernelId> kernelOf_;
  std::vector<bool> isOpen_;
  IdVector<OpId, uint32_t> rank_;
  std::map<std::pair<std::string, bool>, KindId> kinds_;
  /// By the ranks of the kernels around them and the calls.
  std::map<std::tuple<uint32_t, uint32_t, std::vector<KindId>>, int64_t> gaps_;
  Observation observed_;
};

}  // namespace

Observation observe(const RuleTrial& trial, const TrialResult& result, const Timeline& timeline) {
  return Observer(trial, result, timeline).run();
}

}  // namespace amdahlc::suggestions
