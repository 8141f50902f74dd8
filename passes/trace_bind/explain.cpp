#include "passes/trace_bind/explain.h"

#include <fmt/format.h>

#include <optional>

#include "ir/facets/bound.h"
#include "passes/manager/analysis.h"
#include "passes/trace_bind/fit_text.h"
#include "support/decimal_time.h"
#include "support/name_list.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc::binding {

namespace {

std::vector<ir::OpId> opsNamed(const ir::Module& module, std::string_view name) {
  std::vector<ir::OpId> ops;
  for (const ir::OpId op : module.ops.ids())
    if (module.text(module.ops[op].name) == name || module.displayName(op) == name) ops.push_back(op);
  return ops;
}

std::optional<size_t> eventNumber(std::string_view text) {
  const auto event = isDigits(text) ? parseWhole(text) : std::nullopt;
  return event ? std::optional(static_cast<size_t>(*event)) : std::nullopt;
}

}  // namespace

std::vector<size_t> ranksOfSelected(const Timeline& timeline) {
  std::vector<size_t> rankOf(timeline.size(), 0);
  size_t rank = 0;
  for (const EventIndex event : timeline.selectedEvents()) rankOf[event] = rank++;
  return rankOf;
}

Subject readSubject(const ir::Module& module, std::string_view text) {
  constexpr std::string_view kEvent = "event:", kNode = "node:";
  if (text.starts_with(kEvent)) {
    if (const auto event = eventNumber(text.substr(kEvent.size()))) return *event;
    return std::vector<ir::OpId>();
  }
  if (text.starts_with(kNode)) return opsNamed(module, text.substr(kNode.size()));
  std::vector<ir::OpId> ops = opsNamed(module, text);
  if (const auto event = eventNumber(text); ops.empty() && event) return *event;
  return ops;
}

std::string printBinding(const ir::Module& module, ir::CoverId id, AnalysisManager&) {
  const ir::Cover& cover = module.cover(id);
  const auto* facts = cover.facets.get<ir::BoundFacet>();
  const Timeline* timeline = module.findTimeline(cover.traceLabel);
  std::string text = fmt::format("binding of cover `{}`: {}\n", printable(cover.name), describeFit(*facts->fit));
  const std::vector<size_t> rankOf = ranksOfSelected(*timeline);
  const auto [times, counts] = totalsByState(*timeline, *facts);
  for (size_t state = 0; state < times.size(); ++state)
    text += fmt::format("  {}: {}, {} ns\n", ir::name(static_cast<ir::EventState>(state)),
                        plural(counts[state], "event"), times[state]);
  for (const ir::Kernel& kernel : cover.kernels) {
    const ir::KernelBinding& binding = facts->kernels[kernel.id];
    if (binding.state == ir::KernelState::NoDeviceWork) continue;
    text += fmt::format("  {}: {}", printable(kernelTitle(module, kernel)), ir::name(binding.state));
    if (binding.missReason) text += fmt::format(", {}", ir::describe(module, kernel, *binding.missReason));
    text += '\n';
    for (const ir::BoundEvent& bound : binding.events)
      text += fmt::format("    event {} `{}` {} ns: probability {:.3f} by {}\n", rankOf[bound.event],
                          printable(timeline->text(timeline->name[bound.event])), timeline->durationNs[bound.event],
                          bound.confidencePermille / 1000.0,
                          bound.evidence == 0 ? "no evidence" : ir::describe(bound.evidence));
  }
  for (const ir::UnboundEvent& unbound : facts->unbound)
    text += fmt::format("  event {} `{}` {} ns: {}, {}\n", rankOf[unbound.event],
                        printable(timeline->text(timeline->name[unbound.event])), timeline->durationNs[unbound.event],
                        ir::name(ir::info(unbound.reason.kind).state),
                        printable(ir::describe(module, cover, unbound.reason)));
  return text;
}

}  // namespace amdahlc::binding
