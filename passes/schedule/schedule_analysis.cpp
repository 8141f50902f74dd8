#include "passes/schedule/schedule_analysis.h"

#include "replay/schedule/replay.h"

namespace amdahlc {

RunModelAnalysis::RunModelAnalysis(const ir::Module& module, ir::CoverId cover) {
  const Timeline* timeline = module.findTimeline(module.cover(cover).traceLabel);
  why_ = timeline == nullptr ? schedule::NoSchedule::NoHostEvents : schedule::whyNoSchedule(*timeline);
  if (why_ == schedule::NoSchedule::None) model_ = std::make_unique<const schedule::RunModel>(*timeline);
}

bool operator==(const RunModelAnalysis& a, const RunModelAnalysis& b) {
  if (a.why_ != b.why_) return false;
  if (a.model_ == nullptr) return true;
  for (const bool keeps : {false, true}) {
    const schedule::ReplayOptions options{.keepsUnexplainedWaits = keeps};
    if (schedule::replay(*a.model_, {}, options).startNs != schedule::replay(*b.model_, {}, options).startNs)
      return false;
  }
  return true;
}

ScheduleAnalysis::ScheduleAnalysis(const ir::Module&, ir::CoverId cover, AnalysisManager& analyses) {
  const auto& analysis = analyses.get<RunModelAnalysis>(cover);
  if (analysis.model() != nullptr) run = schedule::runSchedule(*analysis.model());
  run.why = analysis.why();
}

}  // namespace amdahlc
