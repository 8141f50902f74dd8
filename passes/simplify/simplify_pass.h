/// The pass `simplify`: takes out what no device executes, so that what stays can be matched and timed.
#pragma once

#include <array>

#include "passes/manager/pass.h"
#include "passes/simplify/simplify_plan.h"

namespace amdahlc {

class SimplifyPass : public Pass {
 public:
  SimplifyPass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  void makeConstants(ir::Module& module, ir::OpId op, const simplify::SimplifyPlan& plan) const;
  /// Types of values that stand for others; true where one became more precise.
  bool refineTypes(ir::Module& module, const simplify::SimplifyPlan& plan) const;
  bool removeOperators(ir::Module& module, const simplify::SimplifyPlan& plan);
  void reconnect(ir::Module& module, const simplify::SimplifyPlan& plan) const;
  void explain(const ir::Module& module, const simplify::SimplifyPlan& plan, PassContext& context) const;

  /// By reason; none for Kept.
  std::array<int64_t*, simplify::kReasonCount> removed_{};
  int64_t& absorbed_;
  int64_t& folded_;
};

}  // namespace amdahlc
