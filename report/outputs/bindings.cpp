// One row per selected device event of a run, in order of start, with the kernel that it is bound to and the nodes of
// that kernel.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>
#include <utility>

#include "ir/facets/bound.h"
#include "ir/kernel_graph.h"
#include "report/outputs/output.h"
#include "report/outputs/run_fields.h"
#include "report/table.h"

namespace amdahlc {
namespace {

/// A selected device event with what it is bound to, or why it is not.
struct EventRow {
  const ir::Module& module;
  const ir::Cover& cover;
  const Timeline& timeline;
  EventIndex event;
  size_t rank = 0;
  const ir::Kernel* kernel = nullptr;
  const ir::BoundEvent* bound = nullptr;
  /// Of an event without a kernel; null if it is unknown.
  const ir::UnboundEvent* unbound = nullptr;
};

std::string nodesOf(const EventRow& row) {
  std::vector<std::string> nodes;
  if (row.kernel)
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

std::optional<int32_t> confidencePermilleOf(const EventRow& row) {
  if (row.kernel) return row.bound->confidencePermille;
  const bool ambiguous = row.unbound && row.unbound->reason.kind == ir::UnboundReason::Kind::Ambiguous;
  return ambiguous ? std::optional<int32_t>(row.unbound->reason.permille) : std::nullopt;
}

std::string_view stateOf(const EventRow& row) {
  if (row.kernel) return ir::name(ir::EventState::Bound);
  return row.unbound ? ir::name(ir::info(row.unbound->reason.kind).state) : "";
}

using EventStateName = OneOf<namesFrom<ir::EventState::Bound, ir::EventState::Unknown>>;

constexpr auto kEventFields = inCsv(fields<EventRow>(
    field<&EventRow::rank>("event", "position among the selected device events, by start"),
    field("ts_ns", "start, as the trace has it; empty without start times",
          [](auto& row) {
            return row.timeline.hasStarts ? std::optional(SignedInteger{row.timeline.startNs[row.event]})
                                          : std::nullopt;
          }),
    field("duration_ns", "", [](auto& row) { return row.timeline.durationNs[row.event]; }),
    field("stream", "stream of the device, or thread",
          [](auto& row) { return row.timeline.tracks[row.timeline.track[row.event]].thread; }),
    field("name", "of the event", [](auto& row) { return row.timeline.text(row.timeline.name[row.event]); }),
    field("kernel", "id in the report; empty if the event is not bound",
          [](auto& row) { return row.kernel ? std::optional(row.kernel->id) : std::nullopt; }),
    field("nodes", "of the kernel, joined by `;`, anchor first; empty if the event is not bound",
          [](auto& row) { return nodesOf(row); }),
    field("scope", "module scope of the kernel, else of the launch where it is known",
          [](auto& row) { return scopeOf(row); }),
    field("evidence", "kinds of evidence joined by `+`; of an unbound event, why it is",
          [](auto& row) { return evidenceOf(row); }),
    field("confidence", "probability of the binding; of an ambiguous event, of the most probable one",
          [](auto& row) {
            const auto permille = confidencePermilleOf(row);
            return permille ? std::optional(*permille / 1000.0) : std::nullopt;
          }),
    field("state", "", [](auto& row) { return EventStateName{stateOf(row)}; })));

std::vector<EventRow> eventRows(const ir::Module& module, const ir::Cover& cover) {
  const Timeline& timeline = *module.findTimeline(cover.traceLabel);
  const ir::BoundFacet& facts = *cover.facets.get<ir::BoundFacet>();
  std::vector<EventRow> all, selected;
  for (EventIndex event = 0; event < timeline.size(); ++event) all.push_back({module, cover, timeline, event});
  for (const ir::Kernel& kernel : cover.kernels)
    for (const ir::BoundEvent& bound : facts.kernels[kernel.id].events) {
      all[bound.event].kernel = &kernel;
      all[bound.event].bound = &bound;
    }
  for (const ir::UnboundEvent& unbound : facts.unbound) all[unbound.event].unbound = &unbound;
  for (const EventIndex event : timeline.selectedEvents()) {
    all[event].rank = selected.size();
    selected.push_back(all[event]);
  }
  return selected;
}

std::string writeBindings(const OutputContext& context, ir::CoverId id) {
  return writeCsv(eventRows(context.module, context.module.cover(id)), kEventFields);
}

/// Adds rows to a column. A text is made once for each key.
template <typename Key>
class CodedTextsBuilder {
 public:
  explicit CodedTextsBuilder(CodedTexts& column) : column_(column) {}
  template <typename MakeText>
  void add(const Key& key, const MakeText& makeText) {
    const auto [known, isNew] = codes_.try_emplace(key, -1);
    if (isNew) {
      std::string text(makeText());
      const auto [place, isNewText] = places_.try_emplace(text, static_cast<int32_t>(column_.texts.size()));
      if (isNewText) column_.texts.push_back(std::move(text));
      known->second = place->second;
    }
    column_.codes.push_back(known->second);
  }

 private:
  CodedTexts& column_;
  std::map<Key, int32_t> codes_;
  std::map<std::string, int32_t> places_;
};

/// Of a row as an object.
std::string bindingsSchema() {
  return schema::document(
      "amdahlc bindings",
      "A row of the CSV of `amdahlc -emit=bindings` as an object: the keys are the header's in their "
      "order, fields that are numbers are numbers, an empty field of a number is null.",
      schemaOf(kEventFields));
}

}  // namespace

DeviceEventTable eventTable(const ir::Module& module, ir::CoverId id) {
  DeviceEventTable table;
  CodedTextsBuilder<uint32_t> streams(table.stream), names(table.name);
  // By kernel, and without one by what the text is made of.
  CodedTextsBuilder<std::pair<const ir::Kernel*, ir::ScopeId>> nodes(table.nodes), scopes(table.scope);
  CodedTextsBuilder<std::pair<std::optional<ir::EvidenceSet>, std::optional<ir::UnboundReason>>> evidence(
      table.evidence);
  CodedTextsBuilder<std::string_view> states(table.state);
  for (const EventRow& row : eventRows(module, module.cover(id))) {
    const Timeline& timeline = row.timeline;
    if (timeline.hasStarts) table.startNs.push_back(timeline.startNs[row.event]);
    table.durationNs.push_back(timeline.durationNs[row.event]);
    const uint32_t track = timeline.track[row.event];
    streams.add(track, [&] { return timeline.tracks[track].thread; });
    names.add(timeline.name[row.event].index, [&] { return timeline.text(timeline.name[row.event]); });
    table.kernel.push_back(row.kernel ? static_cast<int32_t>(row.kernel->id.index()) : -1);
    const ir::ScopeId scope = row.kernel || !row.unbound ? ir::kRootScope : row.unbound->scope;
    nodes.add({row.kernel, ir::kRootScope}, [&] { return nodesOf(row); });
    scopes.add({row.kernel, scope}, [&] { return scopeOf(row); });
    evidence.add({row.kernel ? std::optional(row.bound->evidence) : std::nullopt,
                  row.unbound ? std::optional(row.unbound->reason) : std::nullopt},
                 [&] { return evidenceOf(row); });
    table.confidencePermille.push_back(confidencePermilleOf(row).value_or(-1));
    states.add(stateOf(row), [&] { return stateOf(row); });
  }
  return table;
}

constinit const Output kBindingsOutput{.name = "bindings",
                                       .summary = "one CSV row per device event, with its kernel and nodes",
                                       .pass = "trace-bind",
                                       .needs = ir::Facet::Bound,
                                       .write = writeBindings,
                                       .isCsv = true,
                                       .schemaName = "bindings",
                                       .schema = bindingsSchema};

}  // namespace amdahlc
