// Before: a run has device events and the calls that launched them.
// After: its idle time has causes, and its wall time a path.
//
//   call      [==launch A==]      [==launch B==][=====synchronize=====]
//   device          [====A====]          .........[========B========]
//                             |idle: host|launch   |
//
// The pass predicts nothing about changed kernels: `speedup-rewrite` does, with the same model of the run. Runs without
// host events get no schedule, and the reason.

#include <fmt/format.h>

#include <cstdint>
#include <memory>

#include "passes/manager/showing_pass.h"
#include "passes/schedule/schedule_analysis.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

using schedule::CallWait;
using schedule::Release;

std::string describeRelease(const schedule::RunModel& model, EventIndex event) {
  const Release& release = model.releases[event];
  const int64_t delayNs = model.calls.timeline().startNs[event] - release.momentNs;
  std::string text;
  switch (release.kind) {
    case Release::Kind::None:
      text = "nothing in the trace";
      break;
    case Release::Kind::Launch:
      text = fmt::format("its launch, {} ns after it", delayNs);
      break;
    case Release::Kind::InsideLaunch:
      text = fmt::format("its call, {} ns after it began", delayNs);
      break;
    case Release::Kind::Stream:
      text = fmt::format("event {}, {} ns after it in its stream", release.event, delayNs);
      break;
    case Release::Kind::Source:
      text = fmt::format("event {}, {} ns after it in another stream", release.event, delayNs);
      break;
  }
  if (release.isCarriedIn) text += "; carried in";
  if (release.unexplainedNs > 0) text += fmt::format("; {} ns unexplained", release.unexplainedNs);
  return text;
}

std::string describeWait(const CallWait& wait) {
  const char* const what = wait.kind == CallWait::Kind::Queue ? "start" : "end";
  return fmt::format("the {} of event {}, returned {} ns after it", what, wait.event, wait.returnNs);
}

std::string printRunModel(const ir::Module& module, ir::CoverId id, AnalysisManager& analyses) {
  const ir::Cover& cover = module.cover(id);
  const auto& analysis = analyses.get<RunModelAnalysis>(id);
  if (const auto absence = analysis.absence())
    return fmt::format("run model of cover `{}`: none, because {}\n", cover.name, describe(*absence));
  const schedule::RunModel& model = *analysis.model();
  const Timeline& timeline = model.calls.timeline();
  std::string text = fmt::format("run model of cover `{}`: streams {}, threads {}, calls {}\n", cover.name,
                                 model.calls.streams(), model.calls.threads(), model.calls.calls().size());
  for (const schedule::Constant& constant : model.constants.all())
    text += fmt::format("  {}{}: {} ns of {} values\n", schedule::name(constant.kind),
                        constant.name.empty() ? "" : fmt::format(" of `{}`", printable(constant.name)), constant.ns,
                        constant.samples);
  for (EventIndex event = 0; event < timeline.size(); ++event)
    text += fmt::format("  event {} `{}` was released by {}\n", event, printable(timeline.text(timeline.name[event])),
                        describeRelease(model, event));
  for (schedule::CallIndex call = 0; call < model.calls.calls().size(); ++call)
    if (const CallWait& wait = model.waits.of(call); wait.waited)
      text += fmt::format("  call {} `{}` waited for {}\n", call,
                          printable(model.calls.name(model.calls.calls()[call])), describeWait(wait));
  for (schedule::ThreadIndex thread = 0; thread < model.calls.threads(); ++thread)
    for (const schedule::HandOver& handOver : model.handOvers.of(thread))
      text += fmt::format("  thread {} resumed {} ns after thread {} came to rest\n", thread,
                          handOver.resumesNs - handOver.restsNs, handOver.from);
  return text;
}

}  // namespace

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
