// The page: a header, the families of kernels as its legend, and the panels of streams, overheads and queues.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "report/outputs/host_charts.h"
#include "report/outputs/output.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

using drawing::ChartPage;
using drawing::ChartPanel;

/// With more, a picture has no end; the table `streams` has all.
constexpr size_t kMostStreams = 12;
constexpr std::string_view kQueueColor = "#0072b2", kBusyColor = "#333333";

ChartPage emptyPage(std::vector<std::string> header, std::string_view why) {
  header.push_back(fmt::format("No charts: {}.", why));
  return {std::move(header), {}, {}, {}};
}

struct FamilyColor {
  KernelFamily family;
  const char* color;
  bool hatched = false;
};
constexpr bool kHatched = true;
/// The same in all charts. Colours differ in lightness as well as in hue, and families that are alike share a colour,
/// the second of them hatched, so that colour-blind people can tell them apart. Most are those of M. Okabe and K.
/// Ito, "Color Universal Design", 2008.
constexpr FamilyColor kFamilyColors[] = {
    {KernelFamily::Gemm, "#0072b2"},
    {KernelFamily::Gemv, "#0072b2", kHatched},
    {KernelFamily::Convolution, "#56b4e9"},
    {KernelFamily::SplitK, "#56b4e9", kHatched},
    {KernelFamily::Attention, "#cc79a7"},
    {KernelFamily::Softmax, "#cc79a7", kHatched},
    {KernelFamily::Normalization, "#e69f00"},
    {KernelFamily::Reduce, "#e69f00", kHatched},
    {KernelFamily::Elementwise, "#009e73"},
    {KernelFamily::Index, "#009e73", kHatched},
    {KernelFamily::Permute, "#7a1f4f"},
    {KernelFamily::Concat, "#7a1f4f", kHatched},
    {KernelFamily::EmbeddingForward, "#8f8f2a"},
    {KernelFamily::EmbeddingBackward, "#8f8f2a", kHatched},
    {KernelFamily::Copy, "#f0e442"},
    {KernelFamily::Set, "#d8cb00", kHatched},
    {KernelFamily::Collective, "#d55e00"},
    {KernelFamily::Other, "#b0b0b0"},
};

drawing::Fill fillOf(KernelFamily family) {
  const FamilyColor& row = *std::find_if(std::begin(kFamilyColors), std::end(kFamilyColors),
                                         [&](const FamilyColor& one) { return one.family == family; });
  return {row.color, row.hatched};
}

class HostChartPage {
 public:
  HostChartPage(const ChartedRun& charted, std::vector<std::string> header) : charted_(charted) {
    page_.header = std::move(header);
  }

  ChartPage build() {
    addHeader();
    addFamilies();
    for (const RoundedStream* stream : shownStreams())
      page_.panels.push_back(breakdownPanel(charted_, *stream, series_));
    addRest();
    page_.panels.push_back(overheadPanel(charted_));
    const size_t queue = page_.series.size();
    page_.series.push_back({"queue", {std::string(kQueueColor)}});
    page_.series.push_back({"busy", {std::string(kBusyColor)}});
    for (ChartPanel& panel : queuePanels(charted_, shownStreams(), queue, queue + 1))
      page_.panels.push_back(std::move(panel));
    return std::move(page_);
  }

 private:
  void addHeader() {
    const HostAnalysis& facts = charted_.facts;
    const int64_t iterations = charted_.iterations;
    std::string line = fmt::format("{}, {}; per iteration: device time {} us", plural(iterations, "iteration"),
                                   plural(charted_.streams.size(), "stream"), formatUs(deviceNs()));
    if (facts.wallNs) line += fmt::format(", wall {} us", formatUs(perIteration(*facts.wallNs, iterations)));
    if (facts.windowNs) line += fmt::format(", window {} us", formatUs(perIteration(*facts.windowNs, iterations)));
    page_.header.push_back(std::move(line));
  }

  int64_t deviceNs() const {
    return std::accumulate(charted_.streams.begin(), charted_.streams.end(), int64_t{0},
                           [](int64_t sum, const RoundedStream& stream) { return sum + stream.ns; });
  }

  /// Those that occur are series, with the most time first.
  void addFamilies() {
    std::array<int64_t, kKernelFamilyCount> ns{};
    std::array<bool, kKernelFamilyCount> occurs{};
    for (const RoundedStream& stream : charted_.streams)
      for (const auto& family : stream.families) {
        ns[static_cast<size_t>(family.row->family)] += family.ns;
        occurs[static_cast<size_t>(family.row->family)] = true;
      }
    std::array<size_t, kKernelFamilyCount> order;
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return ns[a] > ns[b]; });
    series_.fill(0);
    for (const size_t index : order) {
      if (!occurs[index]) continue;
      const auto family = static_cast<KernelFamily>(index);
      series_[index] = page_.series.size();
      const double share = shareOf(ns[index], deviceNs());
      page_.legend.push_back(
          {page_.series.size(), fmt::format("{} {} us, {}", name(family), formatUs(ns[index]), formatPercent(share))});
      page_.series.push_back({std::string(name(family)), fillOf(family)});
    }
  }

  /// Those with the most device time, in the order of reports.
  std::vector<const RoundedStream*> shownStreams() const {
    std::vector<const RoundedStream*> all, shown;
    for (const RoundedStream& stream : charted_.streams) all.push_back(&stream);
    shown = all;
    std::stable_sort(shown.begin(), shown.end(), [](auto* a, auto* b) { return a->row->work.ns > b->row->work.ns; });
    shown.resize(std::min(shown.size(), kMostStreams));
    std::sort(shown.begin(), shown.end());  // places in one array
    return shown;
  }

  void addRest() {
    if (charted_.streams.size() <= kMostStreams) return;
    int64_t restNs = deviceNs();
    for (const RoundedStream* stream : shownStreams()) restNs -= stream->ns;
    const size_t rest = charted_.streams.size() - kMostStreams;
    page_.panels.push_back({fmt::format("{} with less device time, together {} us per iteration",
                                        plural(rest, "more stream"), formatUs(restNs)),
                            {"All of them are in -emit=streams."}});
  }

  const ChartedRun& charted_;
  ChartPage page_;
  SeriesOfFamilies series_{};
};

/// Of a run of which the host facts are silent it says why.
std::string writeHostCharts(const OutputContext& context, ir::CoverId id) {
  const auto& facts = context.analyses.get<HostAnalysis>(id);
  const Timeline& timeline = *context.module.findTimeline(context.module.cover(id).traceLabel);
  std::vector<std::string> header{printable(fmt::format("{}: {}", context.module.modelName, timeline.label))};
  if (facts.absence) return drawing::writeCharts(emptyPage(std::move(header), describe(*facts.absence)));
  if (facts.streams.empty())
    return drawing::writeCharts(emptyPage(std::move(header), "the selected iterations have no device work"));
  const int64_t iterations = timeline.selectedIterationCount();
  const ChartedRun charted{timeline, iterations, facts, streamsPerIteration(iterations, facts)};
  return drawing::writeCharts(HostChartPage(charted, std::move(header)).build());
}

}  // namespace

std::string nameOf(const ChartedRun& charted, const RoundedStream& stream) {
  return fmt::format("stream {}", printable(charted.timeline.tracks[stream.row->track].thread));
}

constinit const Output kChartsOutput{
    .name = "charts",
    .summary = "streams by operator and kernel family, overheads as box plots, and queues, as SVG",
    .pass = "host",
    .write = writeHostCharts};

}  // namespace amdahlc
