/// The pass `simplify`: removes operators that no device executes, so that the remaining ones can be matched and timed.
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
  /// Refines types of values that replace others. True if one became more precise.
  bool refineTypes(ir::Module& module, const simplify::SimplifyPlan& plan) const;
  bool removeOperators(ir::Module& module, const simplify::SimplifyPlan& plan);
  void reconnect(ir::Module& module, const simplify::SimplifyPlan& plan) const;
  void explain(const ir::Module& module, const simplify::SimplifyPlan& plan, PassContext& context) const;

  /// By reason; null for `Kept`.
  std::array<int64_t*, simplify::kReasonCount> removed_{};
  int64_t& absorbed_;
  int64_t& folded_;
};

}  // namespace amdahlc
