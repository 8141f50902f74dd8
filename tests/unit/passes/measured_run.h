/// Runs for the tests of predictions: a module with a timed cover, and a schedule if its events have launches.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernel_graphs.h"
#include "passes/speedup_rewrite/scenario_resolution.h"
#include "passes/timing/timing_analysis.h"
#include "replay/schedule/run_model.h"
#include "replay/schedule/run_schedule.h"
#include "tests/unit/replay/schedule/simulator.h"

namespace amdahlc::testing {

/// Gives the cover its times, as the pass `timing` does.
inline void setTimes(ir::Module& module) {
  module.covers[0].facets.set(TimingAnalysis(module, ir::CoverId{0}).times());
}

/// A simulated run of a chain of kernels, bound by their names: kernel i has all events of the i-th name.
struct SimulatedModule {
  ir::Module module;
  std::unique_ptr<schedule::RunModel> model;
  schedule::RunSchedule schedule;

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
    model = std::make_unique<schedule::RunModel>(run);
    schedule = schedule::runSchedule(*model);
  }

  ir::Cover& cover() { return module.covers[0]; }
};

/// A run of a module as predictions take it, to be replayed if it is simulated.
struct RunToPredict {
  KernelNames names;
  PredictedRun run;

  RunToPredict(const ir::Module& module, const ir::KernelGraph& graph, const SimulatedModule* replayed = nullptr)
      : names(module, ir::CoverId{0}), run{ir::CoverId{0}, names, graph} {
    if (replayed == nullptr) return;
    run.model = replayed->model.get();
    run.schedule = &replayed->schedule;
  }
};

}  // namespace amdahlc::testing
