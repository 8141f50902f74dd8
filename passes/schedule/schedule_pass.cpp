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
namespace {

constexpr std::string_view kReplay = "replay", kHta = "hta";
constexpr int64_t kMostInstances = 1'000'000'000;

schedule::HtaScope extentOf(const Timeline& timeline, size_t iteration) {
  schedule::HtaScope scope;
  if (iteration < timeline.iterations.size() && timeline.iterations[iteration].startNs)
    scope.extent = {*timeline.iterations[iteration].startNs, *timeline.iterations[iteration].endNs};
  return scope;
}

}  // namespace

SchedulePass::SchedulePass()
    : runs_(statistic("runs", "runs whose schedule is known")),
      carriedIn_(statistic("carried-in", "events that were launched before the recording")) {
  runsByDefault();
  string("path-model",
         "what the path of the run is: `replay`, whose pieces sum to wall, or `hta`, as HolisticTraceAnalysis "
         "defines it",
         pathModel_, {std::string(kReplay), std::string(kHta)});
  string("path-annotation", "with `path-model=hta`: the path is that of the annotation whose name contains this text",
         pathAnnotation_);
  integer("path-instance", "which of several such annotations, from 0, in the order of the trace", pathInstance_, 0,
          kMostInstances);
  addsCommandOption({.name = "path-model",
                     .argument = "model",
                     .help =
                         "what the critical path of the run is: `replay` (default), whose pieces sum to wall time, or "
                         "`hta`, which is the path of HolisticTraceAnalysis, in one iteration",
                     .once = true,
                     .sets = "path-model"});
  addsCommandOption({.name = "path-annotation",
                     .argument = "text",
                     .help =
                         "with `-path-model=hta`: the path is that of the annotation whose name contains this text, "
                         "instead of that of an iteration",
                     .once = true,
                     .sets = "path-annotation"});
  addsCommandOption({.name = "path-instance",
                     .argument = "k",
                     .help = "with `-path-annotation`: which of several such annotations, from 0 (default), in the "
                             "order of the trace",
                     .once = true,
                     .sets = "path-instance"});
  needsInput(PassInput::Trace);
  needsInput(PassInput::HostEvents);
  printsAnalysis({RunModelAnalysis::kName, "what each device event waited for, and what each call", ir::Facet::Bound,
                  printRunModel});
  reports(scheduleSection());
  requiresFacet(ir::Facet::Bound);
  establishesFacet(ir::Facet::Schedule);
}

PassResult SchedulePass::run(ir::Module& module, PassContext& context) {
  for (const char* const option : {"path-annotation", "path-instance"})
    if (const auto place = findOption(option)->place; place && pathModel_ != kHta) {
      context.diagnostics.error(DiagId::OptionConflict, *place,
                                "an annotation chooses the path of `hta` only; add `-path-model=hta`");
      return PassResult::failed();
    }
  bool changed = !module.has(ir::Facet::Schedule);
  for (const ir::CoverId id : module.coverIds()) {
    ir::Cover& cover = module.cover(id);
    if (cover.traceLabel.empty()) continue;
    ScheduleFacet facts;
    const auto& analysis = context.analyses.get<RunModelAnalysis>(id);
    if (analysis.model() != nullptr) {
      facts.run = schedule::runSchedule(*analysis.model());
      if (pathModel_ == kHta) {
        const Timeline& timeline = analysis.model()->calls.timeline();
        facts.htaScope = pathAnnotation_.empty()
                             ? extentOf(timeline, facts.run.representative)
                             : schedule::HtaScope{pathAnnotation_, static_cast<size_t>(pathInstance_)};
        facts.hta = schedule::htaPath(timeline, facts.htaScope);
      }
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
