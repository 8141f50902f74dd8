/// The pass `goal`: the smallest speed-ups of groups with which a run reaches a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "passes/manager/pass.h"

namespace amdahlc {

class GoalPass : public Pass {
 public:
  GoalPass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  std::optional<TimeGoal> target_;
  std::vector<std::string> selectors_;
  int64_t& solutions_;
  int64_t& predictions_;
};

}  // namespace amdahlc
