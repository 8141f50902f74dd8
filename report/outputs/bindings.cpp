// One row per selected device event of a run, in order of start, with the kernel that it is bound to and the nodes of
// that kernel.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/facets/bound.h"
#include "ir/kernel_graph.h"
#include "passes/manager/json_schema.h"
#include "report/outputs/output.h"
#include "support/csv_row.h"

namespace amdahlc {
namespace {

/// A selected device event with what it is bound to, or why it is not.
struct EventRow {
  const ir::Module& module;
  const ir::Cover& cover;
  const Timeline& timeline;
  EventIndex event;
  int64_t rank;
  const ir::Kernel* kernel;
  const ir::BoundEvent* bound;
  /// Of an event without a kernel; null if it is unknown.
  const ir::UnboundEvent* unbound;
};

struct Column {
  const char* name;
  /// Of the field, once a number is read as one; an empty field is null.
  schema::Json type;
  const char* description;
  std::string (*field)(const EventRow&);
};

std::string nodesOf(const EventRow& row) {
  if (!row.kernel) return "";
  std::vector<std::string> nodes;
  for (const ir::OpId op : row.kernel->ops) nodes.push_back(row.module.displayName(op));
  return fmt::format("{}", fmt::join(nodes, ";"));
}

std::string scopeOf(const EventRow& row) {
  if (row.kernel) return row.module.scopePath(ir::kernelScope(row.module, *row.kernel));
  return row.unbound ? row.module.scopePath(row.unbound->scope) : "";
}

std::string evidenceOf(const EventRow& row) {
  if (row.kernel) return ir::describe(row.bound->evidence);
  return row.unbound ? ir::describe(row.module, row.cover, row.unbound->reason) : "";
}

std::string confidenceOf(const EventRow& row) {
  if (row.kernel) return fmt::format("{}", row.bound->confidencePermille / 1000.0);
  const bool ambiguous = row.unbound && row.unbound->reason.kind == ir::UnboundReason::Kind::Ambiguous;
  return ambiguous ? fmt::format("{}", row.unbound->reason.permille / 1000.0) : "";
}

std::string_view stateOf(const EventRow& row) {
  if (row.kernel) return ir::name(ir::EventState::Bound);
  return row.unbound ? ir::name(ir::info(row.unbound->reason.kind).state) : "";
}

std::vector<std::string_view> eventStates() {
  std::vector<std::string_view> names;
  for (unsigned i = 0; i < ir::kEventStateCount; ++i) names.push_back(ir::name(static_cast<ir::EventState>(i)));
  return names;
}

const std::vector<Column>& columns() {
  static const std::vector<Column> table{
      {"event", schema::count(), "position among the selected device events, by start",
       [](const EventRow& row) { return fmt::format("{}", row.rank); }},
      {"ts_ns", schema::orNull(schema::integer()), "start, as the trace has it; empty without start times",
       [](const EventRow& row) {
         return row.timeline.hasStarts ? fmt::format("{}", row.timeline.startNs[row.event]) : "";
       }},
      {"duration_ns", schema::count(), "",
       [](const EventRow& row) { return fmt::format("{}", row.timeline.durationNs[row.event]); }},
      {"stream", schema::text(), "stream of the device, or thread",
       [](const EventRow& row) { return row.timeline.tracks[row.timeline.track[row.event]].thread; }},
      {"name", schema::text(), "of the event",
       [](const EventRow& row) { return std::string(row.timeline.text(row.timeline.name[row.event])); }},
      {"kernel", schema::orNull(schema::count()), "id in the report; empty if the event is not bound",
       [](const EventRow& row) { return row.kernel ? fmt::format("{}", row.kernel->id.index()) : ""; }},
      {"nodes", schema::text(), "of the kernel, joined by `;`, anchor first; empty if the event is not bound", nodesOf},
      {"scope", schema::text(), "module scope of the kernel, else of the launch where it is known", scopeOf},
      {"evidence", schema::text(), "kinds of evidence joined by `+`; of an unbound event, why it is", evidenceOf},
      {"confidence", schema::orNull(schema::quantity()),
       "probability of the binding; of an ambiguous event, of the most probable one", confidenceOf},
      {"state", schema::oneOf(eventStates()), "", [](const EventRow& row) { return std::string(stateOf(row)); }},
  };
  return table;
}

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
  for (const Column& column : columns()) header.field(column.name);
  header.end();
  int64_t rank = 0;
  for (const EventIndex event : timeline.selectedEvents()) {
    const EventRow known{module, cover, timeline, event, rank++, kernelOf[event], bindingOf[event], unboundOf[event]};
    CsvRow row(out);
    for (const Column& column : columns()) row.field(column.field(known));
    row.end();
  }
  return out;
}

/// Of a row as an object.
std::string bindingsSchema() {
  schema::Json properties = schema::Json::object(), required = schema::Json::array();
  for (const Column& column : columns()) {
    schema::Json type = column.type;
    if (*column.description) type["description"] = column.description;
    properties[column.name] = std::move(type);
    required.push_back(column.name);
  }
  return schema::document(
      "amdahlc bindings",
      "A row of the CSV of `amdahlc -emit=bindings` as an object: the keys are the header's in their "
      "order, fields that are numbers are numbers, an empty field of a number is null.",
      {{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}});
}

}  // namespace

constinit const Output kBindingsOutput{.name = "bindings",
                                       .summary = "one CSV row per device event, with its kernel and nodes",
                                       .pass = "trace-bind",
                                       .needs = ir::Facet::Bound,
                                       .write = writeBindings,
                                       .isCsv = true,
                                       .schemaName = "bindings",
                                       .schema = bindingsSchema};

}  // namespace amdahlc
