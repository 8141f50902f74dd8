// The tables of `amdahlc.report/1`, an object each. Writing and `-help=schema-report` walk the same tables.
#include <algorithm>

#include "passes/emit/rank_writers.h"
#include "passes/emit/segment_writers.h"
#include "passes/emit/verdict.h"
#include "passes/emit/writers.h"
#include "passes/manager/json_fields.h"

namespace amdahlc {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "amdahlc.report/1";

struct Document {
  const Report& report;
  std::span<const ReportSection> sections;
  /// Null with fewer than two runs.
  const SegmentTable* segments = nullptr;
  /// Null without the traces of several ranks.
  const ranks::RankComparison* ranks = nullptr;
};
struct NodeRow {
  const ir::Module& module;
  ir::OpId op;
};
struct RunRow {
  const RunReport& run;
  std::optional<Verdict> verdict;
};
struct RunNodeRow {
  const RunReport& run;
  ir::OpId op;
};
struct RunKernelRow {
  const RunReport& run;
  const KernelRow& kernel;
};
struct GroupRow {
  const RunReport& run;
  const AggregateRow& group;
  /// Of a scope: its own kernels alone.
  const AggregateRow* own = nullptr;
};
struct UnboundEventRow {
  const RunReport& run;
  const UnboundRow& event;
};

template <typename Row>
bool onlyMean(const Row& row) {
  return row.run.onlyMeans();
}

/// A number over all executions, if known.
template <typename Row>
Json totalOf(const Row& row, int64_t total) {
  return row.run.onlyMeans() ? Json(nullptr) : Json(total);
}

/// The state of a kernel or a node. Before binding, only states from `simplify` and the rules are known. A state that
/// needs the trace is null.
template <typename State>
Json stateJson(const RunReport& run, State state) {
  return run.timeline || ir::isKnownWithoutTrace(state) ? Json(ir::name(state)) : Json(nullptr);
}

/// The names of all states of a kind, in the order of the enumerators.
template <typename State>
std::vector<std::string_view> stateNames(State last) {
  std::vector<std::string_view> names;
  for (unsigned i = 0; i <= static_cast<unsigned>(last); ++i) names.push_back(ir::name(static_cast<State>(i)));
  return names;
}

JsonFields<DataProblem> problemFields() {
  return {
      jsonField<DataProblem>("name", schema::text(), "stable name of the problem", [](auto& p) { return p.name; }),
      jsonField<DataProblem>("count", schema::count(), "how often", [](auto& p) { return p.count; }),
      jsonField<DataProblem>("what", schema::text(), "a sentence", [](auto& p) { return p.what; }),
  };
}

JsonFields<Document> modelFields() {
  JsonFields<NodeRow> node{
      jsonField<NodeRow>("index", schema::count(), "position in the model", [](auto& row) { return Json(row.op); }),
      jsonField<NodeRow>("name", schema::text(), "unique name",
                         [](auto& row) { return row.module.displayName(row.op); }),
      jsonField<NodeRow>("op_type", schema::text(), "ONNX operator",
                         [](auto& row) { return row.module.text(row.module.ops[row.op].type); }),
      jsonField<NodeRow>("scope", schema::text(), "module scope; may be empty",
                         [](auto& row) { return row.module.scopePath(row.module.ops[row.op].scope); }),
  };
  return {
      jsonField<Document>("name", schema::text(), "of the graph",
                          [](auto& d) { return d.report.module->text(d.report.module->graphs.front().name); }),
      jsonField<Document>("file", schema::text(), "without folders",
                          [](auto& d) { return d.report.module->modelName; }),
      jsonField<Document>("opset", schema::integer(), "of ONNX's own domain",
                          [](auto& d) { return d.report.module->opset(""); }),
      jsonArray<Document>("nodes", "every node, functions inlined, bodies included", std::move(node),
                          [](const Document& d) {
                            std::vector<NodeRow> rows;
                            for (const ir::OpId op : d.report.module->ops.ids()) rows.push_back({*d.report.module, op});
                            return rows;
                          }),
  };
}

JsonFields<RunRow> targetFields() {
  const auto field = [](const char* key, std::string Target::* member, const char* description) {
    return jsonField<RunRow>(key, schema::orNull(schema::text()), description,
                             [member](const RunRow& row) { return nonEmpty(row.run.target.*member); });
  };
  return {field("runtime", &Target::runtime, "such as `pytorch`"), field("vendor", &Target::vendor, ""),
          field("arch", &Target::arch, "such as `sm_90`"), field("device", &Target::device, "name of the device")};
}

JsonFields<RunRow> traceFields() {
  JsonFields<Iteration> step{
      jsonField<Iteration>("name", schema::text(), "", [](auto& i) { return i.name; }),
      jsonField<Iteration>("selected", schema::boolean(), "whether it counts", [](auto& i) { return i.selected(); }),
  };
  const auto totals = [](const char* key, schema::Json type, const char* description, auto valueOf) {
    return jsonField<RunRow>(key, schema::orNull(std::move(type)), description, [valueOf](const RunRow& row) {
      return row.run.totals ? Json(valueOf(row)) : Json(nullptr);
    });
  };
  JsonFields<RunRow> fields{
      jsonField<RunRow>("file", schema::text(), "without folders", [](auto& row) { return row.run.timeline->file; }),
      jsonField<RunRow>("format", schema::text(), "of the trace", [](auto& row) { return row.run.timeline->format; }),
      jsonField<RunRow>("content_hash", schema::text(), "of the trace's content",
                        [](auto& row) { return row.run.timeline->contentHash; }),
      totals("device_events", schema::count(), "selected device events",
             [](auto& row) { return row.run.totals->deviceEvents; }),
      totals("iterations", schema::count(), "selected iterations",
             [](auto& row) { return row.run.totals->iterations; }),
      jsonArray<RunRow>(
          "steps", "all iterations of the trace", std::move(step),
          [](const RunRow& row) -> const std::vector<Iteration>& { return row.run.timeline->iterations; }),
  };
  using Time = std::optional<TimeStatistics>;
  const auto time = [&](const char* key, const char* description, auto timeOf) {
    addTimeFields(
        fields, key, description,
        [timeOf](const RunRow& row) { return row.run.totals ? Time(timeOf(*row.run.totals)) : Time(); },
        onlyMean<RunRow>);
  };
  time("busy_ns", "union of the device events", [](const TraceTotals& t) { return t.busy; });
  time("wall_ns", "first start to last end of device events; null without start times",
       [](const TraceTotals& t) { return t.wall; });
  time("window_ns", "enclosing annotation or step on the host; null without one",
       [](const TraceTotals& t) { return t.window; });
  time("spill_in_ns", "device time whose launch is not in the trace; null if it is not known",
       [](const TraceTotals& t) { return t.spillIn; });
  addTimeFields(
      fields, "latency_ns", "whole executions, measured apart from the events",
      [](const RunRow& row) { return row.run.totals ? row.run.totals->latency : Time(); },
      [](const RunRow&) { return false; });
  fields.push_back(jsonField<RunRow>(
      "latency_runs", schema::orNull(schema::count()), "executions of which `latency_ns` is the mean", [](auto& row) {
        return row.run.totals && row.run.totals->latency ? Json(row.run.timeline->latenciesNs.size()) : Json(nullptr);
      }));
  fields.push_back(totals("idle_ns", schema::orNull(schema::count()), "wall - busy", [](auto& row) {
    return row.run.totals->idle ? Json(row.run.totals->idle->meanNs) : Json(nullptr);
  }));
  const auto part = [&](const char* key, const char* description, TimeStatistics BreakdownStatistics::* member) {
    fields.push_back(totals(key, schema::orNull(schema::count()), description, [member](auto& row) {
      const auto& breakdown = row.run.totals->breakdown;
      return breakdown ? Json(((*breakdown).*member).meanNs) : Json(nullptr);
    }));
  };
  part("computation_ns", "union of the kernels that compute; null without a device or without start times",
       &BreakdownStatistics::computation);
  part("exposed_communication_ns", "communication between devices in which nothing computes",
       &BreakdownStatistics::exposedCommunication);
  part("exposed_copies_ns", "copies and sets while nothing computes or communicates",
       &BreakdownStatistics::exposedCopies);
  const auto sum = [&](const char* key, const char* description, int64_t TraceTotals::* member) {
    fields.push_back(
        totals(key, schema::count(), description, [member](auto& row) { return (*row.run.totals).*member; }));
  };
  sum("device_ns", "sum of durations, per iteration", &TraceTotals::deviceNs);
  sum("bound_ns", "of bound events, per iteration", &TraceTotals::boundNs);
  sum("unbound_ns", "`device_ns` - `bound_ns`", &TraceTotals::unboundNs);
  const auto exact = [&](const char* key, int64_t TraceTotals::* member) {
    fields.push_back(totals(key, schema::count(), "over all iterations",
                            [member](auto& row) { return totalOf(row, (*row.run.totals).*member); }));
  };
  exact("device_ns_total", &TraceTotals::deviceTotalNs);
  exact("bound_ns_total", &TraceTotals::boundTotalNs);
  exact("unbound_ns_total", &TraceTotals::unboundTotalNs);
  return fields;
}

/// `ratio` and the two limits. `sharesOf` returns an optional `Shares`.
template <typename Row, typename SharesOf>
void addShareFields(JsonFields<Row>& fields, SharesOf sharesOf) {
  fields.push_back(
      jsonField<Row>("ratio", schema::orNull(schema::quantity()), "of busy time", [sharesOf](const Row& row) {
        const std::optional<Shares> shares = sharesOf(row);
        return shares ? Json(shares->ratio) : Json(nullptr);
      }));
  const auto limit = [&](const char* key, const char* description, std::optional<double> Shares::* member) {
    fields.push_back(
        jsonField<Row>(key, schema::orNull(schema::quantity()), description, [sharesOf, member](const Row& row) {
          const std::optional<Shares> shares = sharesOf(row);
          return shares ? orNull((*shares).*member) : Json(nullptr);
        }));
  };
  limit("max_speedup", "of busy time if this cost nothing; null: infinite", &Shares::maxSpeedup);
  limit("max_speedup_wall", "of wall time, with idle time kept; null: infinite, or wall is unknown",
        &Shares::maxSpeedupWall);
}

JsonFields<RunKernelRow> kernelFields(std::span<const ReportSection> sections) {
  using Row = RunKernelRow;
  JsonFields<Row> fields{
      jsonField<Row>("id", schema::count(), "rank in the order of the kernel graph",
                     [](auto& row) { return Json(row.kernel.id); }),
      jsonField<Row>("label", schema::text(), "of the rule, else the operators",
                     [](auto& row) { return row.kernel.label; }),
      jsonField<Row>("rule", schema::orNull(schema::text()), "null: an operator that no rule covers",
                     [](auto& row) { return orNull(row.kernel.rule); }),
      jsonField<Row>("category", schema::text(), "of the rule, else `other`",
                     [](auto& row) { return row.kernel.category; }),
      jsonField<Row>("nodes", schema::arrayOf(schema::text()), "names, anchor first",
                     [](auto& row) { return row.kernel.nodes; }),
      jsonField<Row>("scope", schema::text(), "module scope of the anchor; may be empty",
                     [](auto& row) { return row.kernel.scope; }),
      jsonField<Row>("state", schema::orNull(schema::oneOf(stateNames(ir::KernelState::Ambiguous))),
                     "null if it needs a trace and there is none",
                     [](auto& row) { return stateJson(row.run, row.kernel.state); }),
      jsonField<Row>("reason", schema::orNull(schema::text()), "why it was missed",
                     [](auto& row) { return nonEmpty(row.kernel.missReason); }),
      jsonField<Row>("trip_count", schema::orNull(schema::count()), "of a loop, if known from events",
                     [](auto& row) { return orNull(row.kernel.tripCount); }),
      jsonField<Row>("events", schema::orNull(schema::count()), "per iteration, rounded half to even",
                     [](auto& row) { return orNull(row.kernel.events); }),
      jsonField<Row>(
          "events_total", schema::orNull(schema::count()), "over all iterations",
          [](auto& row) { return row.kernel.events ? totalOf(row, row.kernel.eventsTotal) : Json(nullptr); }),
  };
  addTimeFields(
      fields, "duration_ns", "union of the kernel's own events", [](const Row& row) { return row.kernel.time; },
      onlyMean<Row>);
  fields.push_back(
      jsonField<Row>("per_forward_ns", schema::orNull(schema::quantity()),
                     "`duration_ns` over the forwards of an iteration; null if they are unknown", [](auto& row) {
                       return row.kernel.time && row.run.forwards
                                  ? nanoseconds(static_cast<double>(row.kernel.time->meanNs) / *row.run.forwards)
                                  : Json(nullptr);
                     }));
  addShareFields(fields, [](const Row& row) { return row.kernel.shares; });
  for (const ReportSection& section : sections)
    if (section.kernelFields)
      for (JsonField<ReportKernel>& field : section.kernelFields())
        fields.push_back(
            {field.key, field.schema, field.description, [write = field.write](const Row& row, JsonStream& out) {
               write({row.run.measured, row.kernel.id}, out);
             }});
  fields.push_back(jsonField<Row>("doc", schema::orNull(schema::text()), "the rule's comment",
                                  [](auto& row) { return nonEmpty(row.kernel.doc); }));
  return fields;
}

JsonFields<GroupRow> groupFields() {
  JsonFields<GroupRow> fields{
      jsonField<GroupRow>("name", schema::text(), "", [](auto& row) { return row.group.name; }),
      jsonField<GroupRow>("kernels", schema::count(), "", [](auto& row) { return row.group.kernels; }),
      jsonField<GroupRow>("events", schema::count(), "per iteration, rounded half to even",
                          [](auto& row) { return row.group.events; }),
      jsonField<GroupRow>("events_total", schema::orNull(schema::count()), "over all iterations",
                          [](auto& row) { return totalOf(row, row.group.eventsTotal); }),
  };
  addTimeFields(
      fields, "duration_ns", "union of the events of the group",
      [](const GroupRow& row) { return std::optional(row.group.time); }, onlyMean<GroupRow>);
  addShareFields(fields, [](const GroupRow& row) { return std::optional(row.group.shares); });
  return fields;
}

JsonFields<GroupRow> scopeFields() {
  JsonFields<GroupRow> fields = groupFields();
  fields.push_back(jsonField<GroupRow>("own_duration_ns", schema::count(), "of kernels of exactly this scope",
                                       [](auto& row) { return row.own->time.meanNs; }));
  fields.push_back(jsonField<GroupRow>("own_duration_ns_total", schema::orNull(schema::count()), "over all iterations",
                                       [](auto& row) { return totalOf(row, row.own->time.totalNs); }));
  fields.push_back(jsonField<GroupRow>("own_kernels", schema::count(), "", [](auto& row) { return row.own->kernels; }));
  return fields;
}

JsonFields<RunRow> aggregateFields() {
  const auto groups = [](const char* key, const char* description, std::vector<AggregateRow> RunReport::* member) {
    return jsonArray<RunRow>(key, description, groupFields(), [member](const RunRow& row) {
      std::vector<GroupRow> rows;
      for (const AggregateRow& group : row.run.*member) rows.push_back({row.run, group});
      return rows;
    });
  };
  return {
      groups("rule", "by label, longest first", &RunReport::byRule),
      groups("category", "longest first", &RunReport::byCategory),
      groups("op_type", "of the anchor, longest first", &RunReport::byOperatorType),
      jsonArray<RunRow>("scope", "each scope with everything inside it, by name", scopeFields(),
                        [](const RunRow& row) {
                          std::vector<GroupRow> rows;
                          for (const ScopeRow& scope : row.run.byScope)
                            rows.push_back({row.run, scope.inclusive, &scope.own});
                          return rows;
                        }),
  };
}

JsonFields<UnboundEventRow> unboundFields() {
  using Row = UnboundEventRow;
  return {
      jsonField<Row>("name", schema::text(), "of the events", [](auto& row) { return row.event.name; }),
      jsonField<Row>("events", schema::count(), "per iteration, rounded half to even",
                     [](auto& row) { return row.event.events; }),
      jsonField<Row>("events_total", schema::orNull(schema::count()), "over all iterations",
                     [](auto& row) { return totalOf(row, row.event.eventsTotal); }),
      jsonField<Row>("duration_ns", schema::count(), "sum of durations, per iteration",
                     [](auto& row) { return row.event.meanNs; }),
      jsonField<Row>("duration_ns_total", schema::orNull(schema::count()), "over all iterations",
                     [](auto& row) { return totalOf(row, row.event.totalNs); }),
      jsonField<Row>("class", schema::oneOf({"ambiguous", "runtime-only", "foreign", "unknown"}), "state of the events",
                     [](auto& row) { return row.event.category; }),
      jsonField<Row>("reason", schema::text(), "a clause", [](auto& row) { return row.event.reason; }),
  };
}

/// The run's own fields in their order, each followed by those of the sections that are placed after it.
JsonFields<RunRow> runFields(std::span<const ReportSection> sections) {
  JsonFields<RunRow> fields;
  const auto addSections = [&](std::string_view after) {
    for (const ReportSection& section : sections)
      if (section.runFields && section.after == after)
        for (JsonField<ReportRun>& field : section.runFields())
          fields.push_back(
              {field.key, field.schema, field.description,
               [write = field.write](const RunRow& row, JsonStream& out) { write(row.run.measured, out); }});
  };
  JsonFields<RunNodeRow> node{
      jsonField<RunNodeRow>("index", schema::count(), "of the node in the model",
                            [](auto& row) { return Json(row.op); }),
      jsonField<RunNodeRow>("state", schema::orNull(schema::oneOf(stateNames(ir::NodeState::Missed))),
                            "null if it needs a trace and there is none",
                            [](auto& row) { return stateJson(row.run, row.run.nodes[row.op].state); }),
      jsonField<RunNodeRow>("kernels", schema::arrayOf(schema::count()), "ids of the kernels with the node",
                            [](auto& row) { return Json(row.run.nodes[row.op].kernels); }),
  };
  fields = {
      jsonField<RunRow>("label", schema::text(), "of the trace; `default` without one",
                        [](auto& row) { return row.run.label; }),
      jsonField<RunRow>("verdict", schema::orNull(schema::text()), "the first line of the summary; null without times",
                        [](auto& row) { return row.verdict ? Json(row.verdict->text) : Json(nullptr); }),
      jsonField<RunRow>("trust", schema::orNull(schema::oneOf({"full", "limited", "none"})),
                        "how far the verdict says to trust the numbers",
                        [](auto& row) { return row.verdict ? Json(name(row.verdict->trust)) : Json(nullptr); }),
      jsonObject<RunRow>("target", "as the trace says, else `-target=`", targetFields()),
      jsonObjectOrNull<RunRow>("trace", "null without one", traceFields(),
                               [](const RunRow& row) { return row.run.timeline != nullptr; }),
      jsonArray<RunRow>("nodes", "parallel to the nodes of the model", std::move(node),
                        [](const RunRow& row) {
                          std::vector<RunNodeRow> rows;
                          for (const ir::OpId op : row.run.nodes.ids()) rows.push_back({row.run, op});
                          return rows;
                        }),
      jsonArray<RunRow>("kernels", "by id", kernelFields(sections),
                        [](const RunRow& row) {
                          std::vector<RunKernelRow> rows;
                          for (const KernelRow& kernel : row.run.kernels) rows.push_back({row.run, kernel});
                          return rows;
                        }),
      jsonObjectOrNull<RunRow>("aggregates", "groups of kernels; null without times", aggregateFields(),
                               [](const RunRow& row) { return row.run.totals.has_value(); }),
  };
  addSections("aggregates");
  fields.push_back(jsonArrayOrNull<RunRow>("unbound", "events without a kernel, longest first; null without a trace",
                                           unboundFields(),
                                           [](const RunRow& row) -> std::optional<std::vector<UnboundEventRow>> {
                                             if (!row.run.timeline) return std::nullopt;
                                             std::vector<UnboundEventRow> rows;
                                             for (const UnboundRow& event : row.run.unbound)
                                               rows.push_back({row.run, event});
                                             return rows;
                                           }));
  addSections("");
  return fields;
}

JsonFields<Document> documentFields(std::span<const ReportSection> sections) {
  return {
      jsonField<Document>("schema", schema::constant(kSchema), "", [](auto&) { return kSchema; }),
      jsonObject<Document>("model", "the graph as it was read", modelFields()),
      jsonArray<Document>("runs", "one for each trace that is bound; without one, one run with `trace` null",
                          runFields(sections),
                          [](const Document& document) {
                            std::vector<RunRow> rows;
                            for (const RunReport& run : document.report.runs)
                              rows.push_back({run, verdictOn(run, document.sections)});
                            return rows;
                          }),
      jsonRecordOrNull<Document>("compare", "the runs by segments of the model; null with fewer than two measured runs",
                                 segmentFields(),
                                 [](const Document& document) -> std::optional<ComparedRuns> {
                                   if (!document.segments) return std::nullopt;
                                   return ComparedRuns{document.report.module, document.segments};
                                 }),
      jsonArrayOrNull<Document>("ranks", "the ranks of the run; null without traces of several", rankFields(),
                                [](const Document& document) -> std::optional<std::vector<ranks::ComparedRank>> {
                                  if (!document.ranks) return std::nullopt;
                                  return document.ranks->ranks;
                                }),
      jsonRecordOrNull<Document>("across_ranks", "what the ranks tell of each other; null without traces of several",
                                 acrossRanksFields(),
                                 [](const Document& document) -> std::optional<ranks::RankComparison> {
                                   if (!document.ranks) return std::nullopt;
                                   return *document.ranks;
                                 }),
      jsonArray<Document>(
          "data_problems", "unusual but usable data", problemFields(),
          [](const Document& document) -> const std::vector<DataProblem>& { return document.report.problems; }),
  };
}

}  // namespace

std::string writeJson(const Report& report, std::span<const ReportSection> sections, const ReportOptions& options) {
  const auto measured = std::count_if(report.runs.begin(), report.runs.end(),
                                      [](const RunReport& run) { return run.totals.has_value(); });
  std::optional<SegmentTable> segments;
  if (measured > 1) segments = segmentTable(report, sections, options.segments);
  std::string text;
  JsonStream out(text);
  writeObject(documentFields(sections), {report, sections, segments ? &*segments : nullptr, options.ranks}, out);
  text += '\n';
  return text;
}

std::string reportSchema(std::span<const ReportSection> sections) {
  return schema::document(
      kSchema,
      "The report of `amdahlc -emit=json`. Every key is present; a fact that was not established is "
      "null. Times are integers of nanoseconds per iteration. Keys may be added under the same name "
      "of the schema.",
      schemaOf(documentFields(sections)));
}

}  // namespace amdahlc
