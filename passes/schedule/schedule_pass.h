/// The pass `schedule`: what the run's time went to, on the host and on the device, and what would shorten it.
#pragma once

#include <cstdint>

#include "passes/manager/pass.h"

namespace amdahlc {

class SchedulePass : public Pass {
 public:
  SchedulePass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  int64_t& runs_;
  int64_t& carriedIn_;
};

}  // namespace amdahlc
