#include "passes/speedup_rewrite/work_factors.h"

#include <algorithm>
#include <cmath>

namespace amdahlc {
namespace {

/// Bytes of those tensors that are among others, which ascend by root.
int64_t bytesAmong(const std::vector<TensorTraffic>& tensors, const std::vector<TensorTraffic>& others) {
  int64_t bytes = 0;
  for (const TensorTraffic& one : tensors)
    if (std::ranges::binary_search(others, one.root, {}, &TensorTraffic::root)) bytes += one.bytes;
  return bytes;
}

int64_t times(int64_t amount, const Rational& ratio) {
  return static_cast<int64_t>(
      std::min(std::ceil(static_cast<long double>(amount) * ratio.numerator / ratio.denominator), 0x1p62L));
}

/// The work with a batch that is so many times as large.
KernelWorkOf withBatch(KernelWorkOf work, const Rational& ratio) {
  for (std::vector<TensorTraffic>* tensors : {&work.reads, &work.writes})
    for (TensorTraffic& one : *tensors)
      if (!one.isGlobal || one.isPart) one.bytes = times(one.bytes, ratio);
  for (FlopsByType* flops : {&work.matrixFlops, &work.vectorFlops})
    for (auto& [type, count] : *flops) count = times(count, ratio);
  return work;
}

/// Least times are fractions of nanoseconds: their quotient counts them in thousandths.
constexpr double kFractions = 1'000;

}  // namespace

KernelWorkOf WorkFactors::fused(std::span<const ir::KernelId> group) const {
  return withBatch(roofline_.work().fused(group), batch_);
}

FusedPart WorkFactors::part(ir::KernelId kernel, const KernelWorkOf& fused) const {
  const KernelRoofline& roofline = roofline_.kernels[kernel];
  const KernelWorkOf own = withBatch(roofline_.work(kernel), batch_);
  if ((roofline.bound != KernelBound::Memory && roofline.bound != KernelBound::Cache) || !roofline.runs ||
      !fused.isKnown() || own.bytes() == 0)
    return {kernel};
  const int64_t outside = bytesAmong(own.reads, fused.reads) + bytesAmong(own.writes, fused.writes);
  const int64_t inside = std::max<int64_t>(0, own.bytes() - outside);
  return {
      kernel, inside, own.bytes(),
      static_cast<double>(inside) * 1e9 / static_cast<double>(roofline_.hardware->memoryBytesPerS) * *roofline.runs};
}

int64_t WorkFactors::leastNs(std::span<const ir::KernelId> group, const KernelWorkOf& fused) const {
  const auto runs = roofline_.kernels[group.front()].runs;
  const bool areOften = std::all_of(
      group.begin(), group.end(), [&](ir::KernelId kernel) { return runs && roofline_.kernels[kernel].runs == runs; });
  if (!areOften) return 0;
  const auto least = attainable(fused, *roofline_.hardware, roofline_.float32);
  return least ? static_cast<int64_t>(std::ceil(least->ns() * *runs)) : 0;
}

std::optional<Rational> WorkFactors::underBatch(ir::KernelId kernel) const {
  const auto now = attainable(roofline_.work(kernel), *roofline_.hardware, roofline_.float32);
  const auto then = attainable(withBatch(roofline_.work(kernel), batch_), *roofline_.hardware, roofline_.float32);
  if (!now || !then) return std::nullopt;
  const double nowParts = now->ns() * kFractions, thenParts = then->ns() * kFractions;
  // A kernel without work, and one that would take years, say nothing.
  if (nowParts < 1 || std::max(nowParts, thenParts) > 0x1p62) return std::nullopt;
  return Rational::of(std::llround(thenParts), std::llround(nowParts));
}

FusedGroup fusedGroup(std::span<const ir::KernelId> kernels, const std::optional<WorkFactors>& work) {
  const KernelWorkOf fused = work ? work->fused(kernels) : KernelWorkOf();
  FusedGroup group;
  for (const ir::KernelId kernel : kernels) group.parts.push_back(work ? work->part(kernel, fused) : FusedPart{kernel});
  if (work) group.leastNs = work->leastNs(kernels, fused);
  return group;
}

}  // namespace amdahlc
