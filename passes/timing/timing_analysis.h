/// Measured times of a cover: of the run, and of each kernel (definitions in docs/passes/timing.md).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ir/module.h"

namespace amdahlc {

/// The run and the kernels of one bound cover, per selected iteration and in total. Precondition: the cover's trace is in the module.
class TimingAnalysis {
 public:
  static constexpr const char* kName = "timing";
  TimingAnalysis(const ir::Module& module, const ir::Cover& cover);

  const ir::RunTimes& run() const { return run_; }
  const ir::KernelTime& kernel(ir::KernelId id) const { return kernels_[id]; }

 private:
  ir::RunTimes run_;
  std::vector<ir::KernelTime> kernels_;
};

/// Owner of an event that serves no kernel.
inline constexpr ir::KernelId kUnboundOwner = ir::kNone;

/// Selected events of one iteration of a cover's trace, with the kernel that each serves.
struct OwnedEvents {
  std::vector<EventIndex> events;    ///< in order of start
  std::vector<ir::KernelId> owners;  ///< parallel; kUnboundOwner for none
};

/// One entry per selected iteration, in order.
std::vector<OwnedEvents> ownedEvents(const Timeline& timeline, const ir::Cover& cover);

/// Cuts the busy time of one iteration into segments by the set of active events and calls `visit(lengthNs, owners)`; `owners` are the kernels of
/// the active events (repeats and kUnboundOwner possible).
void forEachBusySegment(const Timeline& timeline, const OwnedEvents& iteration,
                        const std::function<void(int64_t lengthNs, std::span<const ir::KernelId> owners)>& visit);

}  // namespace amdahlc
