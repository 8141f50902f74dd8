#include "passes/speedup_rewrite/report_what_if.h"

#include <algorithm>

#include "ir/facets/scenarios.h"
#include "ir/facets/timed.h"
#include "passes/manager/json_fields.h"
#include "passes/manager/ratios.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

using Json = nlohmann::ordered_json;

/// A prediction per iteration, with the measured times.
struct WhatIf {
  const ir::Prediction& prediction;
  const IdVector<ir::KernelId, ir::KernelTime>& times;
  double iterations, busyNs, pathNs;
  std::optional<double> wallNs, speedup, speedupWall, pathRatio;

  WhatIf(const ReportRun& run, const ir::Prediction& predicted)
      : prediction(predicted),
        times(run.cover->facets.get<ir::TimedFacet>()->kernels),
        iterations(static_cast<double>(std::max<int64_t>(run.iterations, 1))),
        busyNs(predicted.busyNs / iterations),
        pathNs(predicted.pathNs / iterations),
        speedup(quotient(static_cast<double>(run.busyNs), predicted.busyNs)),
        pathRatio(quotient(predicted.pathNs, predicted.busyNs)) {
    if (!predicted.wallNs || !run.wallNs) return;
    wallNs = *predicted.wallNs / iterations;
    speedupWall = quotient(static_cast<double>(*run.wallNs), *predicted.wallNs);
  }
};

struct ChangedKernel {
  ir::KernelId id;
  const Rational& factor;
  double durationNs;
};

JsonFields<WhatIf> whatIfFields() {
  JsonFields<ChangedKernel> kernel{
      jsonField<ChangedKernel>("id", schema::count(), "", [](auto& row) { return Json(row.id); }),
      jsonField<ChangedKernel>("factor", schema::text(), "new / old time, a fraction",
                               [](auto& row) { return row.factor.toString(); }),
      jsonField<ChangedKernel>("duration_ns", schema::quantity(), "predicted, per iteration",
                               [](auto& row) { return nanoseconds(row.durationNs); }),
  };
  return {
      jsonField<WhatIf>("name", schema::text(), "of the scenario", [](auto& row) { return row.prediction.scenario; }),
      jsonField<WhatIf>("wall_model", schema::orNull(schema::oneOf({"idle-constant"})), "idle time stays",
                        [](auto& row) { return row.wallNs ? Json("idle-constant") : Json(nullptr); }),
      jsonField<WhatIf>("busy_ns", schema::quantity(), "predicted, per iteration",
                        [](auto& row) { return nanoseconds(row.busyNs); }),
      jsonField<WhatIf>("wall_ns", schema::orNull(schema::quantity()), "predicted, per iteration",
                        [](auto& row) { return row.wallNs ? nanoseconds(*row.wallNs) : Json(nullptr); }),
      jsonField<WhatIf>("speedup", schema::orNull(schema::quantity()), "measured over predicted busy; null: infinite",
                        [](auto& row) { return orNull(row.speedup); }),
      jsonField<WhatIf>("speedup_wall", schema::orNull(schema::quantity()),
                        "measured over predicted wall; null: infinite, or wall is unknown",
                        [](auto& row) { return orNull(row.speedupWall); }),
      jsonArray<WhatIf>("kernels", "those with a new time", std::move(kernel),
                        [](const WhatIf& row) {
                          std::vector<ChangedKernel> rows;
                          for (const auto& [id, factor] : row.prediction.factors)
                            rows.push_back(
                                {id, factor,
                                 static_cast<double>(row.times[id].totalNs) * factor.toDouble() / row.iterations});
                          return rows;
                        }),
      jsonObject<WhatIf>(
          "critical_path", "with the new times",
          {jsonField<WhatIf>("duration_ns", schema::quantity(), "", [](auto& row) { return nanoseconds(row.pathNs); }),
           jsonField<WhatIf>("ratio", schema::orNull(schema::quantity()), "of the predicted busy time",
                             [](auto& row) { return orNull(row.pathRatio); }),
           jsonField<WhatIf>("kernels", schema::arrayOf(schema::count()), "ids from the start",
                             [](auto& row) { return Json(row.prediction.path); })}),
  };
}

JsonFields<ReportRun> runFields() {
  return {jsonArrayOrNull<ReportRun>("what_if", "predictions; null without speed-ups", whatIfFields(),
                                     [](const ReportRun& run) -> std::optional<std::vector<WhatIf>> {
                                       const auto* facts = run.cover->facets.get<ir::ScenariosFacet>();
                                       if (facts == nullptr || facts->predictions.empty()) return std::nullopt;
                                       std::vector<WhatIf> rows;
                                       for (const ir::Prediction& prediction : facts->predictions)
                                         rows.emplace_back(run, prediction);
                                       return rows;
                                     })};
}

/// The factor is unknown for a run that took no time.
std::string factor(int64_t measuredNs, const std::optional<double>& speedup) {
  return measuredNs == 0 ? "-" : times(speedup);
}

/// Nanoseconds with fractions as microseconds, three decimals.
std::string microseconds(double ns) { return fmt::format("{:.3f}", ns / 1000); }

/// One line per scenario, always of this form, so that it can be found with grep.
std::string details(const ReportRun& run) {
  const auto* facts = run.cover->facets.get<ir::ScenariosFacet>();
  if (facts == nullptr) return {};
  std::string text;
  for (const ir::Prediction& prediction : facts->predictions) {
    const WhatIf row(run, prediction);
    const std::string wall =
        row.wallNs ? fmt::format("wall {} -> {} us ({}, idle kept)", formatUs(run.perIteration(*run.wallNs)),
                                 microseconds(*row.wallNs), factor(*run.wallNs, row.speedupWall))
                   : "wall unknown";
    text +=
        fmt::format("what-if `{}`: busy {} -> {} us ({}), {}, path {} us, {} changed\n", printable(prediction.scenario),
                    formatUs(run.perIteration(run.busyNs)), microseconds(row.busyNs), factor(run.busyNs, row.speedup),
                    wall, microseconds(row.pathNs), plural(prediction.factors.size(), "kernel"));
  }
  return text;
}

}  // namespace

ReportSection whatIfSection() { return {.runFields = runFields, .details = details}; }

}  // namespace amdahlc
