#include "passes/critical_path/report_critical_path.h"

#include "ir/facets/critical_path.h"
#include "passes/manager/json_stream.h"
#include "passes/manager/path_place.h"
#include "passes/manager/report_values.h"
#include "support/decimal_time.h"
#include "support/plural.h"

namespace amdahlc {
namespace {

using Json = nlohmann::ordered_json;

/// A kernel id, the name of a graph input, or null for the virtual entry.
Json branchEnd(const std::optional<ir::KernelId>& kernel, const std::string& input) {
  return kernel ? Json(*kernel) : nonEmpty(input);
}

void writeJson(const ReportRun& run, JsonStream& out) {
  const auto* facts = run.cover->facets.get<ir::CriticalPathFacet>();
  if (facts == nullptr) {
    out.member("branches", nullptr);
    out.member("critical_path", nullptr);
    return;
  }
  const auto perIteration = [&](const std::optional<int64_t>& ns) {
    return ns ? Json(run.perIteration(*ns)) : Json(nullptr);
  };
  const auto busyShare = [&](const std::optional<int64_t>& ns) {
    return ns ? Json(run.busyShare(*ns)) : Json(nullptr);
  };
  out.array("branches", facts->branches, [&](const ir::Branch& branch) -> Json {
    return {{"join", branch.join},
            {"from", branchEnd(branch.from, branch.fromInput)},
            {"via", branchEnd(branch.via, branch.viaInput)},
            {"kernels", branch.kernels},
            {"kernel_count", orNull(branch.kernelCount)},
            {"path_ns", run.perIteration(branch.pathNs)},
            {"sum_ns", perIteration(branch.sumNs)},
            {"path_ratio", run.busyShare(branch.pathNs)},
            {"sum_ratio", busyShare(branch.sumNs)}};
  });
  out.member("critical_path", {{"duration_ns", run.perIteration(facts->durationNs)},
                               {"ratio", run.busyShare(facts->durationNs)},
                               {"kernels", facts->path},
                               {"ties", facts->tiesAreExact() ? Json(facts->ties) : Json(nullptr)}});
}

void writeKernelJson(const ReportRun& run, ir::KernelId kernel, Json& json) {
  const auto place = pathPlace(run, kernel);
  json["critical"] = place ? Json(place->critical) : Json(nullptr);
  json["slack_ns"] = place ? Json(place->slackNs) : Json(nullptr);
}

std::string headline(const ReportRun& run) {
  const auto* facts = run.cover->facets.get<ir::CriticalPathFacet>();
  if (facts == nullptr) return {};
  const int64_t durationNs = run.perIteration(facts->durationNs);
  return fmt::format(
      "critical path: {} us, {} of busy, {}{}\n", formatUs(durationNs), percent(run.busyShare(facts->durationNs)),
      plural(facts->path.size(), "kernel"),
      facts->ties && durationNs > 0
          ? fmt::format(", {}{} tied", facts->tiesAreExact() ? "" : "at least ", plural(facts->ties, "other path"))
          : "");
}

}  // namespace

ReportSection criticalPathSection() {
  return {.json = writeJson, .kernelJson = writeKernelJson, .headline = headline, .after = "aggregates"};
}

}  // namespace amdahlc
