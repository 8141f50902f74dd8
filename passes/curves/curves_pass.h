/// The pass `curves`: the times of a run against the speed-up of one group, and what limits it then.
#pragma once

#include <string>
#include <vector>

#include "passes/manager/pass.h"

namespace amdahlc {

class CurvesPass : public Pass {
 public:
  CurvesPass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  std::vector<std::string> selectors_;
  int64_t& curves_;
  int64_t& predictions_;
};

}  // namespace amdahlc
