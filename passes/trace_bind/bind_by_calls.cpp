#include "passes/trace_bind/bind_by_calls.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/program_import/program_import.h"
#include "passes/fuse/choice_order.h"
#include "passes/fuse/cover_builder.h"
#include "replay/timeline/cpu_work.h"

namespace amdahlc::binding {

using ir::CandidateId;
using ir::OpId;

namespace {

/// The number of a call of a recorded module.
using CallId = Id<struct CallTag>;

/// The operators of each call of a recorded module.
class CallsOfModule {
 public:
  explicit CallsOfModule(const ir::Module& module) : callOf_(module.ops.size()) {
    for (const OpId op : module.ops.ids()) {
      if (calls_.empty() || module.ops[op].sourceCall != module.ops[calls_.back().front()].sourceCall)
        calls_.emplace_back();
      callOf_[op] = CallId(calls_.size() - 1);
      calls_.back().push_back(op);
    }
  }

  const std::vector<OpId>& ops(CallId call) const { return calls_[call]; }
  CallId callOf(OpId op) const { return callOf_[op]; }
  IdRange<CallId> ids() const { return calls_.ids(); }
  size_t size() const { return calls_.size(); }

 private:
  IdVector<CallId, std::vector<OpId>> calls_;
  IdVector<OpId, CallId> callOf_;
};

/// Calls that work on the device, or compute something on a CPU: a `reshape` works if it copies.
IdVector<CallId, bool> callsThatWork(const Timeline& timeline, const program::Program& program,
                                     const IdVector<program::NodeId, uint32_t>& callOf, size_t calls) {
  IdVector<CallId, bool> work(calls, false);
  std::optional<CpuWork> onCpu;
  if (!timeline.hasDevice && timeline.host) onCpu.emplace(timeline);
  for (const EventIndex event : timeline.selectedEvents()) {
    const program::NodeId node = program.nodeOf[event];
    if (program.outside[event] != program::OutsideNodes::No || node.isNone()) continue;
    const HostEventId op = onCpu ? timeline.host->launchOp[event] : HostEventId();
    if (op.isNone() || !onCpu->leafOf[op].isNone()) work[CallId(callOf[node])] = true;
  }
  return work;
}

/// The kernels of the run: for each call the first candidate of all its operators, where there is one. That of a rule
/// that `runs as nothing` stands behind all others where the call works.
std::optional<IdVector<ir::KernelId, ir::Kernel>> kernelsOf(const ir::Module& module,
                                                            const ir::OperatorGraph& operators,
                                                            const IdVector<ir::RuleId, bool>& admitted,
                                                            const CallsOfModule& calls,
                                                            const IdVector<CallId, bool>& works) {
  CoverBuilder builder(module, operators);
  IdVector<CallId, bool> isDone(calls.size(), false);
  const ChoiceOrder order(module, operators);
  for (const bool isContradicted : {false, true})
    for (const CandidateId id : order.candidates()) {
      const ir::Candidate& candidate = module.candidates[id];
      const CallId call = calls.callOf(candidate.ops.front());
      if (isDone[call] || !admitted[candidate.rule] || candidate.ops != calls.ops(call)) continue;
      if ((works[call] && module.rules.rules[candidate.rule].noDeviceWork) != isContradicted) continue;
      isDone[call] = builder.choose(id).choice == Choice::Chosen;
    }
  for (const CallId call : calls.ids())
    if (!isDone[call] && calls.ops(call).size() > 1) builder.addGroup(calls.ops(call));
  return builder.kernels();
}

ir::UnboundReason reasonOf(const Timeline& timeline, EventIndex event, program::OutsideNodes outside) {
  ir::UnboundReason reason;
  reason.kind = outside == program::OutsideNodes::AroundCalls ? ir::UnboundReason::Kind::AroundCalls
                                                              : ir::UnboundReason::Kind::OtherIteration;
  const HostEventId op = timeline.host ? timeline.host->launchOp[event] : HostEventId();
  reason.name = timeline.text(op.isNone() ? timeline.name[event] : timeline.host->name[op]);
  return reason;
}

ir::RecordedEvidence recordedBy(const Timeline& timeline) {
  ir::RecordedEvidence evidence;
  evidence.calls = true;
  for (const Iteration& iteration : timeline.iterations)
    evidence.marks |= iteration.selected() && iteration.startNs.has_value();
  for (const auto* const calls : {&timeline.host, &timeline.captured}) {
    if (!*calls) continue;
    evidence.shapes |= !(*calls)->operatorFacts.empty();
    for (const EventKind kind : (*calls)->kind) {
      evidence.operators |= kind == EventKind::Operator;
      evidence.frames |= kind == EventKind::ModuleFrame;
    }
  }
  return evidence;
}

}  // namespace

BoundRun bindByCalls(const ir::Module& module, const ir::OperatorGraph& operators,
                     const IdVector<ir::RuleId, bool>& admitted, const Timeline& timeline,
                     const program::Program& program) {
  BoundRun result;
  const auto callOf = ir::callsOf(module, timeline, program);
  if (!callOf) return result;
  const CallsOfModule calls(module);
  auto kernels = kernelsOf(module, operators, admitted, calls, callsThatWork(timeline, program, *callOf, calls.size()));
  if (!kernels) return result;
  ir::Cover cover;
  cover.name = cover.traceLabel = timeline.label;
  cover.kernels = std::move(*kernels);
  IdVector<OpId, ir::KernelId> kernelOf(module.ops.size());
  for (const ir::Kernel& kernel : cover.kernels)
    for (const OpId op : kernel.ops) kernelOf[op] = kernel.id;

  ir::BoundFacet facts;
  facts.kernels.resize(cover.kernels.size());
  for (const EventIndex event : timeline.selectedEvents()) {
    if (const program::OutsideNodes outside = program.outside[event]; outside != program::OutsideNodes::No) {
      facts.unbound.push_back({event, ir::kRootScope, reasonOf(timeline, event, outside)});
      ++result.counts.unboundEvents;
      continue;
    }
    const ir::KernelId kernel = kernelOf[calls.ops(CallId((*callOf)[program.nodeOf[event]])).front()];
    facts.kernels[kernel].events.push_back({event, static_cast<ir::EvidenceSet>(ir::Evidence::Call), kCertain});
    ++result.counts.boundEvents;
  }
  IdVector<ir::KernelId, bool> ran(cover.kernels.size(), false);
  for (const uint32_t call : *callOf) ran[kernelOf[calls.ops(CallId(call)).front()]] = true;
  for (const ir::KernelId kernel : facts.kernels.ids()) {
    ir::KernelBinding& binding = facts.kernels[kernel];
    binding.state = !binding.events.empty() ? ir::KernelState::Bound
                    : ran[kernel]           ? ir::KernelState::NoDeviceWork
                                            : ir::KernelState::NotExecuted;
    result.counts.boundKernels += !binding.events.empty();
  }
  facts.fit.emplace();
  facts.fit->fits = true;
  const size_t forwards = timeline.host ? spansOfModule(timeline).size() : 0;
  facts.fit->forwards = forwards > 0 ? static_cast<int64_t>(forwards) : timeline.selectedIterationCount();
  facts.fit->callsPermille = facts.fit->unitsPermille = kCertain;
  facts.fit->evidence = recordedBy(timeline);
  result.remarks.emplace_back("the graph is the program of the run; each event is bound to the call that launched it");
  cover.facets.set(std::move(facts));
  result.cover = std::move(cover);
  return result;
}

}  // namespace amdahlc::binding
