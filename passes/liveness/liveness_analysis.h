/// The analysis `liveness`: the liveness of tensors of a cover, from the events of its run if it has one, and which
/// inactive periods of tensors could free memory: by moving the tensor away and back, or by making it again.
/// docs/passes/liveness.md defines both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/module.h"
#include "passes/liveness/measured_memory.h"
#include "passes/manager/analysis.h"
#include "support/compressed_rows.h"

namespace amdahlc {

/// A value that some kernel of the schedule reads or writes; of a program a storage that some kernel uses.
struct Tensor {
  /// The value that names it: not a view of it; of a storage the first value in it that a kernel uses.
  ir::ValueId value;
  /// A constant of the model, or a storage that is there before the program and after it: it lives always.
  bool isGlobal = false;
  /// No kernel makes it: it is there before.
  bool isBefore = false;
  /// nullopt where a dimension is not known.
  std::optional<int64_t> bytes;
  /// The first kernel that reads or writes it; of a storage that is there before the program the first kernel of all.
  SchedulePosition birth = 0;
  /// The last kernel that reads it, plus one; nullopt if none does.
  std::optional<SchedulePosition> death;
  /// Until here, excluded, it takes memory: to its death, at least while kernels write it, and to the end if the model
  /// returns it, or if the storage is there after the program.
  SchedulePosition liveEnd = 0;
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

struct TensorUse {
  SchedulePosition position = 0;
  bool reads = false, writes = false;
  friend bool operator==(const TensorUse&, const TensorUse&) = default;
};

/// Kernels between two uses of a tensor.
struct InactivePeriod {
  /// One behind the earlier use, and the later one. Around the end of the iteration `to` is below `from`, or equal.
  SchedulePosition from = 0, to = 0;
  /// Of the kernels between, in the reported iterations.
  int64_t totalNs = 0;
  friend bool operator==(const InactivePeriod&, const InactivePeriod&) = default;
};

struct Liveness {
  /// Whether the schedule is that of a run. Otherwise it has the kernels of the default cover by their ids, and there
  /// are no times.
  bool isMeasured = false;
  /// Kernels by position, and their times in the reported iterations.
  std::vector<ir::KernelId> kernels;
  std::vector<int64_t> totalNs;
  IdVector<TensorId, Tensor> tensors;
  /// By position: tensors that the kernel reads and writes, each once, in the order of the operands.
  CompressedRows<SchedulePosition, TensorId> inputs, outputs;
  /// Ascending by position.
  CompressedRows<TensorId, TensorUse> uses;
  CompressedRows<TensorId, InactivePeriod> periods;
  /// By position, of all tensors of known size; at most the largest 64-bit integer.
  std::vector<int64_t> liveBytes;
  int64_t globalBytes = 0;
  /// The first position with the most live bytes; nullopt without kernels.
  std::optional<SchedulePosition> peak;
  /// Tensors of unknown size, which `liveBytes` leaves out.
  int64_t unknownSizes = 0;

  int64_t peakBytes() const { return peak ? liveBytes[*peak] : 0; }
  bool isLive(TensorId tensor, SchedulePosition position) const {
    const Tensor& at = tensors[tensor];
    return at.isGlobal || (at.birth <= position && position < at.liveEnd);
  }
  /// What is live at the peak, without globals; largest first, of equal ones the lower number.
  std::vector<TensorId> localsAtPeak() const;
  friend bool operator==(const Liveness&, const Liveness&) = default;
};

/// An inactive period of a tensor of known size.
struct Candidate {
  TensorId tensor;
  InactivePeriod period;
  /// What it costs: two transfers, per iteration, in nanoseconds rounded up; or the time of the kernels that make the
  /// tensor, in the reported iterations.
  int64_t costNs = 0;
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// Periods that are longer than it takes to move the tensor out and back. Those with the most bytes times time come
/// first; of equal ones the lower tensor and the earlier period. `iterations` are the reported ones of the run.
std::vector<Candidate> offloadCandidates(const Liveness& liveness, int64_t iterations, int64_t bytesPerS);

/// Periods of local tensors at the end of which everything is still live that the kernels which wrote the tensor had
/// read. In the same order. The kernels may cost more than the period lasts: memory is what they would save.
std::vector<Candidate> recomputeCandidates(const Liveness& liveness);

/// Bytes times seconds per iteration.
double byteSeconds(const Liveness& liveness, const Candidate& candidate, int64_t iterations);

/// Linear in the operators, values and uses of the module, but for the order of the schedule and of the candidates. The
/// pass `liveness` shows it.
struct LivenessAnalysis {
  static constexpr const char* kName = "liveness";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound, ir::Facet::Timed};
  struct Options {
    /// Of the way to the memory that tensors are moved to. The default is what PCI Express 3.0 x16 carries in practice
    /// of its 15.75 GB/s: the slowest way from a GPU to the memory of its host that is common, so that what is worth
    /// moving here is worth it on any other.
    int64_t offloadBytesPerS = 12'000'000'000;
    friend bool operator==(const Options&, const Options&) = default;
  };
  LivenessAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

  Liveness liveness;
  /// Beside it, what the allocator recorded.
  Known<MeasuredMemory> measured;
  /// As in the options.
  int64_t bytesPerS;
  /// Of the run; 1 without one.
  int64_t iterations;
  /// Empty without times.
  std::vector<Candidate> offload, recompute;

  friend bool operator==(const LivenessAnalysis&, const LivenessAnalysis&) = default;
};

/// The name of a value in its model; of a value in a body, behind the operator and the branch: `loop/body/x`.
std::string tensorName(const ir::Module& module, ir::ValueId value);

}  // namespace amdahlc
