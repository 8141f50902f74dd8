#include "passes/roofline/roofline_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/facets/timed.h"
#include "ir/kernel_graph.h"
#include "report/section.h"
#include "support/decimal_time.h"
#include "support/name_list.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

/// In the order of the enumerators.
constexpr std::string_view kBoundNames[] = {"", "memory", "compute", "cache"};
std::string_view name(KernelBound bound) { return kBoundNames[static_cast<size_t>(bound)]; }

std::string_view name(Float32Products float32) { return float32 == Float32Products::Tf32 ? "tf32" : "ieee"; }

/// The facts of a kernel whose work is known.
struct RooflineKernelRow {
  const ReportRun& run;
  const KernelWorkOf& work;
  const KernelRoofline& roof;
};

/// In the reported iterations.
int64_t timedNs(const ReportRun& run, ir::KernelId id) {
  const auto* timed = run.cover->facets.get<ir::TimedFacet>();
  return timed != nullptr ? timed->kernels[id].reportedNs : 0;
}

std::vector<std::pair<std::string, int64_t>> byName(const FlopsByType& flops) {
  std::vector<std::pair<std::string, int64_t>> rows;
  for (const auto& [type, count] : flops) rows.emplace_back(ir::name(type), count);
  return rows;
}

/// Operations per second by the types in which kernels compute; empty without hardware. A type without a peak is left
/// out.
template <auto kFlops, typename PeakOf>
std::vector<std::pair<std::string, int64_t>> peaksOf(const RooflineAnalysis& facts, const PeakOf& peakOf) {
  std::map<std::string, int64_t> peaks;
  if (!facts.hardware) return {};
  for (const ir::KernelId id : facts.kernels.ids())
    for (const auto& [type, flops] : facts.work(id).*kFlops)
      if (const auto peak = peakOf(*facts.hardware, type)) peaks.try_emplace(std::string(ir::name(type)), *peak);
  return {peaks.begin(), peaks.end()};
}

std::vector<std::string_view> boundNames() { return {std::begin(kBoundNames) + 1, std::end(kBoundNames)}; }

std::vector<std::string_view> shapeSourceNames() { return {std::begin(kShapeSources), std::end(kShapeSources)}; }

std::vector<std::string_view> float32Names() { return {name(Float32Products::Tf32), name(Float32Products::Ieee)}; }

constexpr auto kRooflineKernelRowFields = fields<RooflineKernelRow>(
    field("bytes", "that one run of the kernel must read and write", [](auto& row) { return row.work.bytes(); }),
    field("read_bytes", "of these, read", [](auto& row) { return row.work.readBytes(); }),
    field("written_bytes", "of these, written", [](auto& row) { return row.work.writtenBytes(); }),
    field("flops", "operations of one run, in any type; a multiply-add is two",
          [](auto& row) { return row.work.flops(); }),
    field("matrix_flops", "of these, products of matrices, by element type",
          [](auto& row) { return byName(row.work.matrixFlops); }),
    field("vector_flops", "of these, all others, by element type",
          [](auto& row) { return byName(row.work.vectorFlops); }),
    field("runs", "of the kernel per iteration: forwards times trips; 1 without a trace",
          [](auto& row) { return row.roof.runs ? row.run.roof(*row.roof.runs) : std::nullopt; }),
    field("memory_ns", "one run at the bandwidth of memory; null if the hardware is not known",
          [](auto& row) {
            return row.roof.attainable ? std::optional(PredictedNs{row.roof.attainable->memoryNs}) : std::nullopt;
          }),
    field("compute_ns", "one run at the peaks of the device; null if the hardware or a peak is not known",
          [](auto& row) {
            return row.roof.attainable ? std::optional(PredictedNs{row.roof.attainable->computeNs()}) : std::nullopt;
          }),
    field("attainable_ns", "the longer one of both, for all runs in an iteration: what `duration_ns` could be at least",
          [](auto& row) { return row.run.roof(row.roof.totalNs()); }),
    field("bound",
          "which is the longer one; `cache` where the kernel ran faster than memory allows; null if it does "
          "nothing, or if that is not known",
          [](auto& row) {
            return row.roof.bound == KernelBound::None ? std::nullopt
                                                       : std::optional(OneOf<boundNames>{name(row.roof.bound)});
          }),
    field("at_roof", "the attainable time is from 80 % to 100 % of the measured one",
          [](auto& row) { return row.roof.isAtRoof; }),
    field("above_peak",
          "faster than the peaks of the device: the description or the binding is wrong, or the run computed in a "
          "narrower type than the model",
          [](auto& row) { return row.roof.isAbovePeak; }));

constexpr auto kRooflineKernelFields = fields<ReportKernel>(object<kRooflineKernelRowFields>(
    "roofline", "the least time of the kernel; null without roofline, and where its work is not known",
    [](const ReportKernel& kernel) -> std::optional<RooflineKernelRow> {
      const auto* facts = kernel.run.facts<RooflineAnalysis>();
      if (facts == nullptr || !facts->work(kernel.id).isKnown()) return std::nullopt;
      return std::optional<RooflineKernelRow>({kernel.run, facts->work(kernel.id), facts->kernels[kernel.id]});
    }));

/// A reason, and the kernels of which nothing is known because of it.
struct UnknownWorkRow {
  Absence reason;
  std::vector<ir::KernelId> kernels;
};

/// In the order of the first kernel of each.
std::vector<UnknownWorkRow> unknownKernels(const RooflineAnalysis& facts) {
  std::vector<UnknownWorkRow> rows;
  std::map<Absence, size_t> known;
  for (const ir::KernelId id : facts.kernels.ids()) {
    const KernelRoofline& roof = facts.kernels[id];
    // Hardware that is not known is a fact of the run, which has its own key.
    std::optional<Absence> reason = facts.hardware ? roof.attainable.absence() : facts.work(id).unknown;
    if (!reason) reason = roof.runs.absence();
    if (!reason) continue;
    const auto [place, isNew] = known.emplace(*reason, rows.size());
    if (isNew) rows.push_back({*std::move(reason), {}});
    rows[place->second].kernels.push_back(id);
  }
  return rows;
}

using RooflineRow = FactsRow<RooflineAnalysis>;

const RunShapes& shapesOf(const ReportRun& run) { return run.analyses->get<RunShapes>(run.id); }

constexpr auto kUnknownWorkFields = fields<UnknownWorkRow>(field<&UnknownWorkRow::reason>("reason", "a clause"),
                                                           field<&UnknownWorkRow::kernels>("kernels", "their ids"));

constexpr auto kRooflineRunRowFields = fields<RooflineRow>(
    field("hardware", "name of its description",
          [](auto& row) { return row.facts.hardware ? std::optional(row.facts.hardware->name) : std::nullopt; }),
    field("reason", "why the hardware is not known", [](auto& row) { return row.facts.hardware.absence(); }),
    field("float32", "`-float32=`", [](auto& row) { return OneOf<float32Names>{name(row.facts.float32)}; }),
    field("shapes",
          "where shapes and element types are from: the run, or, if the trace has none, the model; `mixed` if some of "
          "the "
          "run could not be solved",
          [](auto& row) {
            return OneOf<shapeSourceNames>{kShapeSources[static_cast<size_t>(shapesOf(row.run).source())]};
          }),
    field("attainable_busy_ns",
          "busy time per iteration if each kernel took at most its attainable time; null without a trace or hardware",
          [](auto& row) { return row.run.roof(row.facts.busyNs); }),
    field("attainable_speedup", "of undisturbed busy time",
          [](auto& row) {
            return row.facts.busyNs ? quotient(static_cast<double>(row.run.undisturbedBusyNs), *row.facts.busyNs)
                                    : std::nullopt;
          }),
    field("attainable_speedup_wall", "of wall time, if idle time stays",
          [](auto& row) -> std::optional<double> {
            if (!row.facts.busyNs || !row.run.undisturbedWallNs) return std::nullopt;
            const auto wall = static_cast<double>(*row.run.undisturbedWallNs);
            return quotient(
                wall, schedule::wallWithBusy(wall, static_cast<double>(row.run.undisturbedBusyNs), *row.facts.busyNs));
          }),
    field("memory_bytes_per_s", "bandwidth of the device's memory; null without hardware",
          [](auto& row) {
            return row.facts.hardware ? std::optional(row.facts.hardware->memoryBytesPerS) : std::nullopt;
          }),
    field("matrix_peaks", "operations per second of products of matrices, by the element types of the kernels",
          [](auto& row) {
            return peaksOf<&KernelWorkOf::matrixFlops>(row.facts, [&](const auto& hardware, ir::ElementType type) {
              return matrixPeak(hardware, type, row.facts.float32);
            });
          }),
    field("vector_peaks", "the same of all other operations",
          [](auto& row) { return peaksOf<&KernelWorkOf::vectorFlops>(row.facts, vectorPeak); }),
    objects<kUnknownWorkFields>("unknown", "kernels without an attainable time, by reason",
                                [](auto& row) { return unknownKernels(row.facts); }));

constexpr auto kRooflineRunFields = fields<ReportRun>(object<kRooflineRunRowFields>(
    "roofline", "the least times of kernels on the device; null without roofline", kFactsRow<RooflineAnalysis>));

/// A measured kernel against its roof.
struct KernelAtRoof {
  ir::KernelId id;
  double leastNs, measuredNs;
  const KernelRoofline* roof;
};

std::string titleOf(const ReportRun& run, ir::KernelId id) {
  return fmt::format("{} `{}`", id.index(), printable(ir::kernelLabel(*run.module, run.cover->kernels[id])));
}

std::string unknownLine(const RooflineAnalysis& facts) {
  const std::vector<UnknownWorkRow> rows = unknownKernels(facts);
  if (rows.empty()) return "";
  size_t kernels = 0;
  for (const UnknownWorkRow& row : rows) kernels += row.kernels.size();
  return fmt::format("  unknown for {}: {} ({}){}\n", plural(kernels, "kernel"),
                     printable(describe(rows.front().reason)), rows.front().kernels.size(),
                     rows.size() > 1 ? fmt::format(" and {}", plural(rows.size() - 1, "other reason")) : "");
}

std::string shapesLine(const ReportRun& run) {
  switch (shapesOf(run).source()) {
    case ShapeSource::Run:
      return {};
    case ShapeSource::Mixed:
      return "  roofs are of the run's shapes, which are not known of all operands\n";
    case ShapeSource::Model:
      break;
  }
  // A call of a program has the shapes of its operands or none.
  if (run.module->isRecorded()) return "";
  return run.timeline->host
             ? "  roofs assume the model's shapes, because the trace has none of the operands of its kernels\n"
             : "  roofs assume the model's shapes, because the trace of the run was not given\n";
}

/// Without a trace: the kernels that take longest at least.
std::string detailsOfModel(const ReportRun& run, const RooflineAnalysis& facts) {
  double sum = 0;
  std::vector<KernelAtRoof> all;
  for (const ir::KernelId id : facts.kernels.ids()) {
    const auto least = facts.kernels[id].totalNs();
    if (!least || *least <= 0) continue;
    sum += *least;
    all.push_back({id, *least, 0, &facts.kernels[id]});
  }
  std::ranges::stable_sort(all, [](auto& a, auto& b) { return a.leastNs > b.leastNs; });
  std::string out =
      fmt::format("roofline of {}: its kernels take {} us at least\n", facts.hardware->name, formatUs(roundedNs(sum)));
  if (!all.empty())
    out += fmt::format("  longest: {}\n", firstFew(all, [&](const KernelAtRoof& kernel) {
                         return fmt::format("{} ({} us, {})", titleOf(run, kernel.id),
                                            formatUs(roundedNs(kernel.leastNs)), name(kernel.roof->bound));
                       }));
  return out + unknownLine(facts);
}

std::string rooflineDetails(const ReportRun& run) {
  const auto* facts = run.facts<RooflineAnalysis>();
  if (facts == nullptr || !facts->hardware) return {};
  if (run.timeline == nullptr || !facts->busyNs) return detailsOfModel(run, *facts);
  std::vector<KernelAtRoof> far, atRoof, fromCache, abovePeak;
  for (const ir::KernelId id : facts->kernels.ids()) {
    const KernelRoofline& roof = facts->kernels[id];
    const int64_t measured = timedNs(run, id);
    const auto least = roof.totalNs();
    if (!least || measured <= 0) continue;
    const KernelAtRoof kernel{id, *least, static_cast<double>(measured), &roof};
    if (roof.isAbovePeak) abovePeak.push_back(kernel);
    if (roof.bound == KernelBound::Cache) fromCache.push_back(kernel);
    if (roof.isAtRoof)
      atRoof.push_back(kernel);
    else if (*least < static_cast<double>(measured))
      far.push_back(kernel);
  }
  const auto perIteration = [&](double totalNs) { return run.predictedUs(totalNs); };
  const auto byShare = [&](const KernelAtRoof& kernel) {
    return fmt::format("{} ({})", titleOf(run, kernel.id), formatPercent(kernel.leastNs / kernel.measuredNs));
  };
  std::ranges::stable_sort(far, [](auto& a, auto& b) { return a.measuredNs - a.leastNs > b.measuredNs - b.leastNs; });
  std::string out = fmt::format(
      "roofline of {}: busy {} -> {} us ({}) if each kernel ran at its roof\n", facts->hardware->name,
      perIteration(static_cast<double>(run.undisturbedBusyNs)), perIteration(*facts->busyNs),
      speedupText(run.undisturbedBusyNs, quotient(static_cast<double>(run.undisturbedBusyNs), *facts->busyNs)));
  out += shapesLine(run);
  if (!far.empty())
    out += fmt::format("  furthest: {}\n", firstFew(far, [&](const KernelAtRoof& kernel) {
                         return fmt::format("{} ({} us, roof {} us by {})", titleOf(run, kernel.id),
                                            perIteration(kernel.measuredNs), perIteration(kernel.leastNs),
                                            kernel.leastNs > 0 ? name(kernel.roof->bound) : "nothing to do");
                       }));
  for (std::vector<KernelAtRoof>* list : {&atRoof, &fromCache, &abovePeak})
    std::ranges::stable_sort(*list, [](auto& a, auto& b) { return a.measuredNs > b.measuredNs; });
  if (!atRoof.empty())
    out += fmt::format("  at their roof, 80 % of it or more: {}: {}\n", plural(atRoof.size(), "kernel"),
                       firstFew(atRoof, byShare));
  if (!fromCache.empty())
    out += fmt::format("  faster than memory allows, so from a cache: {}: {}\n", plural(fromCache.size(), "kernel"),
                       firstFew(fromCache, byShare));
  if (!abovePeak.empty())
    out +=
        fmt::format("  faster than the hardware's peak, so the description, the binding or the type is wrong: {}: {}\n",
                    plural(abovePeak.size(), "kernel"), firstFew(abovePeak, byShare));
  return out + unknownLine(*facts);
}

}  // namespace

constinit const ReportSection kRooflineSection{
    .runFields = kRooflineRunFields, .kernelFields = kRooflineKernelFields, .details = rooflineDetails};

}  // namespace amdahlc
