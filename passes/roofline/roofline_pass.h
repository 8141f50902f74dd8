/// The pass `roofline`: the least time of each kernel on the device, and what bounds it.
#pragma once

#include <cstdint>
#include <string>

#include "passes/manager/pass.h"

namespace amdahlc {

class RooflinePass : public Pass {
 public:
  RooflinePass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  std::string float32_ = "tf32";
  int64_t& known_;
  int64_t& unknown_;
  int64_t& atRoof_;
  int64_t& fromCache_;
  int64_t& abovePeak_;
};

}  // namespace amdahlc
