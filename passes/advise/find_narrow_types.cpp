// Products of float32 on a device that multiplies numbers of 16 bits faster.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "passes/advise/finders.h"
#include "passes/timing/timing_analysis.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

/// A category has one factor if so much of its time has.
constexpr double kMostOfCategory = 0.9;

/// The work with numbers of 16 bits for those of float32: half of the bytes, as most are of that type.
KernelWorkOf narrowed(KernelWorkOf work) {
  for (std::vector<TensorTraffic>* tensors : {&work.reads, &work.writes})
    for (TensorTraffic& one : *tensors) one.bytes = (one.bytes + 1) / 2;
  for (FlopsByType* flops : {&work.matrixFlops, &work.vectorFlops}) {
    const auto wide = flops->find(ir::ElementType::Float);
    if (wide == flops->end()) continue;
    const int64_t count = wide->second;
    flops->erase(wide);
    (*flops)[ir::ElementType::BFloat16] += count;
  }
  return work;
}

struct Narrowed {
  int64_t ns = 0, knownNs = 0;
  double likelyNs = 0, leastNs = 0;
  std::vector<ir::KernelId> kernels = {};
};

}  // namespace

void findNarrowTypes(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) {
  if (!run.predicted().isDescribed()) return;
  const RooflineAnalysis& roofline = *run.roofline;
  std::map<std::string, Narrowed> categories;
  for (const ir::Kernel& kernel : run.cover.kernels) {
    const auto timeNs = static_cast<double>(run.timeOf(kernel.id));
    if (timeNs == 0) continue;
    Narrowed& category = categories[ir::kernelCategory(run.module, kernel)];
    category.ns += run.timeOf(kernel.id);
    const KernelRoofline& now = roofline.kernels[kernel.id];
    const KernelWorkOf& work = roofline.work(kernel.id);
    if (!now.attainable || !now.runs || now.isAbovePeak || !work.matrixFlops.contains(ir::ElementType::Float)) continue;
    const auto then = attainable(narrowed(work), *roofline.hardware, roofline.float32);
    if (!then || now.attainable->ns() <= 0) continue;
    const double floorNs = static_cast<double>(run.shortestNs) * *now.runs;
    category.knownNs += run.timeOf(kernel.id);
    category.likelyNs += std::min(timeNs, std::max(timeNs * then->ns() / now.attainable->ns(), floorNs));
    category.leastNs += std::min(timeNs, std::max(then->ns() * *now.runs, floorNs));
    category.kernels.push_back(kernel.id);
  }
  AdviceCandidate candidate;
  std::vector<ir::Change> atMost;
  std::vector<ir::KernelId> kernels;
  int64_t ns = 0;
  for (const auto& [name, category] : categories) {
    if (static_cast<double>(category.knownNs) < kMostOfCategory * static_cast<double>(category.ns)) continue;
    // What the text says is what is predicted.
    constexpr double kHundredths = 100;
    const auto nowNs = static_cast<double>(category.knownNs);
    const auto change = [&](double newNs) {
      ir::Change one;
      one.selectors.push_back({ir::SelectorKind::Category, name});
      one.factor = Rational::of(std::llround(kHundredths), std::llround(kHundredths * nowNs / std::max(newNs, 1.0)));
      return one;
    };
    const double speedup = nowNs / std::max(category.likelyNs, 1.0);
    if (speedup < 1 + 1 / kHundredths) continue;
    candidate.selector += fmt::format("{}category:{}={:.2f}x", candidate.selector.empty() ? "" : ";", name, speedup);
    candidate.likely.push_back(change(category.likelyNs));
    atMost.push_back(change(category.leastNs));
    kernels.insert(kernels.end(), category.kernels.begin(), category.kernels.end());
    ns += category.knownNs;
  }
  if (candidate.likely.empty() || run.partOfBusy(ns) < kLeastShare) return;
  candidate.change = fmt::format("multiply in bfloat16: {}", run.remedy(Remedy::NarrowTypes));
  candidate.why = fmt::format("{} of busy time multiplies matrices of float32", formatPercent(run.partOfBusy(ns)));
  candidate.assumption =
      "the results stay good enough, the kernels reach the same part of their roofs, and nothing converts between "
      "types";
  candidate.places = run.placesOf(kernels);
  candidate.kernels = std::move(kernels);
  candidate.atMost = std::move(atMost);
  candidates.push_back(std::move(candidate));
}

}  // namespace amdahlc
