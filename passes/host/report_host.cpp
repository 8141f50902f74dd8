#include "passes/host/host_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "passes/host/overhead_rows.h"
#include "passes/host/per_iteration.h"
#include "passes/manager/json_fields.h"
#include "passes/manager/ratios.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kTopOverheads = 5;
constexpr size_t kTopFamilies = 3;

const HostAnalysis* factsOf(const ReportRun& run) { return run.facts<HostAnalysis>(); }

/// Facts that are not silent, or null.
const HostAnalysis* knownFacts(const ReportRun& run) {
  const HostAnalysis* facts = factsOf(run);
  return facts != nullptr && facts->silence == HostSilence::None ? facts : nullptr;
}

const HostOverheads* overheadsOf(const ReportRun& run) {
  const HostAnalysis* facts = factsOf(run);
  return facts != nullptr && facts->overheads ? &*facts->overheads : nullptr;
}

/// Samples in a second, if an iteration takes so long.
std::optional<double> samplesPerSecond(const ReportRun& run, std::optional<int64_t> totalNs) {
  if (!totalNs) return std::nullopt;
  const double samples = static_cast<double>(factsOf(run)->batchSize) * static_cast<double>(run.iterations);
  return quotient(samples * 1e9, static_cast<double>(*totalNs));
}

// Statistics.

JsonFields<SampleStatistics> statisticsFields() {
  using Row = SampleStatistics;
  return {
      jsonField<Row>("count", schema::count(), "samples, over all iterations and threads",
                     [](auto& row) { return row.count; }),
      jsonField<Row>("mean_ns", schema::integer(), "rounded half to even", [](auto& row) { return row.meanNs; }),
      jsonField<Row>("std_ns", schema::quantity(), "standard deviation of the population",
                     [](auto& row) { return row.standardDeviationNs; }),
      jsonField<Row>("median_ns", schema::integer(), "", [](auto& row) { return row.medianNs; }),
      jsonField<Row>("min_ns", schema::integer(), "", [](auto& row) { return row.minNs; }),
      jsonField<Row>("q1_ns", schema::integer(),
                     "the lower quartile, on the line between two samples; rounded half to even",
                     [](auto& row) { return row.q1Ns; }),
      jsonField<Row>("q3_ns", schema::integer(), "the upper quartile", [](auto& row) { return row.q3Ns; }),
      jsonField<Row>("max_ns", schema::integer(), "", [](auto& row) { return row.maxNs; }),
      jsonField<Row>("total_ns", schema::integer(), "the exact sum", [](auto& row) { return row.totalNs; }),
  };
}

/// Null where there are no samples.
template <typename Row, typename SamplesOf>
JsonField<Row> statistics(std::string key, std::string description, SamplesOf samplesOf) {
  return jsonRecordOrNull<Row>(std::move(key), std::move(description), statisticsFields(),
                               [samplesOf](const Row& row) -> std::optional<SampleStatistics> {
                                 const SampleStatistics& samples = samplesOf(row);
                                 return samples.count > 0 ? std::optional(samples) : std::nullopt;
                               });
}

// Overheads.

struct LoadingRow {
  const ReportRun& run;
  const DataLoading& spans;
};

JsonFields<ReportRun> overheadFields() {
  JsonFields<OperatorOverheads> ofOperator{
      statistics<OperatorOverheads>("t2", "start to start of the first launch", [](auto& row) { return row.t2; }),
      statistics<OperatorOverheads>("t3", "end of the last launch to end", [](auto& row) { return row.t3; }),
      statistics<OperatorOverheads>("t5", "between launches; 0 with one launch, and the whole operator without any",
                                    [](auto& row) { return row.t5; }),
  };
  JsonFields<LoadingRow> loading{
      jsonField<LoadingRow>("name", schema::text(), "of the spans",
                            [](auto& row) { return Json(row.run.timeline->text(row.spans.name)); }),
      jsonField<LoadingRow>("count", schema::count(), "spans, over all iterations",
                            [](auto& row) { return row.spans.count; }),
      jsonField<LoadingRow>("total_ns", schema::count(), "over all iterations",
                            [](auto& row) { return row.spans.totalNs; }),
      jsonField<LoadingRow>("operators", schema::count(), "top-level operators in them",
                            [](auto& row) { return row.spans.operators; }),
  };
  return {
      statistics<ReportRun>("t1", "gaps of less than 200 us between neighbouring top-level operators of a thread",
                            [](const ReportRun& run) { return overheadsOf(run)->t1; }),
      jsonByName<ReportRun, SampleStatistics>("t4", "durations of the launch calls, by name", statisticsFields(),
                                              [](const ReportRun& run) {
                                                std::vector<std::pair<std::string_view, SampleStatistics>> rows;
                                                for (const LaunchOverheads& call : overheadsOf(run)->launches)
                                                  rows.emplace_back(run.timeline->text(call.name), call.t4);
                                                return rows;
                                              }),
      jsonByName<ReportRun, OperatorOverheads>("operators", "top-level operators, by name", std::move(ofOperator),
                                               [](const ReportRun& run) {
                                                 std::vector<std::pair<std::string_view, OperatorOverheads>> rows;
                                                 for (const OperatorOverheads& op : overheadsOf(run)->operators)
                                                   rows.emplace_back(run.timeline->text(op.name), op);
                                                 return rows;
                                               }),
      jsonArray<ReportRun>("data_loading", "spans that fetch input; what runs in them is left out", std::move(loading),
                           [](const ReportRun& run) {
                             std::vector<LoadingRow> rows;
                             for (const DataLoading& spans : overheadsOf(run)->dataLoading)
                               rows.push_back({run, spans});
                             return rows;
                           }),
  };
}

// Streams.

/// A row of the breakdown with what its names and shares refer to.
template <typename Rounded>
struct InRun {
  const ReportRun& run;
  const Rounded& rounded;
};

template <typename Rounded>
std::vector<InRun<Rounded>> inRun(const ReportRun& run, const std::vector<Rounded>& rows) {
  std::vector<InRun<Rounded>> out;
  for (const Rounded& row : rows) out.push_back({run, row});
  return out;
}

/// A number is written as one.
Json idOf(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? Json(number) : Json(text);
}

template <typename Row>
void addWorkFields(JsonFields<Row>& fields) {
  fields.push_back(jsonField<Row>("count", schema::count(), "events per iteration; they add up to the row above",
                                  [](auto& row) { return row.rounded.count; }));
  fields.push_back(jsonField<Row>("runtime_ns", schema::count(),
                                  "device time per iteration; it adds up to the row above",
                                  [](auto& row) { return row.rounded.ns; }));
  fields.push_back(jsonField<Row>("runtime_ns_total", schema::count(), "the exact sum over the iterations",
                                  [](auto& row) { return row.rounded.row->work.ns; }));
}

template <typename Row>
JsonField<Row> nameField(std::string description, bool mayBeAbsent) {
  return jsonField<Row>("name", mayBeAbsent ? schema::orNull(schema::text()) : schema::text(), std::move(description),
                        [mayBeAbsent](const Row& row) {
                          const Symbol name = row.rounded.row->name;
                          return mayBeAbsent && name.empty() ? Json(nullptr) : Json(row.run.timeline->text(name));
                        });
}

JsonFields<InRun<RoundedRow<FamilyWork>>> familyFields() {
  using Row = InRun<RoundedRow<FamilyWork>>;
  JsonFields<Row> fields{jsonField<Row>("name", schema::text(), "such as `gemm`",
                                        [](auto& row) { return Json(name(row.rounded.row->family)); })};
  addWorkFields(fields);
  return fields;
}

JsonFields<InRun<RoundedKernel>> kernelFields() {
  using Row = InRun<RoundedKernel>;
  JsonFields<Row> fields{nameField<Row>("of the device events", false),
                         jsonField<Row>("family", schema::text(), "such as `gemm`",
                                        [](auto& row) { return Json(name(row.rounded.row->family)); })};
  addWorkFields(fields);
  return fields;
}

JsonFields<InRun<RoundedLaunching>> launchingFields() {
  using Row = InRun<RoundedLaunching>;
  JsonFields<Row> fields{nameField<Row>("of the innermost operator around the launch; null: none is", true)};
  addWorkFields(fields);
  fields.push_back(jsonArray<Row>("kernels", "by name, longest first", kernelFields(),
                                  [](const Row& row) { return inRun(row.run, row.rounded.kernels); }));
  return fields;
}

JsonFields<InRun<RoundedTop>> topFields() {
  using Row = InRun<RoundedTop>;
  JsonFields<Row> fields{
      nameField<Row>("of the top-level operators, or of data-loading spans; null: no operator is "
                     "around the launch, or the launch is unknown",
                     true)};
  addWorkFields(fields);
  fields.push_back(jsonArray<Row>("operators", "innermost operators around the launches, longest first",
                                  launchingFields(),
                                  [](const Row& row) { return inRun(row.run, row.rounded.operators); }));
  fields.push_back(jsonArray<Row>("kernels", "of all these operators, longest first", kernelFields(),
                                  [](const Row& row) { return inRun(row.run, row.rounded.kernels); }));
  return fields;
}

struct StreamRow {
  const ReportRun& run;
  RoundedStream rounded;
};

std::vector<StreamRow> streamRows(const ReportRun& run, const HostAnalysis& facts) {
  std::vector<StreamRow> rows;
  for (RoundedStream& stream : streamsPerIteration(run, facts)) rows.push_back({run, std::move(stream)});
  return rows;
}

JsonFields<StreamRow> streamFields() {
  using Row = StreamRow;
  const schema::Json id{{"type", {"integer", "string"}}};
  const auto queueField = [](const char* key, schema::Json type, const char* description, auto valueOf) {
    return jsonField<Row>(key, std::move(type), description,
                          [valueOf](const Row& row) { return Json(valueOf(*row.rounded.row->queue)); });
  };
  return {
      jsonField<Row>("device", id, "as the trace names it",
                     [](auto& row) { return idOf(row.run.timeline->tracks[row.rounded.row->track].process); }),
      jsonField<Row>("stream", id, "as the trace names it",
                     [](auto& row) { return idOf(row.run.timeline->tracks[row.rounded.row->track].thread); }),
      jsonField<Row>("count", schema::count(), "events per iteration", [](auto& row) { return row.rounded.count; }),
      jsonField<Row>("runtime_ns", schema::count(), "sum of durations per iteration; of all streams `device_ns`",
                     [](auto& row) { return row.rounded.ns; }),
      jsonField<Row>("runtime_ns_total", schema::count(), "the exact sum over the iterations",
                     [](auto& row) { return row.rounded.row->work.ns; }),
      jsonField<Row>("busy_ns", schema::count(), "union of its events, per iteration",
                     [](auto& row) { return row.run.perIteration(row.rounded.row->busyNs); }),
      jsonField<Row>(
          "idle_ns", schema::count(), "wall of the run - busy of the stream, per iteration",
          [](auto& row) { return row.run.perIteration(*factsOf(row.run)->wallNs - row.rounded.row->busyNs); }),
      jsonField<Row>("start_delay_ns", schema::orNull(schema::integer()),
                     "start of the window to the first event, the mean over the iterations with events; null without "
                     "a window",
                     [](auto& row) { return orNull(row.rounded.row->startDelayNs); }),
      jsonField<Row>("window_share", schema::orNull(schema::quantity()), "busy of the window; null without one",
                     [](auto& row) {
                       const auto windowNs = factsOf(row.run)->windowNs;
                       return windowNs ? orNull(quotient(static_cast<double>(row.rounded.row->busyNs),
                                                         static_cast<double>(*windowNs)))
                                       : Json(nullptr);
                     }),
      jsonObjectOrNull<Row>(
          "queue", "events launched and not started; null without launches",
          {queueField("max", schema::count(), "most at once", [](auto& queue) { return queue.longest; }),
           queueField("mean", schema::quantity(), "over wall", [](auto& queue) { return queue.mean; })},
          [](const Row& row) { return row.rounded.row->queue.has_value(); }),
      statistics<Row>("launch_latency", "end of the launching call to start of the event",
                      [](const Row& row) { return row.rounded.row->launchLatency; }),
      jsonArray<Row>("families", "of kernels, longest first", familyFields(),
                     [](const Row& row) { return inRun(row.run, row.rounded.families); }),
      jsonArray<Row>("operators", "top-level operators, longest first", topFields(),
                     [](const Row& row) { return inRun(row.run, row.rounded.operators); }),
  };
}

struct ActiveRow {
  size_t active;
  int64_t ns;
};

JsonFields<ReportRun> throughputFields() {
  const auto rate = [](const char* key, const char* description, std::optional<int64_t> HostAnalysis::* totalNs) {
    return jsonField<ReportRun>(key, schema::orNull(schema::quantity()), description, [totalNs](const ReportRun& run) {
      return orNull(samplesPerSecond(run, (*factsOf(run)).*totalNs));
    });
  };
  return {jsonField<ReportRun>("batch_size", schema::count(), "samples in an iteration",
                               [](const ReportRun& run) { return factsOf(run)->batchSize; }),
          rate("wall_samples_per_second", "of wall; null without start times", &HostAnalysis::wallNs),
          rate("window_samples_per_second", "of the window; null without one", &HostAnalysis::windowNs)};
}

JsonFields<ReportRun> runFields() {
  JsonFields<ActiveRow> active{
      jsonField<ActiveRow>("active", schema::count(), "streams", [](auto& row) { return row.active; }),
      jsonField<ActiveRow>("ns", schema::count(), "per iteration; together wall", [](auto& row) { return row.ns; }),
  };
  return {
      jsonObjectOrNull<ReportRun>("overheads",
                                  "what the operators and launch calls of the host cost; null without the pass host, "
                                  "and where the trace does not tell",
                                  overheadFields(), [](const ReportRun& run) { return overheadsOf(run) != nullptr; }),
      jsonArrayOrNull<ReportRun>("streams", "of the device, by number; null as above", streamFields(),
                                 [](const ReportRun& run) -> std::optional<std::vector<StreamRow>> {
                                   const HostAnalysis* facts = knownFacts(run);
                                   return facts ? std::optional(streamRows(run, *facts)) : std::nullopt;
                                 }),
      jsonArrayOrNull<ReportRun>("concurrency", "time with exactly so many streams active; null as above",
                                 std::move(active),
                                 [](const ReportRun& run) -> std::optional<std::vector<ActiveRow>> {
                                   const HostAnalysis* facts = knownFacts(run);
                                   if (facts == nullptr) return std::nullopt;
                                   std::vector<ActiveRow> rows;
                                   for (const int64_t ns : concurrencyPerIteration(run, *facts))
                                     rows.push_back({rows.size(), ns});
                                   return rows;
                                 }),
      jsonObjectOrNull<ReportRun>(
          "throughput", "null without the option `batch-size` of the pass `host`", throughputFields(),
          [](const ReportRun& run) { return factsOf(run) != nullptr && factsOf(run)->batchSize > 0; }),
  };
}

// The summary.

std::string headline(const ReportRun& run) {
  const HostAnalysis* facts = factsOf(run);
  if (facts == nullptr) return {};
  std::string text;
  if (facts->batchSize > 0) {
    std::string rates;
    for (const auto& [totalNs, of] : {std::pair{facts->wallNs, "wall"}, std::pair{facts->windowNs, "window"}})
      if (const auto rate = samplesPerSecond(run, totalNs))
        rates += fmt::format("{}{:.1f} samples/s of {}", rates.empty() ? "" : ", ", *rate, of);
    text += fmt::format("throughput: {}, in batches of {}\n", rates.empty() ? "unknown without times" : rates,
                        facts->batchSize);
  }
  if (facts->silence != HostSilence::None) text += fmt::format("host: {}\n", describe(facts->silence));
  return text;
}

/// `stream 7: busy 12.000 us, 40.0 % of wall; ...`
std::string streamLine(const StreamRow& row) {
  const StreamWork& stream = *row.rounded.row;
  const auto share = [](int64_t part, int64_t whole) {
    return percent(quotient(static_cast<double>(part), static_cast<double>(whole)).value_or(0));
  };
  const HostAnalysis& facts = *factsOf(row.run);
  std::string text =
      fmt::format("  stream {}: busy {} us, {} of wall", printable(row.run.timeline->tracks[stream.track].thread),
                  formatUs(row.run.perIteration(stream.busyNs)), share(stream.busyNs, *facts.wallNs));
  if (facts.windowNs) text += fmt::format(", {} of window", share(stream.busyNs, *facts.windowNs));
  if (stream.startDelayNs) text += fmt::format("; starts after {} us", formatUs(*stream.startDelayNs));
  if (stream.queue) text += fmt::format("; queue {:.1f}, at most {}", stream.queue->mean, stream.queue->longest);
  std::string families;
  for (size_t i = 0; i < std::min(stream.families.size(), kTopFamilies); ++i)
    families += fmt::format("{}{} {}", i == 0 ? "; " : ", ", name(stream.families[i].family),
                            share(stream.families[i].work.ns, stream.work.ns));
  return text + families + "\n";
}

std::string overheadText(const ReportRun& run, const HostOverheads& overheads) {
  std::string text = "overheads of the host, over all iterations\n";
  std::vector<OverheadRow> lines = overheadRows(overheads);
  std::erase_if(lines, [](const OverheadRow& row) { return row.samples->totalNs <= 0; });
  for (size_t i = 0; i < std::min(lines.size(), kTopOverheads); ++i) {
    const SampleStatistics& samples = *lines[i].samples;
    text += fmt::format("  {}: {} us in {}, each {} +- {} us\n", nameOf(lines[i], *run.timeline),
                        formatUs(samples.totalNs), plural(samples.count, "sample"), formatUs(samples.meanNs),
                        formatUs(roundedNs(samples.standardDeviationNs)));
  }
  if (lines.size() > kTopOverheads)
    text += fmt::format("  and {} more; all in -emit=overheads\n", lines.size() - kTopOverheads);
  if (!lines.empty())
    text +=
        "  T1: between operators, T2: before the first launch, T3: after the last one, T4: launch calls, T5: "
        "between launches\n";
  for (const DataLoading& spans : overheads.dataLoading)
    text +=
        fmt::format("  left out: {} in {} of `{}`, {} us\n", plural(spans.operators, "operator"),
                    plural(spans.count, "span"), printable(run.timeline->text(spans.name)), formatUs(spans.totalNs));
  return text;
}

std::string details(const ReportRun& run) {
  const HostAnalysis* facts = knownFacts(run);
  if (facts == nullptr) return {};
  std::string text = "streams, per iteration\n";
  for (const StreamRow& row : streamRows(run, *facts)) text += streamLine(row);
  if (facts->overheads) text += "\n" + overheadText(run, *facts->overheads);
  return text;
}

}  // namespace

std::string_view describe(HostSilence silence) {
  switch (silence) {
    case HostSilence::None:
      return "";
    case HostSilence::TraceNotGiven:
      return "operators and streams are unknown, because the trace of this run was not given";
    case HostSilence::NoStarts:
      return "operators and streams are unknown, because the trace has no start times";
    case HostSilence::NoDevice:
      return "there are no streams and launches, because the trace has no device";
    case HostSilence::NoHostEvents:
      return "operators and launches are unknown, because the trace has device events only";
  }
  return "";
}

ReportSection hostSection() { return {.runFields = runFields, .headline = headline, .details = details}; }

}  // namespace amdahlc
