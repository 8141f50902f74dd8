#include "passes/host/host_analysis.h"

#include <fmt/format.h>

#include <algorithm>

#include "passes/host/overheads.h"
#include "passes/host/per_iteration.h"
#include "passes/host/stream_breakdown.h"
#include "report/outputs/output.h"
#include "report/section.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

constexpr size_t kTopOverheads = 5;
constexpr size_t kTopFamilies = 3;

const HostAnalysis* hostFacts(const ReportRun& run) { return run.facts<HostAnalysis>(); }

/// Null also where the run has no streams.
const HostAnalysis* knownHostFacts(const ReportRun& run) {
  const HostAnalysis* facts = hostFacts(run);
  return facts != nullptr && !facts->absence ? facts : nullptr;
}

const HostOverheads* hostOverheads(const ReportRun& run) {
  const HostAnalysis* facts = hostFacts(run);
  return facts != nullptr && facts->overheads ? &*facts->overheads : nullptr;
}

/// Samples in a second, if an iteration takes so long.
std::optional<double> samplesPerSecond(const ReportRun& run, std::optional<int64_t> totalNs) {
  if (!totalNs) return std::nullopt;
  const double samples = static_cast<double>(hostFacts(run)->batchSize) * static_cast<double>(run.iterations);
  return quotient(samples * 1e9, static_cast<double>(*totalNs));
}

// Statistics.

template <auto member>
constexpr auto kHostSampleNs = [](const SampleStatistics& row) { return SignedInteger{row.*member}; };

constexpr auto kHostStatisticsFields = fields<SampleStatistics>(
    inCsv(field<&SampleStatistics::count>("count", "samples, over all iterations and threads")),
    inCsv(field("mean_ns", "rounded half to even", kHostSampleNs<&SampleStatistics::meanNs>)),
    inCsv(field<&SampleStatistics::standardDeviationNs>("std_ns", "standard deviation of the population")),
    inCsv(field("median_ns", "", kHostSampleNs<&SampleStatistics::medianNs>)),
    field("min_ns", "", kHostSampleNs<&SampleStatistics::minNs>),
    field("q1_ns", "the lower quartile, on the line between two samples; rounded half to even",
          kHostSampleNs<&SampleStatistics::q1Ns>),
    field("q3_ns", "the upper quartile", kHostSampleNs<&SampleStatistics::q3Ns>),
    field("max_ns", "", kHostSampleNs<&SampleStatistics::maxNs>),
    inCsv(field("total_ns", "the exact sum", kHostSampleNs<&SampleStatistics::totalNs>)));

/// Null where there are no samples.
const SampleStatistics* ifSampled(const SampleStatistics& samples) { return samples.count > 0 ? &samples : nullptr; }

// Overheads.

using HostLoadingRow = ItemOf<DataLoading, ReportRun>;

constexpr auto kHostOperatorFields = fields<OperatorOverheads>(
    object<kHostStatisticsFields>("t2", "start to start of the first launch",
                                  [](auto& row) { return ifSampled(row.t2); }),
    object<kHostStatisticsFields>("t3", "end of the last launch to end", [](auto& row) { return ifSampled(row.t3); }),
    object<kHostStatisticsFields>("t5", "between launches; 0 with one launch, and the whole operator without any",
                                  [](auto& row) { return ifSampled(row.t5); }));

constexpr auto kHostLoadingFields = fields<HostLoadingRow>(
    field("name", "of the spans", [](auto& row) { return row.run.timeline->text(row.item.name); }),
    field<&DataLoading::count>("count", "spans, over all iterations"),
    field<&DataLoading::totalNs>("total_ns", "over all iterations"),
    field<&DataLoading::operators>("operators", "top-level operators in them"));

constexpr auto kHostOverheadFields = fields<ReportRun>(
    object<kHostStatisticsFields>("t1", "gaps of less than 200 us between neighbouring top-level operators of a thread",
                                  [](auto& run) { return ifSampled(hostOverheads(run)->t1); }),
    objectsByName<kHostStatisticsFields>("t4", "durations of the launch calls, by name",
                                         [](auto& run) {
                                           std::vector<std::pair<std::string_view, SampleStatistics>> rows;
                                           for (const LaunchOverheads& call : hostOverheads(run)->launches)
                                             rows.emplace_back(run.timeline->text(call.name), call.t4);
                                           return rows;
                                         }),
    objectsByName<kHostOperatorFields>("operators", "top-level operators, by name",
                                       [](auto& run) {
                                         std::vector<std::pair<std::string_view, OperatorOverheads>> rows;
                                         for (const OperatorOverheads& op : hostOverheads(run)->operators)
                                           rows.emplace_back(run.timeline->text(op.name), op);
                                         return rows;
                                       }),
    objects<kHostLoadingFields>("data_loading", "spans that fetch input; what runs in them is left out", [](auto& run) {
      return rowsOf<HostLoadingRow>(run, hostOverheads(run)->dataLoading);
    }));

/// A row of CSV.
struct OverheadCsvRow {
  std::string_view name, overhead;
  const SampleStatistics& samples;
  // NOLINTNEXTLINE(google-explicit-constructor): it has the columns of samples.
  operator const SampleStatistics&() const { return samples; }
};

constexpr auto kFirstOverheadColumns = inCsv(fields<OverheadCsvRow>(field<&OverheadCsvRow::name>("operator", ""),
                                                                    field<&OverheadCsvRow::overhead>("overhead", "")));

/// One row for each overhead of an operator or a call that has samples.
std::string writeOverheads(const OutputContext& context, ir::CoverId id) {
  const auto& overheads = context.analyses.get<HostAnalysis>(id).overheads;
  std::vector<OverheadCsvRow> rows;
  const auto add = [&](std::string_view name, std::string_view overhead, const SampleStatistics& samples) {
    if (samples.count > 0) rows.push_back({name, overhead, samples});
  };
  if (overheads) {
    const Timeline& timeline = *context.module.findTimeline(context.module.cover(id).traceLabel);
    add("", "t1", overheads->t1);
    for (const LaunchOverheads& call : overheads->launches) add(timeline.text(call.name), "t4", call.t4);
    for (const OperatorOverheads& op : overheads->operators) {
      add(timeline.text(op.name), "t2", op.t2);
      add(timeline.text(op.name), "t3", op.t3);
      add(timeline.text(op.name), "t5", op.t5);
    }
  }
  return writeCsv(rows, kFirstOverheadColumns, kHostStatisticsFields);
}

// Streams.

/// A row of the breakdown, in which names and shares refer to the run.
template <typename Rounded>
using HostWorkRow = ItemOf<Rounded, ReportRun>;

constexpr auto kHostWorkName = [](auto& row) { return row.run.timeline->text(row.item.row->name); };
constexpr auto kHostWorkNameOrNull = [](auto& row) { return nonEmpty(kHostWorkName(row)); };
constexpr auto kHostWorkFamily = [](auto& row) { return name(row.item.row->family); };

template <typename Row>
constexpr auto kHostWorkFields =
    fields<Row>(inCsv(field("count", "events per iteration; they add up to the row above",
                            [](auto& row) { return row.item.count; })),
                inCsv(field("runtime_ns", "device time per iteration; it adds up to the row above",
                            [](auto& row) { return row.item.ns; })),
                field("runtime_ns_total", "the exact sum over the reported iterations",
                      [](auto& row) { return row.item.row->work.ns; }));

using HostFamilyRow = HostWorkRow<RoundedRow<FamilyWork>>;
constexpr auto kHostFamilyFields =
    fields<HostFamilyRow>(field("name", "such as `gemm`", kHostWorkFamily), kHostWorkFields<HostFamilyRow>);

using HostKernelRow = HostWorkRow<RoundedKernel>;
constexpr auto kHostKernelFields =
    fields<HostKernelRow>(inCsv(field("name", "of the device events", kHostWorkName), "kernel"),
                          inCsv(field("family", "such as `gemm`", kHostWorkFamily)), kHostWorkFields<HostKernelRow>);

using HostLaunchingRow = HostWorkRow<RoundedLaunching>;
constexpr auto kHostLaunchingName = fields<HostLaunchingRow>(
    inCsv(field("name", "of the innermost operator around the launch; null: none is", kHostWorkNameOrNull),
          "launching_operator"));
constexpr auto kHostLaunchingFields = fields<HostLaunchingRow>(
    kHostLaunchingName, kHostWorkFields<HostLaunchingRow>,
    objects<kHostKernelFields>("kernels", "by name, longest first",
                               [](auto& row) { return rowsOf<HostKernelRow>(row.run, row.item.kernels); }));

using HostTopRow = HostWorkRow<RoundedTop>;
constexpr auto kHostTopName = fields<HostTopRow>(
    inCsv(field("name",
                "of the top-level operators, or of data-loading spans; null: no operator is around the launch, or the "
                "launch is unknown",
                kHostWorkNameOrNull),
          "operator"));
constexpr auto kHostTopFields = fields<HostTopRow>(
    kHostTopName, kHostWorkFields<HostTopRow>,
    objects<kHostLaunchingFields>("operators", "innermost operators around the launches, longest first",
                                  [](auto& row) { return rowsOf<HostLaunchingRow>(row.run, row.item.operators); }),
    objects<kHostKernelFields>("kernels", "of all these operators, longest first",
                               [](auto& row) { return rowsOf<HostKernelRow>(row.run, row.item.kernels); }));

struct HostStreamRow {
  const ReportRun& run;
  RoundedStream rounded;

  const StreamWork& stream() const { return *rounded.row; }
  const Track& track() const { return run.timeline->tracks[stream().track]; }
};

std::vector<HostStreamRow> hostStreamRows(const ReportRun& run, const HostAnalysis& facts) {
  std::vector<HostStreamRow> rows;
  for (RoundedStream& stream : streamsPerIteration(run.iterations, facts)) rows.push_back({run, std::move(stream)});
  return rows;
}

/// A number is written as one.
IntegerOrText hostIdOf(const std::string& name) {
  const auto number = numberOf(name);
  return number ? IntegerOrText(*number) : IntegerOrText(name);
}

constexpr auto kHostQueueFields = fields<LaunchQueue>(field<&LaunchQueue::longest>("max", "most at once"),
                                                      field<&LaunchQueue::mean>("mean", "over wall"));

constexpr auto kHostStreamFields = fields<HostStreamRow>(
    field("device", "as the trace names it", [](auto& row) { return hostIdOf(row.track().process); }),
    inCsv(field("stream", "as the trace names it", [](auto& row) { return hostIdOf(row.track().thread); })),
    field("count", "events per iteration", [](auto& row) { return row.rounded.count; }),
    field("runtime_ns", "sum of durations per iteration; of all streams `device_ns`",
          [](auto& row) { return row.rounded.ns; }),
    field("runtime_ns_total", "the exact sum over the reported iterations",
          [](auto& row) { return row.stream().work.ns; }),
    field("busy_ns", "union of its events, per iteration",
          [](auto& row) { return row.run.perIteration(row.stream().busyNs); }),
    field("idle_ns", "wall of the run - busy of the stream, per iteration",
          [](auto& row) { return row.run.perIteration(*hostFacts(row.run)->wallNs - row.stream().busyNs); }),
    field("start_delay_ns",
          "start of the window to the first event, the mean over the reported iterations with events; null without a "
          "window",
          [](auto& row) { return asSigned(row.stream().startDelayNs); }),
    field("window_share", "busy of the window; null without one",
          [](auto& row) -> std::optional<double> {
            const auto windowNs = hostFacts(row.run)->windowNs;
            if (!windowNs) return std::nullopt;
            return quotient(static_cast<double>(row.stream().busyNs), static_cast<double>(*windowNs));
          }),
    object<kHostQueueFields>("queue", "events launched and not started; null without launches",
                             [](auto& row) { return row.stream().queue; }),
    object<kHostStatisticsFields>("launch_latency", "end of the launching call to start of the event",
                                  [](auto& row) { return ifSampled(row.stream().launchLatency); }),
    objects<kHostFamilyFields>("families", "of kernels, longest first",
                               [](auto& row) { return rowsOf<HostFamilyRow>(row.run, row.rounded.families); }),
    objects<kHostTopFields>("operators", "top-level operators, longest first",
                            [](auto& row) { return rowsOf<HostTopRow>(row.run, row.rounded.operators); }));

/// A row of CSV, with the columns of all four.
struct StreamCsvRow : HostTopRow, HostLaunchingRow, HostKernelRow {
  const HostStreamRow& stream;
  // NOLINTNEXTLINE(google-explicit-constructor): it has the columns of the stream.
  operator const HostStreamRow&() const { return stream; }
};

/// One row for each kernel of a launching operator of a top-level operator of a stream, per iteration.
std::string writeStreams(const OutputContext& context, ir::CoverId id) {
  const ReportRun run = reportRun(context.module, context.analyses, id);
  const std::vector<HostStreamRow> streams = hostStreamRows(run, context.analyses.get<HostAnalysis>(id));
  std::vector<StreamCsvRow> rows;
  for (const HostStreamRow& stream : streams)
    for (const RoundedTop& top : stream.rounded.operators)
      for (const RoundedLaunching& launching : top.operators)
        for (const RoundedKernel& kernel : launching.kernels)
          rows.push_back({{run, top}, {run, launching}, {run, kernel}, stream});
  return writeCsv(rows, kHostStreamFields, kHostTopName, kHostLaunchingName, kHostKernelFields);
}

struct HostActiveRow {
  size_t active;
  int64_t ns;
};

constexpr auto kHostActiveFields =
    fields<HostActiveRow>(field<&HostActiveRow::active>("active", "streams"),
                          field<&HostActiveRow::ns>("ns", "per iteration; together wall"));

template <auto totalNs>
constexpr auto kHostSampleRate = [](const ReportRun& run) { return samplesPerSecond(run, hostFacts(run)->*totalNs); };

constexpr auto kHostThroughputFields = fields<ReportRun>(
    field("batch_size", "samples in an iteration", [](auto& run) { return hostFacts(run)->batchSize; }),
    field("wall_samples_per_second", "of wall; null without start times", kHostSampleRate<&HostAnalysis::wallNs>),
    field("window_samples_per_second", "of the window; null without one", kHostSampleRate<&HostAnalysis::windowNs>));

constexpr auto kHostRunFields = fields<ReportRun>(
    object<kHostOverheadFields>("overheads",
                                "what the operators and launch calls of the host cost; null without the pass host, "
                                "and where the trace does not tell",
                                [](auto& run) { return hostOverheads(run) != nullptr ? &run : nullptr; }),
    objects<kHostStreamFields>("streams", "of the device, by number; null as above",
                               [](auto& run) {
                                 const HostAnalysis* facts = knownHostFacts(run);
                                 return facts ? std::optional(hostStreamRows(run, *facts)) : std::nullopt;
                               }),
    objects<kHostActiveFields>("concurrency", "time with exactly so many streams active; null as above",
                               [](auto& run) -> std::optional<std::vector<HostActiveRow>> {
                                 const HostAnalysis* facts = knownHostFacts(run);
                                 if (facts == nullptr) return std::nullopt;
                                 std::vector<HostActiveRow> rows;
                                 for (const int64_t ns : concurrencyPerIteration(run.iterations, *facts))
                                   rows.push_back({rows.size(), ns});
                                 return rows;
                               }),
    object<kHostThroughputFields>(
        "throughput", "null without the option `batch-size` of the pass `host`",
        [](auto& run) { return hostFacts(run) != nullptr && hostFacts(run)->batchSize > 0 ? &run : nullptr; }));

// The summary.

std::string hostHeadline(const ReportRun& run) {
  const HostAnalysis* facts = hostFacts(run);
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
  if (facts->absence) text += fmt::format("host: no overheads and no streams, because {}\n", describe(*facts->absence));
  return text;
}

/// `stream 7: busy 12.000 us, 40.0 % of wall; ...`
std::string streamLine(const HostStreamRow& row) {
  const StreamWork& stream = row.stream();
  const HostAnalysis& facts = *hostFacts(row.run);
  std::string text =
      fmt::format("  stream {}: busy {} us, {} of wall", printable(row.track().thread),
                  formatUs(row.run.perIteration(stream.busyNs)), formatPercent(shareOf(stream.busyNs, *facts.wallNs)));
  if (facts.windowNs) text += fmt::format(", {} of window", formatPercent(shareOf(stream.busyNs, *facts.windowNs)));
  if (stream.startDelayNs) text += fmt::format("; starts after {} us", formatUs(*stream.startDelayNs));
  if (stream.queue) text += fmt::format("; queue {:.1f}, at most {}", stream.queue->mean, stream.queue->longest);
  std::string families;
  for (size_t i = 0; i < std::min(stream.families.size(), kTopFamilies); ++i)
    families += fmt::format("{}{} {}", i == 0 ? "; " : ", ", name(stream.families[i].family),
                            formatPercent(shareOf(stream.families[i].work.ns, stream.work.ns)));
  return text + families + "\n";
}

std::string describeOverheads(const ReportRun& run, const HostOverheads& overheads) {
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

std::string hostDetails(const ReportRun& run) {
  const HostAnalysis* facts = knownHostFacts(run);
  if (facts == nullptr) return {};
  std::string text = "streams, per iteration\n";
  for (const HostStreamRow& row : hostStreamRows(run, *facts)) text += streamLine(row);
  if (facts->overheads) text += "\n" + describeOverheads(run, *facts->overheads);
  return text;
}

}  // namespace

constinit const Output kOverheadsOutput{.name = "overheads",
                                        .summary = "one CSV row per operator or launch call, and overhead of the host",
                                        .pass = "host",
                                        .write = writeOverheads,
                                        .isCsv = true};
constinit const Output kStreamsOutput{
    .name = "streams",
    .summary = "one CSV row per stream, operator, launching operator and kernel, with its device time",
    .pass = "host",
    .write = writeStreams,
    .isCsv = true};

constinit const ReportSection kHostSection{
    .runFields = kHostRunFields, .headline = hostHeadline, .details = hostDetails};

}  // namespace amdahlc
