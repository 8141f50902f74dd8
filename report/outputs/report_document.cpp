// The tables of `amdahlc.report/1`, an object each.
#include <algorithm>
#include <array>

#include "report/fields.h"
#include "report/fields_csv.h"
#include "report/outputs/output_options.h"
#include "report/outputs/rank_writers.h"
#include "report/outputs/segment_writers.h"
#include "report/verdict.h"

namespace amdahlc {
namespace {

constexpr std::string_view kSchema = "amdahlc.report/1";
/// Fields of kernels that are columns of CSV, in the order of the fields.
constexpr std::array<std::string_view, 16> kColumns = {"id",
                                                       "label",
                                                       "rule",
                                                       "category",
                                                       "nodes",
                                                       "scope",
                                                       "events",
                                                       "duration_ns",
                                                       "duration_ns_total",
                                                       "duration_ns_stddev",
                                                       "duration_ns_median",
                                                       "ratio",
                                                       "max_speedup",
                                                       "max_speedup_wall",
                                                       "critical",
                                                       "slack_ns"};

struct Document {
  const Report& report;
  /// Null with fewer than two runs.
  const ComparedRuns* segments = nullptr;
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

/// Its spread is unknown where all times are means of several executions.
std::optional<ReportedTime> reported(const RunReport& run, const std::optional<TimeStatistics>& time) {
  if (!time) return std::nullopt;
  return ReportedTime{*time, run.onlyMeans()};
}

/// A time of the totals of a run.
template <typename TimeOf>
std::optional<ReportedTime> totalTime(const RunRow& row, TimeOf timeOf) {
  return row.run.totals ? reported(row.run, timeOf(*row.run.totals)) : std::nullopt;
}

/// A number of the totals of a run; nullopt before it is timed.
template <auto member>
constexpr auto totalOf =
    [](const RunRow& row) { return row.run.totals ? std::optional<int64_t>((*row.run.totals).*member) : std::nullopt; };

/// A number over all executions, if known.
std::optional<int64_t> exactly(const RunReport& run, const std::optional<int64_t>& total) {
  return run.onlyMeans() ? std::nullopt : total;
}

template <auto member>
constexpr auto breakdownOf = [](const RunRow& row) -> std::optional<int64_t> {
  if (!row.run.totals || !row.run.totals->breakdown) return std::nullopt;
  return ((*row.run.totals->breakdown).*member).meanNs;
};

/// The names of all states of a kind, in the order of the enumerators.
template <auto last>
std::vector<std::string_view> stateNames() {
  std::vector<std::string_view> names;
  for (unsigned i = 0; i <= static_cast<unsigned>(last); ++i) names.push_back(ir::name(static_cast<decltype(last)>(i)));
  return names;
}
using KernelStateName = OneOf<stateNames<ir::KernelState::Ambiguous>>;
using NodeStateName = OneOf<stateNames<ir::NodeState::Missed>>;

/// The state of a kernel or a node. Before binding, only states from `simplify` and the rules are known. A state that
/// needs the trace is null.
template <typename Name, typename State>
std::optional<Name> stateOf(const RunReport& run, State state) {
  if (run.timeline == nullptr && !ir::isKnownWithoutTrace(state)) return std::nullopt;
  return Name{ir::name(state)};
}

constexpr auto kNodeFields = fields(
    field("index", "position in the model", [](const NodeRow& row) { return row.op; }),
    field("name", "unique name", [](const NodeRow& row) { return row.module.displayName(row.op); }),
    field("op_type", "ONNX operator", [](const NodeRow& row) { return row.module.text(row.module.ops[row.op].type); }),
    field("scope", "module scope; may be empty",
          [](const NodeRow& row) { return row.module.scopePath(row.module.ops[row.op].scope); }));

constexpr auto kModelFields = fields(
    field("name", "of the graph", [](const ir::Module& module) { return module.text(module.graphs.front().name); }),
    field("file", "without folders", [](const ir::Module& module) { return module.modelName; }),
    field("opset", "of ONNX's own domain", [](const ir::Module& module) { return SignedInteger{module.opset("")}; }),
    objects<kNodeFields>("nodes", "every node, functions inlined, bodies included", [](const ir::Module& module) {
      std::vector<NodeRow> rows;
      for (const ir::OpId op : module.ops.ids()) rows.push_back({module, op});
      return rows;
    }));

constexpr auto kTargetFields =
    fields(field("runtime", "such as `pytorch`", [](const Target& target) { return nonEmpty(target.runtime); }),
           field("vendor", "", [](const Target& target) { return nonEmpty(target.vendor); }),
           field("arch", "such as `sm_90`", [](const Target& target) { return nonEmpty(target.arch); }),
           field("device", "name of the device", [](const Target& target) { return nonEmpty(target.device); }));

constexpr auto kStepFields =
    fields(field("name", "", [](const Iteration& step) { return step.name; }),
           field("selected", "whether it counts", [](const Iteration& step) { return step.selected(); }));

constexpr auto kTraceFields = fields(
    field("file", "without folders", [](const RunRow& row) { return row.run.timeline->file; }),
    field("format", "of the trace", [](const RunRow& row) { return row.run.timeline->format; }),
    field("content_hash", "of the trace's content", [](const RunRow& row) { return row.run.timeline->contentHash; }),
    field("device_events", "selected device events", totalOf<&TraceTotals::deviceEvents>),
    field("iterations", "selected iterations", totalOf<&TraceTotals::iterations>),
    objects<kStepFields>("steps", "all iterations of the trace",
                         [](const RunRow& row) { return std::span(row.run.timeline->iterations); }),
    timeFields("busy_ns", "union of the device events",
               [](const RunRow& row) { return totalTime(row, [](const TraceTotals& totals) { return totals.busy; }); }),
    timeFields("wall_ns", "first start to last end of device events; null without start times",
               [](const RunRow& row) { return totalTime(row, [](const TraceTotals& totals) { return totals.wall; }); }),
    timeFields(
        "window_ns", "enclosing annotation or step on the host; null without one",
        [](const RunRow& row) { return totalTime(row, [](const TraceTotals& totals) { return totals.window; }); }),
    timeFields(
        "spill_in_ns", "device time whose launch is not in the trace; null if it is not known",
        [](const RunRow& row) { return totalTime(row, [](const TraceTotals& totals) { return totals.spillIn; }); }),
    timeFields("latency_ns", "whole executions, measured apart from the events",
               [](const RunRow& row) -> std::optional<ReportedTime> {
                 if (!row.run.totals || !row.run.totals->latency) return std::nullopt;
                 return ReportedTime{*row.run.totals->latency};
               }),
    field("latency_runs", "executions of which `latency_ns` is the mean",
          [](const RunRow& row) -> std::optional<size_t> {
            if (!row.run.totals || !row.run.totals->latency) return std::nullopt;
            return row.run.timeline->latenciesNs.size();
          }),
    field("idle_ns", "wall - busy",
          [](const RunRow& row) -> std::optional<int64_t> {
            if (!row.run.totals || !row.run.totals->idle) return std::nullopt;
            return row.run.totals->idle->meanNs;
          }),
    field("computation_ns", "union of the kernels that compute; null without a device or without start times",
          breakdownOf<&BreakdownStatistics::computation>),
    field("exposed_communication_ns", "communication between devices in which nothing computes",
          breakdownOf<&BreakdownStatistics::exposedCommunication>),
    field("exposed_copies_ns", "copies and sets while nothing computes or communicates",
          breakdownOf<&BreakdownStatistics::exposedCopies>),
    field("device_ns", "sum of durations, per iteration", totalOf<&TraceTotals::deviceNs>),
    field("bound_ns", "of bound events, per iteration", totalOf<&TraceTotals::boundNs>),
    field("unbound_ns", "`device_ns` - `bound_ns`", totalOf<&TraceTotals::unboundNs>),
    field("device_ns_total", "over all iterations",
          [](const RunRow& row) { return exactly(row.run, totalOf<&TraceTotals::deviceTotalNs>(row)); }),
    field("bound_ns_total", "over all iterations",
          [](const RunRow& row) { return exactly(row.run, totalOf<&TraceTotals::boundTotalNs>(row)); }),
    field("unbound_ns_total", "over all iterations",
          [](const RunRow& row) { return exactly(row.run, totalOf<&TraceTotals::unboundTotalNs>(row)); }));

/// `ratio` and the two limits. `sharesOf` returns an optional `Shares`.
template <typename Function, typename Row = RowOf<Function>>
consteval auto shareFields(Function /*sharesOf*/) {
  return fields(field("ratio", "of busy time",
                      [](const Row& row) {
                        const std::optional<Shares> shares = Function{}(row);
                        return shares ? std::optional(shares->ratio) : std::nullopt;
                      }),
                field("max_speedup", "of busy time if this cost nothing; null: infinite",
                      [](const Row& row) {
                        const std::optional<Shares> shares = Function{}(row);
                        return shares ? shares->maxSpeedup : std::nullopt;
                      }),
                field("max_speedup_wall", "of wall time, with idle time kept; null: infinite, or wall is unknown",
                      [](const Row& row) {
                        const std::optional<Shares> shares = Function{}(row);
                        return shares ? shares->maxSpeedupWall : std::nullopt;
                      }));
}

constexpr auto kFirstKernelFields = fields(
    field("id", "rank in the order of the kernel graph", [](const RunKernelRow& row) { return row.kernel.id; }),
    field("label", "of the rule, else the operators", [](const RunKernelRow& row) { return row.kernel.label; }),
    field("rule", "null: an operator that no rule covers", [](const RunKernelRow& row) { return row.kernel.rule; }),
    field("category", "of the rule, else `other`", [](const RunKernelRow& row) { return row.kernel.category; }),
    field("nodes", "names, anchor first", [](const RunKernelRow& row) { return row.kernel.nodes; }),
    field("scope", "module scope of the anchor; may be empty",
          [](const RunKernelRow& row) { return row.kernel.scope; }),
    field("state", "null if it needs a trace and there is none",
          [](const RunKernelRow& row) { return stateOf<KernelStateName>(row.run, row.kernel.state); }),
    field("reason", "why it was missed", [](const RunKernelRow& row) { return nonEmpty(row.kernel.missReason); }),
    field("trip_count", "of a loop, if known from events",
          [](const RunKernelRow& row) { return row.kernel.tripCount; }),
    field("events", "per iteration, rounded half to even", [](const RunKernelRow& row) { return row.kernel.events; }),
    field("events_total", "over all iterations",
          [](const RunKernelRow& row) {
            return row.kernel.events ? exactly(row.run, row.kernel.eventsTotal) : std::nullopt;
          }),
    timeFields("duration_ns", "union of the kernel's own events",
               [](const RunKernelRow& row) { return reported(row.run, row.kernel.time); }),
    field("per_forward_ns", "`duration_ns` over the forwards of an iteration; null if they are unknown",
          [](const RunKernelRow& row) -> std::optional<PredictedNs> {
            if (!row.kernel.time || !row.run.forwards) return std::nullopt;
            return PredictedNs{static_cast<double>(row.kernel.time->meanNs) / *row.run.forwards};
          }),
    shareFields([](const RunKernelRow& row) { return row.kernel.shares; }));
constexpr auto kLastKernelFields =
    fields(field("doc", "the rule's comment", [](const RunKernelRow& row) { return nonEmpty(row.kernel.doc); }));

constexpr auto kGroupFields =
    fields(field("name", "", [](const GroupRow& row) { return row.group.name; }),
           field("kernels", "", [](const GroupRow& row) { return row.group.kernels; }),
           field("events", "per iteration, rounded half to even", [](const GroupRow& row) { return row.group.events; }),
           field("events_total", "over all iterations",
                 [](const GroupRow& row) { return exactly(row.run, row.group.eventsTotal); }),
           timeFields("duration_ns", "union of the events of the group",
                      [](const GroupRow& row) { return reported(row.run, row.group.time); }),
           shareFields([](const GroupRow& row) { return std::optional(row.group.shares); }));

constexpr auto kScopeFields = fields(kGroupFields,
                                     field("own_duration_ns", "of kernels of exactly this scope",
                                           [](const GroupRow& row) { return row.own->time.meanNs; }),
                                     field("own_duration_ns_total", "over all iterations",
                                           [](const GroupRow& row) { return exactly(row.run, row.own->time.totalNs); }),
                                     field("own_kernels", "", [](const GroupRow& row) { return row.own->kernels; }));

template <auto member>
constexpr auto groupsOf = [](const RunReport& run) {
  std::vector<GroupRow> rows;
  for (const AggregateRow& group : run.*member) rows.push_back({run, group});
  return rows;
};

constexpr auto kAggregateFields =
    fields(objects<kGroupFields>("rule", "by label, longest first", groupsOf<&RunReport::byRule>),
           objects<kGroupFields>("category", "longest first", groupsOf<&RunReport::byCategory>),
           objects<kGroupFields>("op_type", "of the anchor, longest first", groupsOf<&RunReport::byOperatorType>),
           objects<kScopeFields>("scope", "each scope with everything inside it, by name", [](const RunReport& run) {
             std::vector<GroupRow> rows;
             for (const ScopeRow& scope : run.byScope) rows.push_back({run, scope.inclusive, &scope.own});
             return rows;
           }));

std::vector<std::string_view> unboundClasses() { return {"ambiguous", "runtime-only", "foreign", "unknown"}; }

constexpr auto kUnboundFields = fields(
    field("name", "of the events", [](const UnboundEventRow& row) { return row.event.name; }),
    field("events", "per iteration, rounded half to even", [](const UnboundEventRow& row) { return row.event.events; }),
    field("events_total", "over all iterations",
          [](const UnboundEventRow& row) { return exactly(row.run, row.event.eventsTotal); }),
    field("duration_ns", "sum of durations, per iteration",
          [](const UnboundEventRow& row) { return row.event.meanNs; }),
    field("duration_ns_total", "over all iterations",
          [](const UnboundEventRow& row) { return exactly(row.run, row.event.totalNs); }),
    field("class", "state of the events",
          [](const UnboundEventRow& row) { return OneOf<unboundClasses>{row.event.category}; }),
    field("reason", "a clause", [](const UnboundEventRow& row) { return row.event.reason; }));

constexpr auto kRunNodeFields =
    fields(field("index", "of the node in the model", [](const RunNodeRow& row) { return row.op; }),
           field("state", "null if it needs a trace and there is none",
                 [](const RunNodeRow& row) { return stateOf<NodeStateName>(row.run, row.run.nodes[row.op].state); }),
           field("kernels", "ids of the kernels with the node",
                 [](const RunNodeRow& row) { return row.run.nodes[row.op].kernels; }));

std::vector<std::string_view> trustNames() {
  return {name(TrustLevel::Full), name(TrustLevel::Limited), name(TrustLevel::None)};
}

/// Of a kernel: its own fields, with those of the sections before the last one.
struct KernelFields {
  template <typename Own, typename OfSection>
  static void visit(const Own& own, const OfSection& ofSection) {
    own(kFirstKernelFields);
    for (const ReportSection* section : reportSections()) ofSection(section->kernelFields);
    own(kLastKernelFields);
  }
  /// Calls `visitor` for each field and the row that it is of.
  template <typename Visitor>
  static void visitFields(const RunKernelRow& row, const Visitor& visitor) {
    const ReportKernel kernel{row.run.measured, row.kernel.id};
    const auto each = [&](const auto& fields, const auto& of) {
      for (const auto& field : fields) visitor(field, of);
    };
    visit([&](const auto& fields) { each(fields, row); }, [&](const auto& fields) { each(fields, kernel); });
  }
  friend void writeObject(const KernelFields& /*fields*/, const RunKernelRow& row, JsonStream& out) {
    out.beginObject();
    visitFields(row, [&](const auto& field, const auto& of) { field.write(of, out); });
    out.end();
  }
  friend schema::Json schemaOf(const KernelFields& /*fields*/) {
    schema::Json properties = schema::Json::object();
    const auto add = [&](const auto& fields) { addProperties(fields, properties); };
    visit(add, add);
    return schema::object(std::move(properties));
  }
};
constexpr KernelFields kKernelFields;

constexpr auto kFirstRunFields =
    fields(field("label", "of the trace; `default` without one", [](const RunRow& row) { return row.run.label; }),
           field("verdict", "the first line of the summary; null without times",
                 [](const RunRow& row) { return row.verdict ? std::optional(row.verdict->text) : std::nullopt; }),
           field("trust", "how far the verdict says to trust the numbers",
                 [](const RunRow& row) {
                   return row.verdict ? std::optional(OneOf<trustNames>{name(row.verdict->trust)}) : std::nullopt;
                 }),
           object<kTargetFields>("target", "as the trace says, else `-target=`",
                                 [](const RunRow& row) { return row.run.target; }),
           object<kTraceFields>("trace", "null without one",
                                [](const RunRow& row) { return row.run.timeline != nullptr ? &row : nullptr; }),
           objects<kRunNodeFields>("nodes", "parallel to the nodes of the model",
                                   [](const RunRow& row) {
                                     std::vector<RunNodeRow> rows;
                                     for (const ir::OpId op : row.run.nodes.ids()) rows.push_back({row.run, op});
                                     return rows;
                                   }),
           objects<kKernelFields>("kernels", "by id",
                                  [](const RunRow& row) {
                                    std::vector<RunKernelRow> rows;
                                    for (const KernelRow& kernel : row.run.kernels) rows.push_back({row.run, kernel});
                                    return rows;
                                  }),
           object<kAggregateFields>("aggregates", "groups of kernels; null without times",
                                    [](const RunRow& row) { return row.run.totals ? &row.run : nullptr; }));
constexpr auto kUnboundField =
    fields(objects<kUnboundFields>("unbound", "events without a kernel, longest first; null without a trace",
                                   [](const RunRow& row) -> std::optional<std::vector<UnboundEventRow>> {
                                     if (row.run.timeline == nullptr) return std::nullopt;
                                     std::vector<UnboundEventRow> rows;
                                     for (const UnboundRow& event : row.run.unbound) rows.push_back({row.run, event});
                                     return rows;
                                   }));

/// Of a run: its own fields, each followed by those of the sections that are placed after it.
struct RunFields {
  template <typename Own, typename OfSection>
  static void visit(const Own& own, const OfSection& ofSection) {
    const auto sections = [&](std::string_view after) {
      for (const ReportSection* section : reportSections())
        if (section->after == after) ofSection(section->runFields);
    };
    own(kFirstRunFields);
    sections("aggregates");
    own(kUnboundField);
    sections("");
  }
  friend void writeObject(const RunFields&, const RunRow& row, JsonStream& out) {
    const auto write = [&](const auto& fields, const auto& of) {
      for (const auto& field : fields) field.write(of, out);
    };
    out.beginObject();
    visit([&](const auto& fields) { write(fields, row); },
          [&](const auto& fields) { write(fields, row.run.measured); });
    out.end();
  }
  friend schema::Json schemaOf(const RunFields&) {
    schema::Json properties = schema::Json::object();
    const auto add = [&](const auto& fields) { addProperties(fields, properties); };
    visit(add, add);
    return schema::object(std::move(properties));
  }
};
constexpr RunFields kRunFields;

constexpr auto kDocumentFields = fields(
    field("schema", "", [](const Document&) { return Constant<kSchema>(); }),
    object<kModelFields>("model", "the graph as it was read",
                         [](const Document& all) -> const ir::Module& { return *all.report.module; }),
    objects<kRunFields>("runs", "one for each trace that is bound; without one, one run with `trace` null",
                        [](const Document& all) {
                          std::vector<RunRow> rows;
                          for (const RunReport& run : all.report.runs) rows.push_back({run, verdictOn(run)});
                          return rows;
                        }),
    object<kSegmentFields>("compare", "the runs by segments of the model; null with fewer than two measured runs",
                           [](const Document& all) { return all.segments; }),
    objects<kRankFields>("ranks", "the ranks of the run; null without traces of several",
                         [](const Document& all) { return all.ranks != nullptr ? &all.ranks->ranks : nullptr; }),
    object<kAcrossRanksFields>("across_ranks", "what the ranks tell of each other; null without traces of several",
                               [](const Document& all) { return all.ranks; }),
    objects<kProblemFields>("data_problems", "unusual but usable data",
                            [](const Document& all) { return &all.report.problems; }));

std::string writeReportJson(const OutputContext& context) {
  const Report& report = context.reported();
  const auto measured = std::count_if(report.runs.begin(), report.runs.end(),
                                      [](const RunReport& run) { return run.totals.has_value(); });
  std::optional<SegmentTable> segments;
  if (measured > 1) segments = segmentTable(report, context.report.segments);
  std::optional<ComparedRuns> compared;
  if (segments) compared = {report.module, &*segments};
  std::string text;
  JsonStream out(text);
  writeObject(kDocumentFields, Document{report, compared ? &*compared : nullptr, context.report.ranks}, out);
  text += '\n';
  return text;
}

std::string writeReportCsv(const OutputContext& context) {
  std::string out;
  CsvRow header(out);
  header.field("run");
  for (const std::string_view column : kColumns) header.field(column);
  for (const ReportSection* section : reportSections())
    if (section->column != nullptr) header.field(section->columnName);
  header.end();
  for (const RunReport& run : context.reported().runs) {
    std::vector<std::string> values;
    for (const ReportSection* section : reportSections())
      if (section->column != nullptr) values.push_back(section->column(run.measured));
    for (const KernelRow& kernel : run.kernels) {
      CsvRow row(out);
      row.field(run.label);
      KernelFields::visitFields({run, kernel}, [&](const auto& field, const auto& of) {
        if (std::find(kColumns.begin(), kColumns.end(), field.name()) != kColumns.end())
          row.field(cellOf(field.value(of)));
      });
      for (const std::string& value : values) row.field(value);
      row.end();
    }
  }
  return out;
}

std::string reportSchema() {
  return schema::document(
      kSchema,
      "The report of `amdahlc -emit=json`. Every key is present; a fact that was not established is "
      "null. Times are integers of nanoseconds per iteration. Keys may be added under the same name "
      "of the schema.",
      schemaOf(kDocumentFields));
}

}  // namespace

constinit const Output kJsonOutput{.name = "json",
                                   .summary = "the whole report as JSON, schema amdahlc.report/1",
                                   .write = writeReportJson,
                                   .options = kOptionsOfComparisons,
                                   .schemaName = "report",
                                   .schema = reportSchema};
constinit const Output kCsvOutput{
    .name = "csv", .summary = "one row per kernel", .write = writeReportCsv, .isCsv = true};

}  // namespace amdahlc
