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
  SchedulePass();

 private:
  void tell(const ir::Module& module, ir::CoverId id, const ScheduleAnalysis& facts, PassContext& context) override;

  int64_t& runs_;
  int64_t& carriedIn_;
};

SchedulePass::SchedulePass()
    : runs_(statistic("runs", "runs whose schedule is known")),
      carriedIn_(statistic("carried-in", "events that were launched before the recording")) {
  runsByDefault();
  needsInput(PassInput::Trace);
  needsInput(PassInput::HostEvents);
  printsAnalysis({RunModelAnalysis::kName, "what each device event waited for, and what each call", ir::Facet::Bound,
                  printRunModel, coversOfRuns});
  requiresFacet(ir::Facet::Bound);
}

void SchedulePass::tell(const ir::Module&, ir::CoverId, const ScheduleAnalysis& facts, PassContext&) {
  if (!facts.run) return;
  ++runs_;
  carriedIn_ += facts.run->carriedIn;
}

std::unique_ptr<Pass> makeSchedulePass() { return std::make_unique<SchedulePass>(); }

}  // namespace amdahlc
