// Before: a run has device events and the calls that launched them.
// After: its idle time has causes, and its wall time a path.
//
//   call      [==launch A==]      [==launch B==][=====synchronize=====]
//   device          [====A====]          .........[========B========]
//                             |idle: host|launch   |
//
// The pass predicts nothing about changed kernels: `speedup-rewrite` does, with the same model of the run. Runs without
// host events get no schedule, and the reason.

#include <cstdint>
#include <memory>

#include "passes/manager/showing_pass.h"
#include "passes/schedule/schedule_analysis.h"

namespace amdahlc {

class SchedulePass : public ShowingPass<ScheduleAnalysis> {
 public:
  SchedulePass() {
    runsByDefault();
    needsInput(PassInput::Trace);
    needsInput(PassInput::HostEvents);
    printsAnalysis({RunModelAnalysis::kName, "what each device event waited for, and what each call", ir::Facet::Bound,
                    printRunModel, coversOfRuns});
    requiresFacet(ir::Facet::Bound);
  }

 private:
  void tell(const ir::Module&, ir::CoverId, const ScheduleAnalysis& facts, PassContext&) override {
    if (!facts.run) return;
    ++runs_;
    carriedIn_ += facts.run->carriedIn;
  }

  int64_t& runs_ = statistic("runs", "runs whose schedule is known");
  int64_t& carriedIn_ = statistic("carried-in", "events that were launched before the recording");
};

std::unique_ptr<Pass> makeSchedulePass() { return std::make_unique<SchedulePass>(); }

}  // namespace amdahlc
