// The tables of `amdahlc.report/2`, an object each.
#include <algorithm>

#include "ir/facets/timed.h"
#include "report/fields.h"
#include "report/outputs/comparison_fields.h"
#include "report/outputs/output_options.h"
#include "report/outputs/rank_writers.h"
#include "report/outputs/run_fields.h"
#include "report/outputs/segment_writers.h"
#include "report/report.h"
#include "report/table.h"

namespace amdahlc {
namespace {

struct Document {
  const Report& report;
  /// Null with fewer than two runs.
  const SegmentTable* segments = nullptr;
  /// Of runs with each other or with the baseline; empty if there is nothing to compare.
  std::vector<comparison::Comparison> comparisons;
  /// Null without the traces of several ranks.
  const ranks::RankComparison* ranks = nullptr;
};
struct NodeRow {
  const ir::Module& module;
  ir::OpId op;
};
struct RunSamplesRow {
  const RunReport& run;
  const ir::RunTimes& times;
};
struct RunNodeRow {
  const RunReport& run;
  ir::OpId op;
};
/// A part of the totals of a run; nullopt before it is timed, and where it is not known.
template <auto member>
constexpr auto kTotalOf = [](const RunReport& run) {
  using Part = std::decay_t<decltype((*run.totals).*member)>;
  if constexpr (field_detail::isNullable<Part>)
    return run.totals ? (*run.totals).*member : std::nullopt;
  else
    return run.totals ? std::optional<Part>((*run.totals).*member) : std::nullopt;
};
template <auto member>
constexpr auto kTotalTime = [](const RunReport& run) { return reported(run, kTotalOf<member>(run)); };

template <auto member>
constexpr auto kBreakdownOf = [](const RunReport& run) {
  const auto breakdown = kTotalOf<&TraceTotals::breakdown>(run);
  return breakdown ? std::optional(((*breakdown).*member).reportedNs) : std::nullopt;
};

constexpr auto kNodeFields = fields<NodeRow>(
    field<&NodeRow::op>("index", "position in the model"),
    field("name", "unique name", [](auto& row) { return row.module.displayName(row.op); }),
    field("op_type", "ONNX operator", [](auto& row) { return row.module.text(row.module.ops[row.op].type); }),
    field("scope", "module scope; may be empty",
          [](auto& row) { return row.module.scopePath(row.module.ops[row.op].scope); }));

std::vector<std::string_view> frontEndNames() { return {std::begin(ir::kFrontEnds), std::end(ir::kFrontEnds)}; }
std::vector<std::string_view> edgeNames() { return {"data", "order"}; }

constexpr auto kModelFields = fields<ir::Module>(
    field("name", "of the graph", [](auto& module) { return module.text(module.graphs.front().name); }),
    field<&ir::Module::modelName>("file", "without folders; of a program, that of its trace"),
    field("front_end", "`onnx`: a model; `trace`: the program of a run; `execution-trace`: the same with its data",
          [](auto& module) { return OneOf<frontEndNames>{name(module.frontEnd)}; }),
    field("edges", "`data`: operators use the results of others; `order`: only the order of calls is known",
          [](auto& module) { return OneOf<edgeNames>{edgeNames()[module.hasDataEdges() ? 0 : 1]}; }),
    field("data_edges",
          "of a program: pairs of calls of which one reads what the other one wrote; 0 where only the order is known; "
          "null for a model",
          [](auto& module) { return module.isRecorded() ? std::optional(module.dataEdges) : std::nullopt; }),
    field("opset", "of ONNX's own domain", [](auto& module) { return SignedInteger{module.opset("")}; }),
    objects<kNodeFields>("nodes", "every node, functions inlined, bodies included",
                         [](auto& module) { return rowsOf<NodeRow>(module, module.ops.ids()); }));

constexpr auto kTargetFields =
    fields<Target>(field("runtime", "such as `pytorch`", [](auto& target) { return nonEmpty(target.runtime); }),
                   field("vendor", "", [](auto& target) { return nonEmpty(target.vendor); }),
                   field("arch", "such as `sm_90`", [](auto& target) { return nonEmpty(target.arch); }),
                   field(keys::kDevice, "name of the device", [](auto& target) { return nonEmpty(target.device); }));

constexpr auto kStepFields =
    fields<Iteration>(field<&Iteration::name>("name", ""),
                      field<&Iteration::recording>("recording", "its place in `files` and in `samples_ns`"),
                      field("selected", "whether it counts", [](auto& step) { return step.selected(); }));

/// A field of a part of the device time. Of means the sum is not known.
template <auto part, auto figure>
constexpr auto partOfDevice(std::string_view key, std::string_view description) {
  return field(key, description, [](const RunReport& run) -> std::optional<int64_t> {
    const auto time = kTotalOf<part>(run);
    if (!time || (run.onlyMeans() && figure == &TimeStatistics::totalNs)) return std::nullopt;
    return (*time).*figure;
  });
}

std::vector<std::string_view> averageNames() { return {std::begin(kAverageNames), std::end(kAverageNames)}; }

/// Times of a run; null where they are unknown.
template <auto timesNs>
constexpr auto kSamplesOf = [](const RunSamplesRow& row) -> std::optional<comparison::Samples> {
  const auto* times = field_detail::pointerTo(row.times.*timesNs);
  return times != nullptr ? samplesOf(row.run, *times) : std::nullopt;
};

constexpr auto kSamplesFields = fields<RunSamplesRow>(
    numbersField(keys::kBusySamples, kOfSamples, kSamplesOf<&ir::RunTimes::busyNs>),
    numbersField(keys::kWallSamples, "as busy; null without start times", kSamplesOf<&ir::RunTimes::wallNs>),
    numbersField(keys::kWindowSamples, "as busy; null without a window", kSamplesOf<&ir::RunTimes::windowNs>));

constexpr auto kTracedCallsFields =
    fields<TracedCalls>(field<&TracedCalls::file>("file", "without folders"),
                        field<&TracedCalls::calls>("calls", "operators and annotations of the trace"),
                        field<&TracedCalls::linked>("linked", "those that the execution trace has, too"),
                        field<&TracedCalls::operands>("operands", "of these, whose operands only it has"),
                        field<&TracedCalls::numbers>("numbers", "of these, whose numbers of autograd only it has"));

constexpr auto kTraceFields = fields<RunReport>(
    field("file", "without folders; of several files with commas between them",
          [](auto& run) { return run.timeline->file; }),
    field("files", "of each recording, as `file`",
          [](auto& run) {
            std::vector<std::string> files;
            for (const Recording& recording : run.timeline->recordings) files.push_back(recording.file);
            if (files.empty()) files.push_back(run.timeline->file);
            return files;
          }),
    field("format", "of the trace", [](auto& run) { return run.timeline->format; }),
    field("content_hash", "of the trace's content", [](auto& run) { return run.timeline->contentHash; }),
    object<kTracedCallsFields>(
        "execution_trace", "what an execution trace added to the calls; null without one, and where the graph is its",
        [](auto& run) -> const TracedCalls* {
          const bool isThere = run.timeline->host && run.timeline->host->traced;
          return isThere ? &*run.timeline->host->traced : nullptr;
        }),
    field("device_events", "selected device events", kTotalOf<&TraceTotals::deviceEvents>),
    field("iterations", "selected iterations", kTotalOf<&TraceTotals::iterations>),
    field(keys::kStatistic,
          "`median`: rows are medians over the selected iterations, and times of the run are those of the "
          "representative one; `mean`: all are means",
          [](auto& run) { return OneOf<averageNames>{name(run.timeline->average)}; }),
    field("representative", "name of the iteration with the median wall time; null: means are reported",
          [](auto& run) -> std::optional<std::string> {
            const auto* timed = run.cover->facets.template get<ir::TimedFacet>();
            if (timed == nullptr || !timed->run.representative) return std::nullopt;
            return run.timeline->iterationNames(LeftOut::None)[*timed->run.representative];
          }),
    field(keys::kUndisturbedBusy, "busy if each kernel took its median; null: means are reported",
          kTotalOf<&TraceTotals::undisturbedNs>),
    field("disturbed_ratio",
          "(mean busy - undisturbed busy) / mean busy; null with fewer than three iterations, and where means are "
          "reported",
          [](const RunReport& run) {
            const auto ratio = kTotalOf<&TraceTotals::disturbedRatio>(run);
            return ratio ? std::optional(SignedNumber{*ratio}) : std::nullopt;
          }),
    objects<kStepFields>("steps", "all iterations of the run",
                         [](auto& run) { return std::span(run.timeline->iterations); }),
    timeFields(keys::kBusy, "union of the device events", kTotalTime<&TraceTotals::busy>),
    timeFields(keys::kWall, "first start to last end of device events; null without start times",
               kTotalTime<&TraceTotals::wall>),
    timeFields(keys::kWindow, "enclosing annotation or step on the host; null without one",
               kTotalTime<&TraceTotals::window>),
    object<kSamplesFields>(keys::kSamples, "times of the run; null where times are means",
                           [](const RunReport& run) -> std::optional<RunSamplesRow> {
                             const auto* timed = run.cover->facets.get<ir::TimedFacet>();
                             if (timed == nullptr || run.onlyMeans()) return std::nullopt;
                             return std::optional<RunSamplesRow>({run, timed->run});
                           }),
    timeFields("spill_in_ns", "device time whose launch is not in the trace; null if it is not known",
               kTotalTime<&TraceTotals::spillIn>),
    timeFields("latency_ns", "whole executions, measured apart from the events",
               [](const RunReport& run) {
                 const auto time = kTotalOf<&TraceTotals::latency>(run);
                 return time ? std::optional(ReportedTime{*time}) : std::nullopt;
               }),
    field("latency_runs", "executions of which `latency_ns` is",
          [](auto& run) {
            return kTotalOf<&TraceTotals::latency>(run) ? std::optional(run.timeline->latenciesNs.size())
                                                        : std::nullopt;
          }),
    field("idle_ns", "wall - busy", [](auto& run) { return reportedNsOf(kTotalOf<&TraceTotals::idle>(run)); }),
    field("computation_ns", "union of the kernels that compute; null without a device or without start times",
          kBreakdownOf<&BreakdownStatistics::computation>),
    field("exposed_communication_ns", "communication between devices in which nothing computes",
          kBreakdownOf<&BreakdownStatistics::exposedCommunication>),
    field("exposed_copies_ns", "copies and sets while nothing computes or communicates",
          kBreakdownOf<&BreakdownStatistics::exposedCopies>),
    partOfDevice<&TraceTotals::device, &TimeStatistics::reportedNs>("device_ns", "sum of durations, per iteration"),
    partOfDevice<&TraceTotals::bound, &TimeStatistics::reportedNs>("bound_ns", "of bound events, per iteration"),
    partOfDevice<&TraceTotals::unbound, &TimeStatistics::reportedNs>("unbound_ns", "`device_ns` - `bound_ns`"),
    partOfDevice<&TraceTotals::device, &TimeStatistics::totalNs>("device_ns_total", "over all iterations"),
    partOfDevice<&TraceTotals::bound, &TimeStatistics::totalNs>("bound_ns_total", "over all iterations"),
    partOfDevice<&TraceTotals::unbound, &TimeStatistics::totalNs>("unbound_ns_total", "over all iterations"));

constexpr auto kLastKernelFields =
    fields<RunKernelRow>(field("doc", "the rule's comment", [](auto& row) { return nonEmpty(row.item.doc); }));

constexpr auto kScopeFields = fields<GroupRow>(
    kGroupFields,
    field("own_duration_ns", "of kernels of exactly this scope", [](auto& row) { return row.own->time.reportedNs; }),
    field("own_duration_ns_total", "over all iterations",
          [](auto& row) { return kExactly(row.run, row.own->time.totalNs); }),
    field("own_kernels", "", [](auto& row) { return row.own->kernels; }));

constexpr auto kAggregateFields = fields<RunReport>(
    objects<kGroupFields>("rule", "by label, longest first", kGroupRows<&RunReport::byRule>),
    objects<kGroupFields>(keys::kCategory, "longest first", kGroupRows<&RunReport::byCategory>),
    objects<kGroupFields>("op_type", "of the anchor, longest first", kGroupRows<&RunReport::byOperatorType>),
    objects<kGroupFields>("operator", "by the operator that was called, longest first; empty for a model",
                          kGroupRows<&RunReport::byOperator>),
    objects<kScopeFields>(keys::kScope, "each scope with everything inside it, by name", [](auto& run) {
      std::vector<GroupRow> rows;
      for (const ScopeRow& scope : run.byScope) rows.emplace_back(run, scope.inclusive, &scope.own);
      return rows;
    }));

constexpr auto kRunNodeFields = fields<RunNodeRow>(
    field<&RunNodeRow::op>("index", "of the node in the model"),
    field("state", "null if it needs a trace and there is none",
          [](auto& row) { return stateOf<NodeStateName>(row.run, row.run.nodes[row.op].state); }),
    field("kernels", "ids of the kernels with the node", [](auto& row) { return row.run.nodes[row.op].kernels; }));

/// Of a kernel: its own fields, with those of the sections before the last one.
struct KernelTables {
  template <typename Visitor>
  static void visit(const Visitor& visitor) {
    visitor(kFirstKernelFields);
    for (const ReportSection* section : reportSections()) visitor(section->kernelFields);
    visitor(kLastKernelFields);
  }
};
constexpr JoinedFields<KernelTables> kKernelFields;

constexpr auto kFirstRunFields = fields<RunReport>(
    inCsv(field<&RunReport::label>(keys::kLabel, "of the trace; `default` without one"), "run"),
    field(keys::kVerdict, "the first line of the summary; null without times",
          [](auto& run) { return run.verdict ? std::optional(run.verdict->whole()) : std::nullopt; }),
    field(keys::kTrust, "how far the verdict says to trust the numbers",
          [](auto& run) {
            return run.verdict
                       ? std::optional(OneOf<namesFrom<TrustLevel::Full, TrustLevel::None>>{name(run.verdict->trust)})
                       : std::nullopt;
          }),
    object<kTargetFields>(keys::kTarget, "as the trace says, else `-target=`", [](auto& run) { return run.target; }),
    object<kTraceFields>(keys::kTrace, "null without one",
                         [](auto& run) { return run.timeline != nullptr ? &run : nullptr; }),
    object<kModelFields>("model", "the program of the run, in the form of `model`; null where a model was given",
                         [](auto& run) { return run.module->isRecorded() ? run.module : nullptr; }),
    objects<kRunNodeFields>("nodes", "parallel to the nodes of the model",
                            [](auto& run) { return rowsOf<RunNodeRow>(run, run.nodes.ids()); }),
    objects<kKernelFields>(keys::kKernels, "by id", [](auto& run) { return rowsOf<RunKernelRow>(run, run.kernels); }),
    object<kAggregateFields>(keys::kAggregates, "groups of kernels; null without times",
                             [](auto& run) { return run.totals ? &run : nullptr; }));
constexpr auto kUnboundField = fields<RunReport>(
    objects<kUnboundFields>("unbound", "events without a kernel, longest first; null without a trace", [](auto& run) {
      return run.timeline != nullptr ? std::optional(rowsOf<UnboundEventRow>(run, run.unbound)) : std::nullopt;
    }));

/// Of a run: its own fields, each followed by those of the sections that are placed after it.
struct RunTables {
  template <typename Visitor>
  static void visit(const Visitor& visitor) {
    const auto sections = [&](std::string_view after) {
      for (const ReportSection* section : reportSections())
        if (section->after == after) visitor(section->runFields);
    };
    visitor(kFirstRunFields);
    sections(keys::kAggregates);
    visitor(kUnboundField);
    sections("");
  }
};
constexpr JoinedFields<RunTables> kRunFields;

constexpr auto kDocumentFields = fields<Document>(
    field(keys::kSchema, "", [](const Document&) { return Constant<keys::kReportSchema>(); }),
    object<kModelFields>("model", "the graph as it was read",
                         [](auto& all) -> const ir::Module& { return *all.report.module; }),
    objects<kRunFields>(keys::kRuns, "one for each trace that is bound; without one, one run with `trace` null",
                        [](auto& all) { return std::span(all.report.runs); }),
    object<kSegmentFields>("compare", "the runs by segments of the model; null with fewer than two measured runs",
                           [](auto& all) { return all.segments; }),
    objects<kComparisonFields>("comparisons",
                               "the first measured run with each other one, and runs with those of the baseline; null "
                               "if there are none",
                               [](auto& all) { return all.comparisons.empty() ? nullptr : &all.comparisons; }),
    objects<kRankFields>("ranks", "the ranks of the run; null without traces of several",
                         [](auto& all) { return all.ranks != nullptr ? &all.ranks->ranks : nullptr; }),
    object<kAcrossRanksFields>("across_ranks", "what the ranks tell of each other; null without traces of several",
                               [](auto& all) { return all.ranks; }),
    objects<kProblemFields>("data_problems", "unusual but usable data",
                            [](auto& all) { return &all.report.problems; }));

std::string writeReportJson(const OutputContext& context) {
  const Report& report = context.reported();
  const auto measured = std::ranges::count_if(report.runs, [](const RunReport& run) { return run.totals.has_value(); });
  std::optional<SegmentTable> segments;
  if (measured > 1) segments = segmentTable(report, context.report.segments);
  return writeJson(kDocumentFields, Document{report, segments ? &*segments : nullptr,
                                             comparisonsOf(report, context.report.baseline), context.report.ranks});
}

/// Columns with one value for a whole run.
struct SectionColumns {
  template <typename Visitor>
  static void visit(const Visitor& visitor) {
    for (const ReportSection* section : reportSections()) visitor(section->columns);
  }
};

std::vector<RunKernelRow> rowsOfCsv(const Report& report) {
  std::vector<RunKernelRow> rows;
  for (const RunReport& run : report.runs)
    for (const KernelRow& kernel : run.kernels) rows.push_back({{run, kernel}});
  return rows;
}

/// Calls `use` with the tables that hold the columns of a kernel, in order.
template <typename Use>
auto withColumnTables(const Use& use) {
  return use(kFirstRunFields, kKernelFields, JoinedFields<SectionColumns>());
}

std::string writeReportCsv(const OutputContext& context) {
  return withColumnTables([&](const auto&... tables) { return writeCsv(rowsOfCsv(context.reported()), tables...); });
}

std::string reportSchema() {
  return schema::document(
      keys::kReportSchema,
      "The report of `amdahlc -emit=json`. Every key is present; a fact that was not established is "
      "null. Times are integers of nanoseconds per iteration. Keys may be added under the same name "
      "of the schema.",
      schemaOf(kDocumentFields));
}

}  // namespace

RowTable kernelTable(const Report& report) {
  RowTable table;
  JsonStream out(table.rows);
  schema::Json properties = schema::Json::object();
  withColumnTables([&](const auto&... tables) {
    const auto describe = [&](const auto& field) {
      if (!field.column.empty()) properties[field.columnName()] = field.schema();
    };
    (eachField(tables, describe), ...);
    out.beginArray();
    for (const RunKernelRow& row : rowsOfCsv(report)) {
      const auto write = [&](const auto& field) {
        if (!field.column.empty()) out.member(field.columnName(), field.value(row));
      };
      out.beginObject();
      (eachField(tables, write), ...);
      out.end();
    }
    out.end();
  });
  table.rowSchema = schema::object(std::move(properties)).dump();
  return table;
}

std::string runsWithKey(const Report& report, std::string_view key) {
  std::string text;
  JsonStream out(text);
  out.beginArray();
  for (const RunReport& run : report.runs) {
    out.beginObject();
    eachField(kRunFields, [&](const auto& field) {
      if (field.key == key || field.key == keys::kLabel) field.write(run, out);
    });
    out.end();
  }
  out.end();
  return text;
}

constinit const Output kJsonOutput{.name = "json",
                                   .summary = "the whole report as JSON, schema amdahlc.report/2",
                                   .write = writeReportJson,
                                   .baseline = Output::BaselineUse::IfGiven,
                                   .options = kOptionsOfComparisons,
                                   .schemaName = "report",
                                   .schema = reportSchema};
constinit const Output kCsvOutput{
    .name = "csv", .summary = "one row per kernel", .write = writeReportCsv, .isCsv = true};

}  // namespace amdahlc
