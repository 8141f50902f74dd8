#include "passes/roofline/attainable.h"

namespace amdahlc {
namespace {

using ir::ElementType;

/// Types that units treat alike have one peak.
ElementType inTables(ElementType type) {
  switch (type) {
    case ElementType::UInt8:
      return ElementType::Int8;
    case ElementType::UInt4:
      return ElementType::Int4;
    case ElementType::Float8E4M3FNUZ:
    case ElementType::Float8E5M2:
    case ElementType::Float8E5M2FNUZ:
      return ElementType::Float8E4M3FN;
    default:
      return type;
  }
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

Attainable attainable(const KernelWorkOf& work, const ir::HardwareDescription& hardware, Float32Products float32) {
  Attainable time;
  time.memoryNs = nsFor(work.bytes(), hardware.memoryBytesPerS);
  for (const auto& [type, flops] : work.matrixFlops) {
    const auto peak = matrixPeak(hardware, type, float32);
    if (peak)
      time.matrixNs += nsFor(flops, *peak);
    else if (!time.missingPeak)
      time.missingPeak = type;
  }
  for (const auto& [type, flops] : work.vectorFlops) {
    const auto peak = vectorPeak(hardware, type);
    if (peak)
      time.vectorNs += nsFor(flops, *peak);
    else if (!time.missingPeak)
      time.missingPeak = type;
  }
  return time;
}

}  // namespace amdahlc
