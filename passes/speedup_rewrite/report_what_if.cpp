#include "passes/speedup_rewrite/report_what_if.h"

#include <algorithm>

#include "ir/facets/scenarios.h"
#include "ir/facets/timed.h"
#include "passes/manager/json_stream.h"
#include "passes/manager/ratios.h"
#include "passes/manager/report_values.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

using Json = nlohmann::ordered_json;

/// A prediction per iteration, with the measured times.
struct WhatIf {
  const ir::Prediction& prediction;
  double iterations, busyNs, pathNs;
  std::optional<double> wallNs, speedup, speedupWall, pathRatio;

  WhatIf(const ReportRun& run, const ir::Prediction& predicted)
      : prediction(predicted),
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

void writeJson(const ReportRun& run, JsonStream& out) {
  const auto* facts = run.cover->facets.get<ir::ScenariosFacet>();
  if (facts == nullptr || facts->predictions.empty()) {
    out.member("what_if", nullptr);
    return;
  }
  const auto& times = run.cover->facets.get<ir::TimedFacet>()->kernels;
  out.array("what_if", facts->predictions, [&](const ir::Prediction& prediction) -> Json {
    const WhatIf row(run, prediction);
    Json kernels = Json::array();
    for (const auto& [kernel, factor] : prediction.factors)
      kernels.push_back({{"id", kernel},
                         {"factor", factor.toString()},
                         {"duration_ns", nanoseconds(static_cast<double>(times[kernel].totalNs) * factor.toDouble() /
                                                     row.iterations)}});
    return {
        {"name", prediction.scenario},
        {"wall_model", row.wallNs ? Json("idle-constant") : Json(nullptr)},
        {"busy_ns", nanoseconds(row.busyNs)},
        {"wall_ns", row.wallNs ? nanoseconds(*row.wallNs) : Json(nullptr)},
        {"speedup", orNull(row.speedup)},
        {"speedup_wall", orNull(row.speedupWall)},
        {"kernels", std::move(kernels)},
        {"critical_path",
         {{"duration_ns", nanoseconds(row.pathNs)}, {"ratio", orNull(row.pathRatio)}, {"kernels", prediction.path}}}};
  });
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

ReportSection whatIfSection() { return {.json = writeJson, .details = details}; }

}  // namespace amdahlc
