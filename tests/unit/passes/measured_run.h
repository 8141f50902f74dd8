/// Runs for the tests of predictions: a module with a timed cover, and a schedule if its events have launches.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernel_graphs.h"
#include "passes/schedule/schedule_facet.h"
#include "passes/speedup_rewrite/scenario_resolution.h"
#include "passes/timing/timing_analysis.h"
#include "schedule/run_model.h"
#include "schedule/run_schedule.h"
#include "tests/unit/schedule/simulator.h"

namespace amdahlc::testing {

/// Gives the cover its times, as the pass `timing` does.
inline void setTimes(ir::Module& module) {
  const TimingAnalysis timing(module, ir::CoverId{0});
  ir::TimedFacet timed;
  timed.run = timing.run();
  timed.kernels = timing.kernels();
  module.covers[0].facets.set(std::move(timed));
}

/// The run of the cover, as predictions take it.
inline PredictedRun runOf(const ir::Module& module, const ir::KernelGraph& graph,
                          const schedule::RunModel* model = nullptr) {
  return {ir::CoverId{0}, KernelNames(module, module.covers[0]), graph, model};
}

/// A simulated run of a chain of kernels, bound by their names: kernel i has all events of the i-th name.
struct SimulatedModule {
  ir::Module module;
  std::unique_ptr<schedule::RunModel> model;

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
    ScheduleFacet facts;
    facts.run = schedule::runSchedule(*model);
    cover().facets.set(std::move(facts));
  }

  ir::Cover& cover() { return module.covers[0]; }
};

}  // namespace amdahlc::testing
