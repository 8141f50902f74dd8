#include "passes/trace_bind/moved_nodes.h"

#include <algorithm>
#include <set>

#include "passes/trace_bind/call_kinds.h"
#include "replay/runtimes/operator_name.h"
#include "support/sort_unique.h"

namespace amdahlc::binding {

using ir::kNone;
using ir::OpId;

namespace {

/// How far behind a call its reader is looked for, and how many nodes above the reader are looked at. Runtimes run what
/// moves elements next to what reads them; a bound keeps the search linear.
constexpr size_t kMostCalls = 64, kMostNodes = 256;

/// Dimensions of the operands of a call, as they are compared, as far as the trace has them.
std::vector<std::vector<int64_t>> operandDims(const Launches& launches, const Call& call) {
  std::vector<std::vector<int64_t>> operands;
  if (call.op.isNone()) return operands;
  if (const OperatorFacts* facts = launches.host().operatorFactsOf(call.op))
    for (const auto& dims : facts->inputDims) operands.push_back(tellingDims(dims));
  return operands;
}

}  // namespace

MovedNodes::MovedNodes(ObservedRun& run)
    : run_(run), movements_(run.launches.iterations().size()), ranItself_(run.graph.module().ops.size(), false) {
  if (!run.stated.any()) return;
  holding_.resize(ranItself_.size());
  const auto& alternatives = run.graph.alternatives();
  for (AlternativeId id = 0; id < alternatives.size(); ++id)
    if (alternatives[id].rule != kNoRule)
      for (const OpId op : alternatives[id].ops) holding_[op].push_back(id);
  for (const Call& call : run.launches.calls()) {
    const OpId node = run.stated.of(call.events.front());
    if (node != kNone && comparableName(operatorOf(call)) == comparableName(typeOf(node))) ranItself_[node] = true;
  }
  for (size_t iteration = 0; iteration < movements_.size(); ++iteration) resolve(iteration);
}

std::string_view MovedNodes::typeOf(OpId node) const {
  return run_.graph.module().text(run_.graph.module().ops[node].type);
}

std::string_view MovedNodes::operatorOf(const Call& call) const {
  return call.op.isNone() ? std::string_view() : run_.launches.timeline().text(run_.launches.host().name[call.op]);
}

/// From the last call to the first, because a reader may be a movement itself.
void MovedNodes::resolve(size_t iteration) {
  const auto calls = run_.launches.calls(iteration);
  const RuntimeAdapter& runtime = run_.launches.runtime();
  std::vector<Movement>& movements = movements_[iteration];
  movements.resize(calls.size());
  for (size_t i = calls.size(); i-- > 0;) {
    const Call& call = calls[i];
    const std::string_view name = operatorOf(call);
    if (runtime.movedTypes(name).empty() || run_.stated.of(call.events.front()) != kNone) continue;
    if (runtime.isLayoutConversion(name, run_.launches.timeline().statedNode(call.events.front()))) continue;
    const auto own = operandDims(run_.launches, call);
    if (own.empty() || elementsOf(own.front()) < 0) continue;
    // A reshape changes dimensions, and no other movement does.
    const auto isReadBy = [&, reshapes = std::ranges::find(runtime.movedTypes(name), "Reshape") !=
                                         runtime.movedTypes(name).end()](const Call& reader) {
      return std::ranges::any_of(operandDims(run_.launches, reader), [&](const auto& dims) {
        return reshapes ? elementsOf(dims) == elementsOf(own.front()) : dims == own.front();
      });
    };
    for (size_t next = i + 1; next < std::min(calls.size(), i + 1 + kMostCalls); ++next) {
      const OpId stated = run_.stated.of(calls[next].events.front());
      const std::vector<OpId> readBy = stated != kNone ? std::vector{stated} : movements[next].nodes;
      // Of two movements of one type in a row the runtime makes one.
      if (readBy.empty() || (stated == kNone && operatorOf(calls[next]) == name)) continue;
      if (!isReadBy(calls[next])) continue;
      const auto [known, isNew] = known_.try_emplace({name, operatorOf(calls[next]), readBy});
      if (isNew) known->second = trace(iteration, i, next, readBy);
      // Later readers of equal dimensions would tell of another node.
      if (known->second.isAmbiguous) break;
      movements[i] = known->second;
      if (!movements[i].nodes.empty()) break;
    }
  }
}

bool MovedNodes::mayBeOf(const Call& call, OpId node) const {
  const ir::Module& module = run_.graph.module();
  const auto types = run_.launches.runtime().movedTypes(operatorOf(call));
  return module.text(module.ops[node].domain).empty() && !module.ops[node].inputs.empty() &&
         std::ranges::find(types, typeOf(node)) != types.end();
}

/// Walks from the reader against the flow of data. Nodes that contract their operands or have weights end a path,
/// because nothing is moved through them; so does a node that may be meant.
MovedNodes::Movement MovedNodes::trace(size_t iteration, size_t index, size_t reader, std::span<const OpId> readBy) {
  const ir::Module& module = run_.graph.module();
  const Call& call = run_.launches.calls(iteration)[index];
  Movement movement;
  std::set<OpId> seen(readBy.begin(), readBy.end());
  std::vector<OpId> pending(readBy.begin(), readBy.end());
  const AlternativeId fused = fusedWith(readBy.front(), iteration, reader);
  for (size_t next = 0; next < pending.size(); ++next) {
    if (pending.size() > kMostNodes) return {};
    for (const OpId op : run_.graph.operators().predecessors(pending[next])) {
      if (!seen.insert(op).second) continue;
      const bool isFused =
          fused != kNoAlternative && std::ranges::binary_search(run_.graph.alternatives()[fused].ops, op);
      if (mayBeOf(call, op) && !isFused) {
        if (!ranItself_[op]) movement.nodes.push_back(op);
      } else if (isFused || run_.graph.need(op) != Need::Heavy ||
                 !run_.launches.runtime().movedTypes(typeOf(op)).empty()) {
        pending.push_back(op);
      }
    }
  }
  // Several are parts of one tensor, or it is not known which one is meant.
  const auto isLikeFirst = [&](OpId op) {
    const ir::Op &first = module.ops[movement.nodes.front()], &other = module.ops[op];
    return first.type == other.type && first.inputs.front() == other.inputs.front();
  };
  movement.isAmbiguous = !std::ranges::all_of(movement.nodes, isLikeFirst);
  if (movement.isAmbiguous) movement.nodes.clear();
  std::ranges::sort(movement.nodes);
  if (!movement.nodes.empty()) movement.as = fusedWith(movement.nodes.front(), iteration, index);
  return movement;
}

/// The largest way to run the node and others by a rule that fits the call, of which no other node ran by itself.
AlternativeId MovedNodes::fusedWith(OpId node, size_t iteration, size_t call) {
  const auto& alternatives = run_.graph.alternatives();
  AlternativeId largest = kNoAlternative;
  for (const AlternativeId id : holding_[node]) {
    const Alternative& alternative = alternatives[id];
    if ((largest != kNoAlternative && alternative.ops.size() <= alternatives[largest].ops.size()) ||
        std::ranges::any_of(alternative.ops, [&](OpId op) { return op != node && ranItself_[op]; }) ||
        run_.rules.fit(alternative.rule, iteration, call).fit != Fit::Full)
      continue;
    largest = id;
  }
  return largest;
}

}  // namespace amdahlc::binding
