/// The model of a run as an analysis: what its calls do, and what waits for what.
#pragma once

#include <memory>
#include <vector>

#include "ir/module.h"
#include "schedule/run_model.h"
#include "schedule/run_schedule.h"

namespace amdahlc {

class RunModelAnalysis {
 public:
  static constexpr const char* kName = "run-model";
  /// The events of a run do not change; `trace-bind` may add runs.
  static constexpr ir::FacetSet kReads{ir::Facet::Bound};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Bound};

  RunModelAnalysis(const ir::Module& module, ir::CoverId cover);

  /// Why there is no model.
  schedule::NoSchedule why() const { return why_; }
  /// Null if there is none.
  const schedule::RunModel* model() const { return model_.get(); }

  /// Whether both replay the unchanged run alike, with and without unexplained waits.
  friend bool operator==(const RunModelAnalysis& a, const RunModelAnalysis& b);

 private:
  schedule::NoSchedule why_ = schedule::NoSchedule::None;
  std::unique_ptr<const schedule::RunModel> model_;
};

}  // namespace amdahlc
