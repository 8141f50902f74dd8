/// Runs for the tests of predictions: a module with a timed cover, and a schedule if its events have launches.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernel_graphs.h"
#include "passes/schedule/schedule_analysis.h"
#include "passes/speedup_rewrite/scenario_predictions.h"
#include "passes/timing/timing_analysis.h"
#include "tests/unit/replay/schedule/simulator.h"

namespace amdahlc::testing {

/// Gives the cover its times, as the pass `timing` does.
inline void setTimes(ir::Module& module) {
  module.covers[0].facets.set(TimingAnalysis(module, ir::CoverId{0}).times());
}

/// A simulated run of a chain of kernels, bound by their names: kernel i has all events of the i-th name.
struct SimulatedModule {
  ir::Module module;

  SimulatedModule(const std::vector<std::string>& names, const std::vector<Step>& program,
                  const Machine& machine = {}) {
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    for (uint32_t i = 1; i < names.size(); ++i) edges.emplace_back(i - 1, i);
    module = boundModule(std::vector<int64_t>(names.size(), 0), edges);
    Timeline timeline = simulate(program, machine).timeline;
    timeline.label = "run";
    module.timelines[0] = std::move(timeline);
    const Timeline& run = module.timelines[0];
    for (uint32_t i = 0; i < names.size(); ++i) {
      module.ops[ir::OpId(i)].type = module.strings.intern(names[i]);
      ir::KernelBinding& binding = bindingOf(module, ir::KernelId(i));
      binding.state = ir::KernelState::Bound;
      for (EventIndex event = 0; event < run.size(); ++event)
        if (run.text(run.name[event]) == names[i]) binding.events.push_back({event, 1, 1000});
    }
    setTimes(module);
  }

  ir::Cover& cover() { return module.covers[0]; }
};

/// The run of a module with its predictor. It is replayed if that is wanted.
struct RunToPredict {
  AnalysisManager analyses;
  const PredictedRun run;
  const RunPredictor& predictor;

  explicit RunToPredict(const ir::Module& module, bool isReplayed = false)
      : analyses(module),
        run([&] {
          if (isReplayed) analyses.request<ScheduleAnalysis>();
          return predictedRun(module, ir::CoverId{0}, analyses);
        }()),
        predictor(analyses.get<RunPredictor>(ir::CoverId{0})) {}
};

}  // namespace amdahlc::testing
