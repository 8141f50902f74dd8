#include "passes/speedup_rewrite/scenario_predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "ir/facets/bound.h"
#include "ir/facets/timed.h"
#include "passes/critical_path/longest_paths.h"
#include "passes/timing/timing_analysis.h"
#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc {

namespace {

/// Weights of a scenario are exact up to this common denominator. Factors with a larger one are rounded to it, by far
/// less than a nanosecond.
constexpr int64_t kLargestCommonDenominator = int64_t{1} << 40;

constexpr std::string_view kFusedWithoutRoof =
    "a fused kernel runs where its last part ran, for the time of its parts: without a description of the device, no "
    "traffic between them is saved";

constexpr std::string_view kWithoutWait =
    "the host does not need the results that it no longer waits for, or reads them later";

constexpr std::string_view kOnOneThread =
    "the trace has all threads: nothing else waits for what this one no longer does, and its other time between "
    "operators stays";

using KernelFactors = IdVector<ir::KernelId, Rational>;

int64_t commonDenominator(const KernelFactors& factors) {
  int64_t common = 1;
  for (const Rational& factor : factors) {
    const int64_t step = factor.denominator / std::gcd(common, factor.denominator);
    if (step > kLargestCommonDenominator / common) return kLargestCommonDenominator;
    common *= step;
  }
  return common;
}

/// Finds the critical path of the kernels with their new times.
void findPath(const ir::Module& module, const PredictedRun& run, const KernelFactors& factors, Prediction& prediction) {
  const ir::Cover& cover = module.cover(run.cover);
  const ir::TimedFacet& timed = *cover.facets.get<ir::TimedFacet>();
  // Weights are limited so that no path overflows for any new times.
  const auto limit =
      static_cast<long double>(PathWeight{1} << 125) / static_cast<long double>(cover.kernels.size() + 1);
  const auto newNs = [&](const ir::Kernel& kernel) {
    const Rational& factor = factors[kernel.id];
    return static_cast<long double>(timed.kernels[kernel.id].reportedNs) * factor.numerator / factor.denominator;
  };
  int64_t scale = commonDenominator(factors);
  for (const ir::Kernel& kernel : cover.kernels)
    if (newNs(kernel) * scale > limit) scale = 1;
  IdVector<ir::KernelId, PathWeight> weights;
  for (const ir::Kernel& kernel : cover.kernels) {
    const Rational& factor = factors[kernel.id];
    const bool fits = static_cast<long double>(timed.kernels[kernel.id].reportedNs) * factor.numerator * scale < limit;
    weights.push_back(fits ? static_cast<PathWeight>(timed.kernels[kernel.id].reportedNs) * factor.numerator * scale /
                                 factor.denominator
                           : static_cast<PathWeight>(std::min(newNs(kernel) * scale, limit)));
  }
  const LongestPaths path(module, cover, run.graph, weights);
  prediction.pathNs = static_cast<double>(static_cast<long double>(path.length()) / scale);
  prediction.path = path.path();
}

std::vector<std::string_view> assumptionsOf(const ir::Scenario& scenario, const PredictedRun& run) {
  std::vector<std::string_view> all;
  for (const ir::Change& change : scenario.changes) {
    const std::string_view one = assumptionOf(change, run);
    if (!one.empty() && std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }
  return all;
}

/// Why a scenario is not predicted by replay.
std::optional<Absence> whyNoReplay(const ir::Scenario& scenario, const PredictedRun& run) {
  return scenario.keepsIdle ? Absence{Absence::Reason::KeepsIdle} : run.noReplay;
}

}  // namespace

std::string_view assumptionOf(const ir::Change& change, const PredictedRun& run) {
  if (change.kind == ir::ChangeKind::Fuse && !run.isDescribed()) return kFusedWithoutRoof;
  const bool isWait = change.kind == ir::ChangeKind::NewTime && change.selectors.front().kind == ir::SelectorKind::Wait;
  if (run.oneThread != nullptr && ir::isReplayOnly(change) && run.knows(change)) return kOnOneThread;
  return isWait ? kWithoutWait : ir::info(change.kind).assumption;
}

std::optional<double> Prediction::newNs(ir::KernelId kernel, double ns) const {
  const auto found = std::lower_bound(factors.begin(), factors.end(), kernel,
                                      [](const auto& one, ir::KernelId id) { return one.first < id; });
  if (found == factors.end() || found->first != kernel) return std::nullopt;
  return ns * static_cast<double>(found->second.numerator) / static_cast<double>(found->second.denominator);
}

std::optional<Prediction> predict(const ir::Module& module, const PredictedRun& run, const RunPredictor& predictor,
                                  const ir::Scenario& scenario, const RunChanges& changes) {
  const auto times = predictor.predict(changes, scenario.keepsIdle);
  if (!times) return std::nullopt;
  Prediction prediction;
  prediction.scenario = scenario.name;
  prediction.noReplay = whyNoReplay(scenario, run);
  prediction.assumptions = assumptionsOf(scenario, run);
  prediction.base = predictor.times().base(scenario.keepsIdle);
  prediction.times = *times;
  const KernelFactors factors =
      kernelFactors(*module.findTimeline(module.cover(run.cover).traceLabel), predictor.events(), changes.device);
  for (const ir::KernelId kernel : factors.ids())
    if (factors[kernel] != Rational::of(1)) prediction.factors.emplace_back(kernel, factors[kernel]);
  findPath(module, run, factors, prediction);
  return prediction;
}

ScenarioPredictions::ScenarioPredictions(const ir::Module& module, std::span<const ir::Scenario> scenarios,
                                         AnalysisManager& analyses) {
  const WantedMessages wanted = analyses.options<ScenarioPredictions>();
  const std::vector<PredictedRun> all = predictedRuns(module, analyses);
  for (const PredictedRun& run : all) runs.try_emplace(run.cover);
  for (const ir::Scenario& scenario : scenarios) {
    ResolvedScenario resolved = resolveScenario(module, scenario, all, wanted);
    std::ranges::move(resolved.messages, std::back_inserter(messages_));
    areResolved_ &= resolved.changes.has_value();
    for (size_t i = 0; areResolved_ && i < all.size(); ++i) {
      RunPredictions& found = runs[all[i].cover];
      const auto isKnown = [&](const ir::Change& change) { return all[i].knows(change); };
      if (const auto noReplay = whyNoReplay(scenario, all[i]);
          noReplay && !std::ranges::all_of(scenario.changes, isKnown))
        found.onlyReplayed.emplace_back(scenario.name, *noReplay);
      else if (auto prediction =
                   predict(module, all[i], analyses.get<RunPredictor>(all[i].cover), scenario, (*resolved.changes)[i]))
        found.predictions.push_back(std::move(*prediction));
      else
        found.tooLong.push_back(scenario.name);
    }
  }
}

bool ScenarioPredictions::tell(const ir::Module& module, PassContext& context) const {
  amdahlc::tell(messages_, context);
  if (!areResolved_) return false;
  for (const auto& [cover, found] : runs)
    for (const std::string& scenario : found.tooLong)
      context.diagnostics.warning(
          DiagId::PredictionTooLong, {},
          fmt::format("run `{}` has no prediction of scenario `{}`: it could take more than {} ns",
                      printable(module.cover(cover).traceLabel), printable(scenario), limits::kTimeNs));
  return true;
}

const RunPredictions* findPredictions(AnalysisManager& analyses, ir::CoverId run) {
  const auto* facts = analyses.requested<ScenarioPredictions>();
  if (facts == nullptr) return nullptr;
  const auto found = facts->runs.find(run);
  return found == facts->runs.end() ? nullptr : &found->second;
}

std::span<const Prediction> predictionsOf(AnalysisManager& analyses, ir::CoverId run) {
  const RunPredictions* found = findPredictions(analyses, run);
  return found == nullptr ? std::span<const Prediction>() : found->predictions;
}

RunPredictor::RunPredictor(const ir::Module& module, ir::CoverId id, AnalysisManager& analyses)
    : RunPredictor(module, predictedRun(module, id, analyses), analyses.get<TimingAnalysis>(id).undisturbed()) {}

RunPredictor::RunPredictor(const ir::Module& module, const PredictedRun& run, std::vector<Rational> undisturbed)
    : kernels_(*run.kernels),
      times_(*module.findTimeline(module.cover(run.cover).traceLabel), std::move(undisturbed), run.model, run.schedule,
             run.oneThread) {}

std::optional<schedule::PredictedTimes> RunPredictor::predict(const RunChanges& scenario, bool keepsIdle) const {
  return amdahlc::predict(times_, kernels_.events, scenario, keepsIdle);
}

}  // namespace amdahlc
