#include "ir/program_import/run_facts.h"

#include <utility>

#include "ir/onnx_schemas/operators.h"
#include "replay/timeline/kernel_name.h"

namespace amdahlc::ir {

namespace {

constexpr size_t kShortNameWidth = 64;

/// The category of a kernel without a rule, in the words of the shipped rules.
std::string_view categoryOf(KernelFamily family) {
  switch (family) {
    case KernelFamily::Gemm:
    case KernelFamily::Gemv:
    case KernelFamily::SplitK:
      return "gemm";
    case KernelFamily::EmbeddingForward:
    case KernelFamily::EmbeddingBackward:
      return "embedding";
    case KernelFamily::Permute:
      return "layout";
    case KernelFamily::Reduce:
      return "reduction";
    case KernelFamily::Concat:
      return "copy";
    case KernelFamily::Index:
      return "indexing";
    case KernelFamily::Set:
      return "fill";
    case KernelFamily::Collective:
      return "communication";
    default:
      return name(family);
  }
}

/// Whether the event moves or fills memory and computes nothing.
bool movesData(EventKind kind, KernelFamily family) {
  using enum KernelFamily;
  return kind == EventKind::Copy || kind == EventKind::Set || family == Copy || family == Set || family == Permute ||
         family == Concat;
}

}  // namespace

RunFacts::RunFacts(const RunProgram& run, const RuleSet& rules)
    : timeline(run.timeline),
      program(run.program),
      data(run.data ? &*run.data : nullptr),
      runtime(runtimeAdapter(timeline.target.runtime)),
      lowerings(rules, timeline.target),
      families_(timeline.strings) {
  findMainEvents();
}

const StatedTensors::Layer* RunFacts::layerOf(const program::Node& node) const {
  if (!node.call.isNone()) return nullptr;
  const auto found = timeline.stated.layers.find(timeline.text(node.name));
  return found == timeline.stated.layers.end() ? nullptr : &found->second;
}

CallOperands RunFacts::operandsOf(program::NodeId id) const {
  if (const execution_trace::NodeId call = tracedCall(id); !call.isNone())
    return {data->trace, data->trace.inputs(call), runtime, data->trace.text(data->trace.opSchema[call])};
  const OperatorFacts* facts = program::operatorFactsOf(timeline, program.nodes[id]);
  return facts == nullptr ? CallOperands() : CallOperands(*facts, runtime);
}

std::string_view RunFacts::categoryOf(program::NodeId node) const {
  if (main_.empty() || main_[node] == kNoEvent) return {};
  const EventIndex event = main_[node];
  if (timeline.kind[event] == EventKind::Copy) return "copy";
  if (timeline.kind[event] == EventKind::Set) return "fill";
  const KernelFamily family = families_.of(timeline.name[event], kernelFamily);
  return family == KernelFamily::Other ? std::string_view() : ir::categoryOf(family);
}

std::string_view RunFacts::statedNode(const program::Node& node) const {
  const OperatorFacts* facts = program::operatorFactsOf(timeline, node);
  return facts == nullptr ? std::string_view() : std::string_view(facts->node);
}

std::pair<std::string_view, std::string> RunFacts::operatorOf(const program::Node& node) const {
  const std::string_view text = timeline.text(node.name);
  if (!statedNode(node).empty())
    for (const std::string_view domain : {std::string_view(), onnx_schemas::kMicrosoft, onnx_schemas::kBlocked})
      if (onnx_schemas::operatorSchema(std::string(domain), std::string(text))) return {domain, std::string(text)};
  if (node.call.isNone()) return {kDeviceDomain, shortKernelName(text, kShortNameWidth, runtime.kernelNamespaces())};
  const size_t end = text.rfind("::");
  if (end == std::string_view::npos || end == 0 || end + 2 == text.size()) return {kRegionDomain, std::string(text)};
  return {text.substr(0, end), std::string(text.substr(end + 2))};
}

void RunFacts::findMainEvents() {
  if (!timeline.hasDevice) return;
  const auto rank = [&](EventIndex event) {
    const KernelFamily family = families_.of(timeline.name[event], kernelFamily);
    return std::pair(!movesData(timeline.kind[event], family), timeline.durationNs[event]);
  };
  main_.assign(program.nodes.size(), kNoEvent);
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    const program::NodeId node = program.nodeOf[event];
    if (node.isNone() || timeline.iteration[event] != static_cast<int32_t>(program.iteration)) continue;
    EventIndex& main = main_[node];
    if (main == kNoEvent || rank(event) > rank(main)) main = event;
  }
}

}  // namespace amdahlc::ir
