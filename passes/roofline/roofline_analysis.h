/// The analysis `roofline`: the hardware of a run, and each kernel's least time on it against its measured one. The
/// pass `roofline` shows it.
///
/// The least time that a kernel can take on a device is its bytes at the bandwidth of memory, or its operations at the
/// peaks of the units that do them, whichever takes longer (S. Williams, A. Waterman, D. Patterson, "Roofline: an
/// insightful visual performance model for multicore architectures", 2009).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "ir/hardware.h"
#include "ir/module.h"
#include "passes/manager/analysis.h"
#include "passes/roofline/kernel_work.h"
#include "passes/timing/timing_analysis.h"
#include "support/absence.h"

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

  double computeNs() const { return std::max(matrixNs, vectorNs); }
  double ns() const { return std::max(memoryNs, computeNs()); }
  bool isMemoryBound() const { return memoryNs >= computeNs(); }
  friend bool operator==(const Attainable&, const Attainable&) = default;
};

/// Absent if the work is not known, or if the description has no peak for a type of it. Matrix work of a type without a
/// peak for matrices has that of vectors. Vector work of a type without a peak has the highest one of vectors, so that
/// the time is not too long.
Known<Attainable> attainable(const KernelWorkOf& work, const ir::HardwareDescription& hardware,
                             Float32Products float32 = Float32Products::Tf32);

/// Operations per second of a type, or nullopt.
std::optional<int64_t> matrixPeak(const ir::HardwareDescription& hardware, ir::ElementType type,
                                  Float32Products float32);
std::optional<int64_t> vectorPeak(const ir::HardwareDescription& hardware, ir::ElementType type);

/// What bounds a kernel; in reports `memory`, `compute`, `cache`.
enum class KernelBound : uint8_t {
  /// It does nothing, or that is not known.
  None,
  Memory,
  Compute,
  /// It ran faster than memory allows, so that some of its data was in a cache.
  Cache,
};

struct KernelRoofline {
  /// Of one run of the kernel; absent if its work, the device or a peak is not known.
  Known<Attainable> attainable;
  /// Runs of the kernel in the reported iterations together: forwards, of which an iteration has as many as the mean,
  /// times trips of the loop around it; 1 without a trace; absent if the trips are not known, or if there are more than
  /// fit 64 bits.
  Known<double> runs = 1.0;
  KernelBound bound = KernelBound::None;
  /// Its measured time is between its least time and 1.25 times that: it reaches 80 % of its roof.
  bool isAtRoof = false;
  /// It ran faster than the peaks of the device allow: the description or the binding is wrong, or it
  /// computed in a narrower type than the model.
  bool isAbovePeak = false;
  friend bool operator==(const KernelRoofline&, const KernelRoofline&) = default;

  /// The least time of all runs together, in ns; nullopt if it is not known.
  std::optional<double> totalNs() const {
    if (!attainable || !runs) return std::nullopt;
    return attainable->ns() * *runs;
  }
};

/// The share of its roof from which a kernel is at it.
inline constexpr double kAtRoof = 0.8;

struct RooflineAnalysis {
  static constexpr const char* kName = "roofline";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound, ir::Facet::Timed};
  struct Options {
    Float32Products float32 = Float32Products::Tf32;
    friend bool operator==(const Options&, const Options&) = default;
  };
  RooflineAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

  /// The description of the device. Without it no least times are known.
  Known<ir::HardwareDescription> hardware;
  Float32Products float32;
  IdVector<ir::KernelId, KernelRoofline> kernels;
  /// Undisturbed busy time of the reported iterations if each kernel took at most its least time; nullopt without a
  /// trace, times or hardware.
  std::optional<double> busyNs;

  const KernelWork& work() const { return *work_; }
  const KernelWorkOf& work(ir::KernelId kernel) const { return work_->of(kernel); }

  friend bool operator==(const RooflineAnalysis& a, const RooflineAnalysis& b) {
    return a.hardware == b.hardware && a.float32 == b.float32 && *a.work_ == *b.work_ && a.kernels == b.kernels &&
           a.busyNs == b.busyNs;
  }

 private:
  /// An analysis that this one was computed from, so that it is there for as long.
  const KernelWork* work_;
};

/// Of each kernel the least time by its measured time, at most 1; 1 where one of them is not known.
DeviceFactors attainableFactors(const ir::Cover& cover, const IdVector<ir::KernelId, KernelRoofline>& kernels);

}  // namespace amdahlc
