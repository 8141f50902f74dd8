#include "runs/program/traced_calls.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "replay/timeline/tensor_layout.h"

namespace amdahlc::program {

namespace {

using execution_trace::ExecutionTrace;

bool isLinkable(EventKind kind) { return kind == EventKind::Operator || kind == EventKind::Annotation; }

/// A value as the profiler writes it: `[1, 1]`, `False`; empty for what has no value there.
std::string textOf(const ExecutionTrace& trace, std::span<const execution_trace::Value> values) {
  using Kind = execution_trace::ValueKind;
  const execution_trace::Value& value = values.front();
  switch (value.kind) {
    case Kind::Integer:
      return std::to_string(value.number);
    case Kind::Boolean:
      return value.number != 0 ? "True" : "False";
    case Kind::Real:
      return std::string(trace.text(value.text));
    case Kind::List: {
      std::string list;
      for (size_t at = 1; at < values.size(); at = execution_trace::behind(values, at)) {
        const std::string item = textOf(trace, values.subspan(at, execution_trace::behind(values, at) - at));
        if (item.empty()) return {};
        list.append(list.empty() ? "" : ", ").append(item);
      }
      return '[' + list + ']';
    }
    default:
      return {};
  }
}

/// What a call takes, one entry for each argument, and for each tensor of a list.
OperatorFacts operandsOf(const ExecutionTrace& trace, execution_trace::NodeId call) {
  OperatorFacts facts;
  std::vector<std::vector<int64_t>> strides;
  const auto values = trace.inputs(call);
  for (size_t at = 0; at < values.size(); at = execution_trace::behind(values, at)) {
    const size_t end = execution_trace::behind(values, at), before = facts.inputDims.size();
    for (size_t inner = at; inner < end; ++inner) {
      if (values[inner].kind != execution_trace::ValueKind::Tensor) continue;
      const execution_trace::Tensor& tensor = trace.tensors[static_cast<size_t>(values[inner].number)];
      if (tensor.sizes == execution_trace::kNoSizes) {
        facts.inputDims.emplace_back();
        facts.inputTypes.emplace_back();
      } else {
        const auto sizes = trace.sizes[tensor.sizes];
        facts.inputDims.emplace_back(sizes.begin(), sizes.end());
        facts.inputTypes.emplace_back(trace.text(tensor.type));
      }
      strides.emplace_back();
      if (tensor.strides != execution_trace::kNoSizes) {
        const auto stated = trace.sizes[tensor.strides];
        strides.back().assign(stated.begin(), stated.end());
      }
      facts.values.emplace_back();
    }
    if (facts.inputDims.size() > before) continue;
    facts.inputDims.emplace_back();
    strides.emplace_back();
    facts.inputTypes.emplace_back(values[at].kind == execution_trace::ValueKind::None ? "" : "Scalar");
    facts.values.push_back(textOf(trace, values.subspan(at, end - at)));
  }
  facts.strides = compactStrides(facts.inputDims, std::move(strides));
  return facts;
}

bool hasOperands(const OperatorFacts* facts) {
  return facts != nullptr && (!facts->inputDims.empty() || !facts->inputTypes.empty());
}

}  // namespace

execution_trace::Links linksOf(const Timeline& timeline, const ExecutionTrace& trace) {
  const HostFacts& host = *timeline.host;
  std::vector<execution_trace::HostCall> calls;
  for (const HostEventId event : host.kind.ids())
    if (isLinkable(host.kind[event]))
      calls.push_back({timeline.text(host.name[event]), host.recordFunction.empty() ? -1 : host.recordFunction[event],
                       host.track[event]});
  return execution_trace::linkCalls(trace, calls);
}

std::optional<IdVector<HostEventId, execution_trace::NodeId>> linkedCalls(const Timeline& timeline,
                                                                          const ExecutionTrace& trace,
                                                                          DiagnosticEngine& diagnostics) {
  const execution_trace::Links links = linksOf(timeline, trace);
  if (!links.belongTogether) {
    diagnostics.error(DiagId::TraceOfAnotherRun, FileLocation{trace.file},
                      fmt::format("this is not the execution trace of the run in `{}`: {}", timeline.file,
                                  execution_trace::describe(links)));
    return std::nullopt;
  }
  IdVector<HostEventId, execution_trace::NodeId> found(timeline.host->size());
  size_t call = 0;
  for (const HostEventId event : found.ids())
    if (isLinkable(timeline.host->kind[event])) found[event] = links.nodeOf[call++];
  return found;
}

bool addTracedFacts(Timeline& timeline, const ExecutionTrace& trace, DiagnosticEngine& diagnostics) {
  const auto nodeOf = linkedCalls(timeline, trace, diagnostics);
  if (!nodeOf) return false;
  HostFacts& host = *timeline.host;
  TracedCalls traced{.file = trace.file};
  // Equal operands have one entry, as those of the trace do.
  std::map<std::tuple<decltype(OperatorFacts::inputDims), decltype(OperatorFacts::inputTypes),
                      decltype(OperatorFacts::values), decltype(OperatorFacts::strides)>,
           uint32_t>
      known;
  for (const HostEventId event : host.kind.ids()) {
    if (!isLinkable(host.kind[event])) continue;
    ++traced.calls;
    const execution_trace::NodeId node = (*nodeOf)[event];
    if (node.isNone()) continue;
    ++traced.linked;
    if (host.kind[event] != EventKind::Operator) continue;
    if (host.sequenceNumber[event] < 0 && trace.sequenceNumber[node] >= 0) {
      host.sequenceNumber[event] = trace.sequenceNumber[node];
      if (host.forwardThread[event] == 0 && trace.forwardThread[node] > 0 &&
          trace.forwardThread[node] <= std::numeric_limits<int32_t>::max())
        host.forwardThread[event] = static_cast<int32_t>(trace.forwardThread[node]);
      ++traced.numbers;
    }
    if (hasOperands(host.operatorFactsOf(event)) || trace.inputs(node).empty()) continue;
    OperatorFacts facts = operandsOf(trace, node);
    const auto [same, isNew] = known.try_emplace({facts.inputDims, facts.inputTypes, facts.values, facts.strides},
                                                 static_cast<uint32_t>(host.operatorFacts.size()));
    if (isNew) host.operatorFacts.push_back(std::move(facts));
    host.factsIndex[event] = same->second;
    ++traced.operands;
  }
  host.traced = std::move(traced);
  return true;
}

}  // namespace amdahlc::program
