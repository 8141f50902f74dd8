#include "passes/emit/verdict.h"
#include "passes/emit/writers.h"
#include "passes/manager/json_stream.h"
#include "passes/manager/report_values.h"

namespace amdahlc {

using Json = nlohmann::ordered_json;

namespace {

/// `KEY`, `KEY_total`, `KEY_stddev`, `KEY_median`; with `onlyMean` the first only.
void addTime(Json& object, const std::string& key, const std::optional<TimeStatistics>& time, bool onlyMean) {
  const bool all = time && !onlyMean;
  object[key] = time ? Json(time->meanNs) : Json(nullptr);
  object[key + "_total"] = all ? Json(time->totalNs) : Json(nullptr);
  object[key + "_stddev"] = all ? Json(time->standardDeviationNs) : Json(nullptr);
  object[key + "_median"] = all ? Json(time->medianNs) : Json(nullptr);
}

/// A number over all executions, if known.
Json totalOf(const RunReport& run, int64_t total) { return run.onlyMeans() ? Json(nullptr) : Json(total); }

void addShares(Json& object, const std::optional<Shares>& shares) {
  object["ratio"] = shares ? Json(shares->ratio) : Json(nullptr);
  object["max_speedup"] = shares ? orNull(shares->maxSpeedup) : Json(nullptr);
  object["max_speedup_wall"] = shares ? orNull(shares->maxSpeedupWall) : Json(nullptr);
}

void writeModel(const ir::Module& module, JsonStream& out) {
  out.beginObject();
  out.member("name", module.text(module.graphs.front().name));
  out.member("file", module.modelName);
  out.member("opset", module.opset(""));
  out.array("nodes", module.ops.ids(), [&](ir::OpId op) -> Json {
    const ir::Op& node = module.ops[op];
    return {{"index", op},
            {"name", module.displayName(op)},
            {"op_type", module.text(node.type)},
            {"scope", module.scopePath(node.scope)}};
  });
  out.end();
}

Json targetJson(const Target& target) {
  return {{"runtime", nonEmpty(target.runtime)},
          {"vendor", nonEmpty(target.vendor)},
          {"arch", nonEmpty(target.arch)},
          {"device", nonEmpty(target.device)}};
}

Json traceJson(const RunReport& run) {
  if (!run.timeline) return nullptr;
  Json trace{
      {"file", run.timeline->file}, {"format", run.timeline->format}, {"content_hash", run.timeline->contentHash}};
  const auto& totals = run.totals;
  trace["device_events"] = totals ? Json(totals->deviceEvents) : Json(nullptr);
  trace["iterations"] = totals ? Json(totals->iterations) : Json(nullptr);
  Json steps = Json::array();
  for (const Iteration& iteration : run.timeline->iterations)
    steps.push_back({{"name", iteration.name}, {"selected", iteration.selected()}});
  trace["steps"] = std::move(steps);
  const bool onlyMean = run.onlyMeans();
  addTime(trace, "busy_ns", totals ? std::optional(totals->busy) : std::nullopt, onlyMean);
  addTime(trace, "wall_ns", totals ? totals->wall : std::nullopt, onlyMean);
  addTime(trace, "window_ns", totals ? totals->window : std::nullopt, onlyMean);
  addTime(trace, "spill_in_ns", totals ? totals->spillIn : std::nullopt, onlyMean);
  addTime(trace, "latency_ns", totals ? totals->latency : std::nullopt, false);
  trace["latency_runs"] = totals && totals->latency ? Json(run.timeline->latenciesNs.size()) : Json(nullptr);
  trace["idle_ns"] = totals && totals->idle ? Json(totals->idle->meanNs) : Json(nullptr);
  for (auto [key, member] : {std::pair{"device_ns", &TraceTotals::deviceNs},
                             {"bound_ns", &TraceTotals::boundNs},
                             {"unbound_ns", &TraceTotals::unboundNs}})
    trace[key] = totals ? Json((*totals).*member) : Json(nullptr);
  for (auto [key, member] : {std::pair{"device_ns_total", &TraceTotals::deviceTotalNs},
                             {"bound_ns_total", &TraceTotals::boundTotalNs},
                             {"unbound_ns_total", &TraceTotals::unboundTotalNs}})
    trace[key] = totals ? totalOf(run, (*totals).*member) : Json(nullptr);
  return trace;
}

/// The state of a kernel or a node. Before binding, only states from `simplify` and the rules are known. A state that
/// needs the trace is null.
template <typename State>
Json stateJson(const RunReport& run, State state) {
  return run.timeline || ir::isKnownWithoutTrace(state) ? Json(ir::name(state)) : Json(nullptr);
}

Json kernelJson(const RunReport& run, const KernelRow& kernel, std::span<const ReportSection> sections) {
  Json json{
      {"id", kernel.id},       {"label", kernel.label}, {"rule", orNull(kernel.rule)}, {"category", kernel.category},
      {"nodes", kernel.nodes}, {"scope", kernel.scope}};
  json["state"] = stateJson(run, kernel.state);
  json["reason"] = nonEmpty(kernel.missReason);
  json["trip_count"] = orNull(kernel.tripCount);
  json["events"] = orNull(kernel.events);
  json["events_total"] = kernel.events ? totalOf(run, kernel.eventsTotal) : Json(nullptr);
  addTime(json, "duration_ns", kernel.time, run.onlyMeans());
  addShares(json, kernel.shares);
  for (const ReportSection& section : sections)
    if (section.kernelJson) section.kernelJson(run.measured, kernel.id, json);
  json["doc"] = nonEmpty(kernel.doc);
  return json;
}

Json aggregateJson(const RunReport& run, const AggregateRow& row) {
  Json json{{"name", row.name},
            {"kernels", row.kernels},
            {"events", row.events},
            {"events_total", totalOf(run, row.eventsTotal)}};
  addTime(json, "duration_ns", row.time, run.onlyMeans());
  addShares(json, row.shares);
  return json;
}

Json aggregatesJson(const RunReport& run) {
  if (!run.totals) return nullptr;
  Json json;
  for (auto [key, rows] :
       {std::pair{"rule", &run.byRule}, {"category", &run.byCategory}, {"op_type", &run.byOperatorType}}) {
    json[key] = Json::array();
    for (const AggregateRow& row : *rows) json[key].push_back(aggregateJson(run, row));
  }
  json["scope"] = Json::array();
  for (const ScopeRow& row : run.byScope) {
    Json scope = aggregateJson(run, row.inclusive);
    scope["own_duration_ns"] = row.own.time.meanNs;
    scope["own_duration_ns_total"] = totalOf(run, row.own.time.totalNs);
    scope["own_kernels"] = row.own.kernels;
    json["scope"].push_back(std::move(scope));
  }
  return json;
}

Json unboundJson(const RunReport& run, const UnboundRow& row) {
  return {{"name", row.name},
          {"events", row.events},
          {"events_total", totalOf(run, row.eventsTotal)},
          {"duration_ns", row.meanNs},
          {"duration_ns_total", totalOf(run, row.totalNs)},
          {"class", row.category},
          {"reason", row.reason}};
}

/// The run's own keys in their order, each followed by the sections that are placed after it.
void writeRun(const RunReport& run, std::span<const ReportSection> sections, JsonStream& out) {
  const auto addSections = [&](std::string_view after) {
    for (const ReportSection& section : sections)
      if (section.json && section.after == after) section.json(run.measured, out);
  };
  const auto nodeJson = [&](ir::OpId op) -> Json {
    return {{"index", op}, {"state", stateJson(run, run.nodes[op].state)}, {"kernels", run.nodes[op].kernels}};
  };
  out.beginObject();
  out.member("label", run.label);
  const auto verdict = verdictOn(run, sections);
  out.member("verdict", verdict ? Json(verdict->text) : Json(nullptr));
  out.member("trust", verdict ? Json(name(verdict->trust)) : Json(nullptr));
  out.member("target", targetJson(run.target));
  out.member("trace", traceJson(run));
  out.array("nodes", run.nodes.ids(), nodeJson);
  out.array("kernels", run.kernels, [&](const KernelRow& row) { return kernelJson(run, row, sections); });
  out.member("aggregates", aggregatesJson(run));
  addSections("aggregates");
  if (run.timeline)
    out.array("unbound", run.unbound, [&](const UnboundRow& row) { return unboundJson(run, row); });
  else
    out.member("unbound", nullptr);
  addSections("");
  out.end();
}

}  // namespace

std::string writeJson(const Report& report, std::span<const ReportSection> sections) {
  std::string text;
  JsonStream out(text);
  out.beginObject();
  out.member("schema", "amdahlc.report/1");
  out.key("model");
  writeModel(*report.module, out);
  out.key("runs");
  out.beginArray();
  for (const RunReport& run : report.runs) writeRun(run, sections, out);
  out.end();
  const auto problemJson = [](const DataProblem& problem) -> Json {
    return {{"name", problem.name}, {"count", problem.count}, {"what", problem.what}};
  };
  out.array("data_problems", report.problems, problemJson);
  out.end();
  text += '\n';
  return text;
}

}  // namespace amdahlc
