#include "passes/trace_bind/bindings_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/facets/bound.h"
#include "ir/kernel_graph.h"
#include "support/csv_row.h"

namespace amdahlc::binding {

std::string writeBindings(const OutputContext& context, ir::CoverId id) {
  const ir::Module& module = context.module;
  const ir::Cover& cover = module.cover(id);
  const Timeline& timeline = *module.findTimeline(cover.traceLabel);
  std::vector<const ir::Kernel*> kernelOf(timeline.size(), nullptr);
  std::vector<const ir::BoundEvent*> bindingOf(timeline.size(), nullptr);
  const ir::BoundFacet& facts = *cover.facets.get<ir::BoundFacet>();
  for (const ir::Kernel& kernel : cover.kernels)
    for (const ir::BoundEvent& bound : facts.kernels[kernel.id].events) {
      kernelOf[bound.event] = &kernel;
      bindingOf[bound.event] = &bound;
    }
  std::vector<const ir::UnboundEvent*> unboundOf(timeline.size(), nullptr);
  for (const ir::UnboundEvent& unbound : facts.unbound) unboundOf[unbound.event] = &unbound;

  std::string out;
  CsvRow header(out);
  for (const char* name : {"event", "ts_ns", "duration_ns", "stream", "name", "kernel", "nodes", "scope", "evidence",
                           "confidence", "state"})
    header.field(name);
  header.end();
  int64_t rank = 0;
  for (EventIndex event : timeline.selectedEvents()) {
    CsvRow row(out);
    row.field(fmt::format("{}", rank++))
        .field(timeline.hasStarts ? fmt::format("{}", timeline.startNs[event]) : "")
        .field(fmt::format("{}", timeline.durationNs[event]));
    row.field(timeline.tracks[timeline.track[event]].thread).field(timeline.text(timeline.name[event]));
    if (const ir::Kernel* kernel = kernelOf[event]) {
      std::vector<std::string> nodes;
      for (const ir::OpId op : kernel->ops) nodes.push_back(module.displayName(op));
      row.field(fmt::format("{}", kernel->id.index()))
          .field(fmt::format("{}", fmt::join(nodes, ";")))
          .field(module.scopePath(ir::kernelScope(module, *kernel)));
      row.field(ir::toString(bindingOf[event]->evidence))
          .field(fmt::format("{}", bindingOf[event]->confidencePermille / 1000.0))
          .field(ir::name(ir::EventState::Bound));
    } else {
      const ir::UnboundEvent* unbound = unboundOf[event];
      const bool ambiguous = unbound && unbound->reason.kind == ir::UnboundReason::Kind::Ambiguous;
      row.field("").field("").field(unbound ? module.scopePath(unbound->scope) : "");
      row.field(unbound ? ir::describe(module, cover, unbound->reason) : "")
          .field(ambiguous ? fmt::format("{}", unbound->reason.permille / 1000.0) : "")
          .field(unbound ? ir::name(ir::info(unbound->reason.kind).state) : "");
    }
    row.end();
  }
  return out;
}

}  // namespace amdahlc::binding
