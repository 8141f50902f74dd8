// Before: a run has times, a schedule and roofs.    After: it has a list of changes, the best first.
//
//   wall 7560 us                                     1. cuda-graph       saves 6151 us, then wall 1409 us
//                                                    2. linear, 3.1x     saves   20 us, then wall 1190 us
//
// Each change is predicted alone, and on top of those before it: where a host limits a run, faster kernels save nothing
// until its launches are gone. What a kernel could reach is known of described devices only.

#include <memory>

#include "passes/advise/advice_analysis.h"
#include "passes/manager/showing_pass.h"

namespace amdahlc {

class AdvisePass : public ShowingPass<AdviceAnalysis> {
 public:
  AdvisePass() {
    runsByDefault();
    needsInput(PassInput::Trace);
    requiresFacet(ir::Facet::Timed);
    usesIfBefore("schedule");
    usesIfBefore("roofline");
  }

 private:
  void tell(const ir::Module&, ir::CoverId, const AdviceAnalysis& facts, PassContext&) override {
    candidates_ += static_cast<int64_t>(facts.tried);
  }

  int64_t& candidates_ = statistic("candidates", "changes that were predicted, over all runs");
};

std::unique_ptr<Pass> makeAdvisePass() { return std::make_unique<AdvisePass>(); }

}  // namespace amdahlc
