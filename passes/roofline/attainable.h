/// The least time that a kernel can take on a device: its bytes at the bandwidth of memory, or its operations at the
/// peaks of the units that do them, whichever takes longer (S. Williams, A. Waterman, D. Patterson, "Roofline: an
/// insightful visual performance model for multicore architectures", 2009).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "ir/hardware.h"
#include "passes/roofline/kernel_work.h"

namespace amdahlc {

/// How units that multiply matrices treat float32, where a device has a peak for TF32.
enum class Float32Products : uint8_t {
  /// They may round it to TF32: the least time.
  Tf32,
  /// They may not.
  Ieee,
};

/// Of one run of a kernel, in nanoseconds: the one division of exact integers.
struct Attainable {
  double memoryNs = 0;
  /// Of units that multiply matrices, and of all others. Both work at the same time.
  double matrixNs = 0, vectorNs = 0;
  /// The type for which the description has no peak; then no time counts.
  std::optional<ir::ElementType> missingPeak;

  bool isKnown() const { return !missingPeak; }
  double computeNs() const { return std::max(matrixNs, vectorNs); }
  double ns() const { return std::max(memoryNs, computeNs()); }
  bool isMemoryBound() const { return memoryNs >= computeNs(); }
  friend bool operator==(const Attainable&, const Attainable&) = default;
};

/// Precondition: the work is known. Matrix work of a type without a peak for matrices has that of vectors. Vector work
/// of a type without a peak has the highest one of vectors, so that the time is not too long.
Attainable attainable(const KernelWorkOf& work, const ir::HardwareDescription& hardware,
                      Float32Products float32 = Float32Products::Tf32);

/// Operations per second of a type, or nullopt.
std::optional<int64_t> matrixPeak(const ir::HardwareDescription& hardware, ir::ElementType type,
                                  Float32Products float32);
std::optional<int64_t> vectorPeak(const ir::HardwareDescription& hardware, ir::ElementType type);

}  // namespace amdahlc
