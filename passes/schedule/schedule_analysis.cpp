#include "passes/schedule/schedule_analysis.h"

#include "replay/schedule/replay.h"

namespace amdahlc {

RunModelAnalysis::RunModelAnalysis(const ir::Module& module, ir::CoverId cover)
    : model_([&]() -> Known<std::unique_ptr<const schedule::RunModel>> {
        const Timeline& timeline = *module.findTimeline(module.cover(cover).traceLabel);
        if (auto absence = schedule::absenceOfSchedule(timeline)) return *std::move(absence);
        return std::make_unique<const schedule::RunModel>(timeline);
      }()) {}

bool operator==(const RunModelAnalysis& a, const RunModelAnalysis& b) {
  if (a.absence() != b.absence()) return false;
  if (!a.model_) return true;
  for (const bool keeps : {false, true}) {
    const schedule::ReplayOptions options{.keepsUnexplainedWaits = keeps};
    if (schedule::replay(*a.model(), {}, options).startNs != schedule::replay(*b.model(), {}, options).startNs)
      return false;
  }
  return true;
}

ScheduleAnalysis::ScheduleAnalysis(const ir::Module&, ir::CoverId cover, AnalysisManager& analyses)
    : run([&]() -> Known<schedule::RunSchedule> {
        const auto& analysis = analyses.get<RunModelAnalysis>(cover);
        if (auto absence = analysis.absence()) return *std::move(absence);
        return schedule::runSchedule(*analysis.model());
      }()) {}

}  // namespace amdahlc
