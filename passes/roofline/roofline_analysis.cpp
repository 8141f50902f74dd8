#include "passes/roofline/roofline_analysis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ir/facets/bound.h"
#include "ir/facets/timed.h"
#include "ir/operator_graph.h"
#include "passes/timing/timing_analysis.h"
#include "replay/schedule/busy_time.h"

namespace amdahlc {

namespace {

using ir::KernelId;
using ir::OpId;

Known<ir::HardwareDescription> hardwareOf(const ir::Module& module, const ir::Cover& cover) {
  using enum Absence::Reason;
  if (module.hardware.isChosen && !module.hardware.descriptions.empty()) return module.hardware.descriptions.front();
  const Timeline* run = cover.traceLabel.empty() ? nullptr : module.findTimeline(cover.traceLabel);
  const std::string& device = run != nullptr ? run->target.device : module.target.device;
  if (device.empty()) return Absence{NoDeviceName};
  const ir::HardwareDescription* found = nullptr;
  std::vector<std::string> matching;
  for (const ir::HardwareDescription& one : module.hardware.descriptions) {
    if (!one.isFor(device)) continue;
    found = &one;
    matching.push_back(one.key);
  }
  if (found == nullptr) return Absence{NoDescription, {device}};
  if (matching.size() > 1)
    return Absence{SeveralDescriptions, {fmt::format("{}", fmt::join(matching, "`, `")), device}};
  return *found;
}

/// Whether every run has the same number of events. Otherwise some are missing, or the runs are not alike, and the
/// measured time is not that of these runs.
bool isWhole(const ir::KernelBinding& binding, int64_t runs) {
  const auto events = static_cast<int64_t>(binding.events.size());
  return runs > 0 && events >= runs && events % runs == 0;
}

void compare(KernelRoofline& kernel, int64_t measuredNs) {
  const double runs = *kernel.runs;
  const auto measured = static_cast<double>(measuredNs);
  if (measured < kernel.attainable->memoryNs * runs) kernel.bound = KernelBound::Cache;
  kernel.isAbovePeak = measured < kernel.attainable->computeNs() * runs;
  const double least = *kernel.totalNs();
  kernel.isAtRoof = least >= kAtRoof * measured && least <= measured;
}

}  // namespace

DeviceFactors attainableFactors(const ir::Cover& cover, const IdVector<KernelId, KernelRoofline>& kernels) {
  const auto& timed = *cover.facets.get<ir::TimedFacet>();
  // A picosecond is the finest part of a time that a factor keeps.
  constexpr int64_t kParts = 1000;
  DeviceFactors factors(kernels.size());
  for (const KernelId id : kernels.ids()) {
    const int64_t measuredNs = timed.kernels[id].reportedNs;
    const auto roof = kernels[id].totalNs();
    const bool isLess = roof && measuredNs > 0 && *roof < static_cast<double>(measuredNs);
    const bool fits = measuredNs < std::numeric_limits<int64_t>::max() / kParts;
    if (isLess && fits)
      factors.kernels[id] =
          Rational::of(std::min<int64_t>(std::llround(*roof * kParts), measuredNs * kParts), measuredNs * kParts);
  }
  return factors;
}

RooflineAnalysis::RooflineAnalysis(const ir::Module& module, ir::CoverId id, AnalysisManager& analyses)
    : hardware(hardwareOf(module, module.cover(id))),
      float32(analyses.options<RooflineAnalysis>().float32),
      work_(&analyses.get<KernelWork>(id)) {
  const ir::Cover& cover = module.cover(id);
  const auto* bound = cover.facets.get<ir::BoundFacet>();
  const auto* timed = cover.facets.get<ir::TimedFacet>();
  const auto trips = ir::tripsOfLoops(module, cover);
  const Timeline* run = module.findTimeline(cover.traceLabel);
  const double reportedPart = run == nullptr
                                  ? 1
                                  : static_cast<double>(ReportedIterations(*run).count()) /
                                        static_cast<double>(std::max<int64_t>(run->selectedIterationCount(), 1));
  for (const ir::Kernel& kernel : cover.kernels) {
    const Known<Attainable> least = hardware ? attainable(work(kernel.id), *hardware, float32) : *hardware.absence();
    KernelRoofline& row = kernels.emplace_back(KernelRoofline{least});
    // Of all selected iterations.
    Amount runs(1);
    if (bound != nullptr) {
      const ir::OpId loop = ir::loopAround(module, module.ops[kernel.anchor()].graph);
      runs = Amount(bound->fit->forwards) * Amount(loop.isNone() ? 1 : trips[loop].value_or(-1));
      if (runs.isKnown())
        row.runs = static_cast<double>(*runs) * reportedPart;
      else
        row.runs = Absence{runs.isTooLarge() ? Absence::Reason::LargeWorkTogether : Absence::Reason::NoTrips};
    }
    // Trips are those of the forward with the most: where the events do not show so many, nobody knows how many there
    // were.
    const bool isLoop = row.runs && bound != nullptr && module.ops[kernel.anchor()].graph != ir::kMainGraph;
    if (isLoop && !bound->kernels[kernel.id].events.empty() && !isWhole(bound->kernels[kernel.id], *runs))
      row.runs = Absence{Absence::Reason::NoTrips};
    if (!least || least->ns() <= 0) continue;
    row.bound = least->isMemoryBound() ? KernelBound::Memory : KernelBound::Compute;
    if (timed != nullptr && row.runs && isWhole(bound->kernels[kernel.id], *runs))
      compare(row, timed->kernels[kernel.id].reportedNs);
  }
  if (timed != nullptr && run != nullptr && hardware) {
    std::vector<Rational> factors = eventFactors({ir::eventOwners(*run, *bound)}, attainableFactors(cover, kernels));
    std::ranges::transform(factors, analyses.get<TimingAnalysis>(id).undisturbed(), factors.begin(), std::multiplies());
    busyNs = schedule::busyTime(*run, factors).toDouble();
  }
}

namespace {

using ir::ElementType;

/// Types that units treat alike have one peak.
ElementType inTables(ElementType type) {
  using enum ElementType;
  if (type == UInt8) return Int8;
  if (type == UInt4) return Int4;
  return type == Float8E4M3FNUZ || type == Float8E5M2 || type == Float8E5M2FNUZ ? Float8E4M3FN : type;
}

std::optional<int64_t> peakIn(const ir::PeakByType& peaks, ElementType type) {
  const auto found = peaks.find(inTables(type));
  return found != peaks.end() ? std::optional(found->second) : std::nullopt;
}

double nsFor(int64_t amount, int64_t perSecond) {
  return static_cast<double>(static_cast<long double>(amount) * 1'000'000'000 / static_cast<long double>(perSecond));
}

}  // namespace

std::optional<int64_t> matrixPeak(const ir::HardwareDescription& hardware, ElementType type, Float32Products float32) {
  // nullopt is below every number.
  std::optional<int64_t> peak = std::max(peakIn(hardware.matrixPerS, type), peakIn(hardware.vectorPerS, type));
  if (type == ElementType::Float && float32 == Float32Products::Tf32) peak = std::max(peak, hardware.tf32PerS);
  return peak;
}

std::optional<int64_t> vectorPeak(const ir::HardwareDescription& hardware, ElementType type) {
  if (const auto peak = peakIn(hardware.vectorPerS, type)) return peak;
  std::optional<int64_t> highest;
  for (const auto& [other, peak] : hardware.vectorPerS) highest = std::max(highest, std::optional(peak));
  return highest;
}

Known<Attainable> attainable(const KernelWorkOf& work, const ir::HardwareDescription& hardware,
                             Float32Products float32) {
  if (work.unknown) return *work.unknown;
  const auto noPeak = [](ElementType type) { return Absence{Absence::Reason::NoPeak, {std::string(ir::name(type))}}; };
  Attainable time;
  time.memoryNs = nsFor(work.bytes(), hardware.memoryBytesPerS);
  for (const auto& [type, flops] : work.matrixFlops) {
    const auto peak = matrixPeak(hardware, type, float32);
    if (!peak) return noPeak(type);
    time.matrixNs += nsFor(flops, *peak);
  }
  for (const auto& [type, flops] : work.vectorFlops) {
    const auto peak = vectorPeak(hardware, type);
    if (!peak) return noPeak(type);
    time.vectorNs += nsFor(flops, *peak);
  }
  return time;
}

}  // namespace amdahlc
