/// The pass `trace-bind`: one cover per trace, with its kernels bound to the trace's events.
#pragma once

#include "passes/manager/pass.h"
#include "passes/trace_bind/bind_timeline.h"

namespace amdahlc {

class TraceBindPass : public Pass {
 public:
  TraceBindPass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  int64_t thresholdPermille_ = binding::kDefaultThresholdPermille;
  std::vector<std::string> explain_;
  void remark(const ir::Module& module, const Timeline& timeline, const ir::Cover& cover,
              const binding::TimelineBinder& binder, PassContext& context) const;

  bool reportUnexplained(const ir::Module& module, const std::vector<bool>& explained, PassContext& context) const;
  void debug(const Timeline& timeline, const binding::TimelineBinder& binder, PassContext& context) const;

  int64_t& boundEvents_;
  int64_t& unboundEvents_;
  int64_t& boundKernels_;
  int64_t& missedKernels_;
  int64_t& alignedSegments_;
  int64_t& transferredSegments_;
  int64_t& cells_;
  int64_t& redecided_;
};

}  // namespace amdahlc
