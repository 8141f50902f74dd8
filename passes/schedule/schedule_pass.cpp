// Before: a run has device events and the calls that launched them.
// After: its idle time has causes, and its wall time a path.
//
//   call      [==launch A==]      [==launch B==][=====synchronize=====]
//   device          [====A====]          .........[========B========]
//                             |idle: host|launch   |
//
// The pass predicts nothing about changed kernels: `speedup-rewrite` does, with the same model of the run. Runs without
// host events get no schedule, and the reason.

#include "passes/schedule/schedule_pass.h"

#include <fmt/format.h>

#include "passes/schedule/print_run_model.h"
#include "passes/schedule/report_schedule.h"
#include "passes/schedule/run_model_analysis.h"
#include "passes/schedule/schedule_facet.h"

namespace amdahlc {

SchedulePass::SchedulePass()
    : runs_(statistic("runs", "runs whose schedule is known")),
      carriedIn_(statistic("carried-in", "events that were launched before the recording")) {
  runsByDefault();
  needsInput(PassInput::Trace);
  needsInput(PassInput::HostEvents);
  printsAnalysis({RunModelAnalysis::kName, "what each device event waited for, and what each call", ir::Facet::Bound,
                  printRunModel});
  reports(scheduleSection());
  requiresFacet(ir::Facet::Bound);
  establishesFacet(ir::Facet::Schedule);
}

PassResult SchedulePass::run(ir::Module& module, PassContext& context) {
  bool changed = !module.has(ir::Facet::Schedule);
  for (const ir::CoverId id : module.coverIds()) {
    ir::Cover& cover = module.cover(id);
    if (cover.traceLabel.empty()) continue;
    ScheduleFacet facts;
    const auto& analysis = context.analyses.get<RunModelAnalysis>(id);
    if (analysis.model() != nullptr) {
      facts.run = schedule::runSchedule(*analysis.model());
      ++runs_;
      carriedIn_ += facts.run.carriedIn;
    }
    facts.run.why = analysis.why();
    changed |= cover.facets.replace(std::move(facts));
  }
  module.establish(ir::Facet::Schedule);
  return changed ? PassResult::changed() : PassResult::unchanged();
}

}  // namespace amdahlc
