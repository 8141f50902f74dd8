/// What is known of the schedule of a run, as analyses: the model of its calls, and what follows from that.
#pragma once

#include <memory>

#include "ir/module.h"
#include "passes/manager/analysis.h"
#include "replay/schedule/one_thread.h"
#include "replay/schedule/run_model.h"
#include "replay/schedule/run_schedule.h"

namespace amdahlc {

/// What its calls do, and what waits for what.
class RunModelAnalysis {
 public:
  static constexpr const char* kName = "run-model";
  /// The events of a run do not change; `trace-bind` may add runs.
  static constexpr ir::FacetSet kReads{ir::Facet::Bound};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Bound};

  RunModelAnalysis(const ir::Module& module, ir::CoverId cover);

  /// Why there is no model.
  std::optional<Absence> absence() const { return model_.absence(); }
  /// Null if there is none.
  const schedule::RunModel* model() const { return model_ ? model_->get() : nullptr; }

  /// Whether both replay the unchanged run alike, with and without unexplained waits.
  friend bool operator==(const RunModelAnalysis& a, const RunModelAnalysis& b);

 private:
  Known<std::unique_ptr<const schedule::RunModel>> model_;
};

/// What is between the operators of a run of which one thread does all.
struct OneThreadAnalysis {
  static constexpr const char* kName = "one-thread";
  static constexpr ir::FacetSet kReads = RunModelAnalysis::kReads;
  static constexpr ir::FacetSet kNeeds = RunModelAnalysis::kNeeds;
  OneThreadAnalysis(const ir::Module& module, ir::CoverId cover)
      : thread(schedule::OneThread::of(*module.findTimeline(module.cover(cover).traceLabel))) {}

  /// nullopt for another run.
  std::optional<schedule::OneThread> thread;
  friend bool operator==(const OneThreadAnalysis&, const OneThreadAnalysis&) = default;
};

/// Causes of idle time, the critical path of the run, and the replay of the unchanged run. The pass `schedule` shows
/// it.
struct ScheduleAnalysis {
  static constexpr const char* kName = "schedule";
  static constexpr ir::FacetSet kReads = RunModelAnalysis::kReads;
  static constexpr ir::FacetSet kNeeds = RunModelAnalysis::kNeeds;
  ScheduleAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

  Known<schedule::RunSchedule> run;
  friend bool operator==(const ScheduleAnalysis&, const ScheduleAnalysis&) = default;
};

}  // namespace amdahlc
