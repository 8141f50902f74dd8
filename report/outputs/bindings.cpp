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

/// Codes for the texts of a column: those of equal texts are equal.
class TextCodes {
 public:
  /// All rows have no text at first.
  TextCodes(CodedTexts& column, size_t rows) : column_(column) { column.codes.assign(rows, of("")); }
  int32_t of(std::string text) {
    const auto [known, isNew] = codes_.try_emplace(text, static_cast<int32_t>(column_.texts.size()));
    if (isNew) column_.texts.push_back(std::move(text));
    return known->second;
  }

 private:
  CodedTexts& column_;
  std::map<std::string, int32_t> codes_;
};

/// The same by keys. The text of a key is made once.
template <typename Key>
class CodesByKey {
 public:
  explicit CodesByKey(TextCodes& texts) : texts_(texts) {}
  int32_t of(const Key& key, const auto& makeText) {
    const auto [known, isNew] = codes_.try_emplace(key, -1);
    if (isNew) known->second = texts_.of(std::string(makeText()));
    return known->second;
  }

 private:
  TextCodes& texts_;
  std::map<Key, int32_t> codes_;
};

/// The same by numbers below `count`.
class CodesByNumber {
 public:
  CodesByNumber(TextCodes& texts, size_t count) : texts_(texts), codes_(count, -1) {}
  int32_t of(size_t number, const auto& makeText) {
    if (codes_[number] < 0) codes_[number] = texts_.of(std::string(makeText()));
    return codes_[number];
  }

 private:
  TextCodes& texts_;
  std::vector<int32_t> codes_;
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

// By column, with little memory beside the table: runs have millions of events.
DeviceEventTable eventTable(const ir::Module& module, ir::CoverId id) {
  const ir::Cover& cover = module.cover(id);
  const Timeline& timeline = *module.findTimeline(cover.traceLabel);
  const ir::BoundFacet& facts = *cover.facets.get<ir::BoundFacet>();
  const std::vector<EventIndex> selected = timeline.selectedEvents();
  const size_t size = selected.size();
  DeviceEventTable table;
  TextCodes streams(table.stream, size), names(table.name, size);
  CodesByNumber byTrack(streams, timeline.tracks.size()), byName(names, timeline.strings.size());
  table.startNs.resize(timeline.hasStarts ? size : 0);
  table.durationNs.resize(size);
  std::vector<std::optional<uint32_t>> rowOf(timeline.size());
  for (uint32_t row = 0; row < size; ++row) {
    const EventIndex event = selected[row];
    rowOf[event] = row;
    if (timeline.hasStarts) table.startNs[row] = timeline.startNs[event];
    table.durationNs[row] = timeline.durationNs[event];
    const uint32_t track = timeline.track[event];
    table.stream.codes[row] = byTrack.of(track, [&] { return timeline.tracks[track].thread; });
    const Symbol name = timeline.name[event];
    table.name.codes[row] = byName.of(name.index, [&] { return timeline.text(name); });
  }
  table.kernel.assign(size, -1);
  table.confidencePermille.assign(size, -1);
  TextCodes nodes(table.nodes, size), scopes(table.scope, size), evidence(table.evidence, size),
      states(table.state, size);
  CodesByKey<ir::EvidenceSet> byEvidence(evidence);
  for (const ir::Kernel& kernel : cover.kernels) {
    const std::vector<ir::BoundEvent>& events = facts.kernels[kernel.id].events;
    if (events.empty()) continue;
    const auto about = [&](const ir::BoundEvent& one) {
      return EventRow{module, cover, timeline, one.event, 0, &kernel, &one};
    };
    const EventRow any = about(events.front());
    const int32_t nodesCode = nodes.of(nodesOf(any)), scopeCode = scopes.of(scopeOf(any)),
                  stateCode = states.of(std::string(stateOf(any)));
    for (const ir::BoundEvent& one : events) {
      if (!rowOf[one.event]) continue;
      const uint32_t row = *rowOf[one.event];
      table.kernel[row] = static_cast<int32_t>(kernel.id.index());
      table.nodes.codes[row] = nodesCode;
      table.scope.codes[row] = scopeCode;
      table.evidence.codes[row] = byEvidence.of(one.evidence, [&] { return evidenceOf(about(one)); });
      table.confidencePermille[row] = one.confidencePermille;
      table.state.codes[row] = stateCode;
    }
  }
  CodesByKey<ir::ScopeId> byScope(scopes);
  CodesByKey<ir::UnboundReason> byReason(evidence);
  CodesByKey<ir::UnboundReason::Kind> byKind(states);
  for (const ir::UnboundEvent& one : facts.unbound) {
    if (!rowOf[one.event]) continue;
    const uint32_t row = *rowOf[one.event];
    const EventRow about{module, cover, timeline, one.event, row, nullptr, nullptr, &one};
    table.scope.codes[row] = byScope.of(one.scope, [&] { return scopeOf(about); });
    table.evidence.codes[row] = byReason.of(one.reason, [&] { return evidenceOf(about); });
    table.confidencePermille[row] = confidencePermilleOf(about).value_or(-1);
    table.state.codes[row] = byKind.of(one.reason.kind, [&] { return stateOf(about); });
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
