/// The pass `trace-bind`: one cover per trace, with its kernels bound to the trace's events.
#pragma once

#include "passes/manager/pass.h"

namespace amdahlc {

namespace binding {
class TimelineBinder;
}

class TraceBindPass : public Pass {
 public:
  TraceBindPass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  void remark(const ir::Module& module, const Timeline& timeline, const ir::Cover& cover,
              const binding::TimelineBinder& binder, PassContext& context) const;

  int64_t beamWidth_ = 32;
  int64_t& boundEvents_;
  int64_t& unboundEvents_;
  int64_t& boundKernels_;
  int64_t& missedKernels_;
  int64_t& searchedIterations_;
  int64_t& transferredIterations_;
  int64_t& expandedStates_;
  int64_t& matchedFrames_;
  int64_t& redecided_;
};

}  // namespace amdahlc
