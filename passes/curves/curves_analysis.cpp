#include "passes/curves/curves_analysis.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "passes/curves/curve_builder.h"

namespace amdahlc {
namespace {

/// More curves than this nobody compares.
constexpr size_t kMostCurves = 12;

}  // namespace

CurvesAnalysis::CurvesAnalysis(const ir::Module& module, ir::CoverId id, AnalysisManager& analyses) {
  const std::vector<PredictedRun> runs = predictedRuns(module, analyses);
  const size_t index = indexOfRun(runs, id);
  const NamedGroups& asked = analyses.options<CurvesAnalysis>().groups;
  std::vector<TimedGroup> groups;
  if (const auto found = asked.find(id); found != asked.end()) groups = found->second;
  const size_t named = groups.size();
  for (TimedGroup& group : groupsByLabel(module, runs, index, kMostCurves)) groups.push_back(std::move(group));
  std::vector<size_t> others(groups.size() - named);
  std::iota(others.begin(), others.end(), named);
  const GroupTimesPredictor times(analyses.get<RunPredictor>(id), groups);
  const CurveBuilder builder(module, module.cover(id), runs[index].graph, times, others);
  model = times.model();
  const size_t count = named > 0 ? named : groups.size();
  for (size_t group = 0; group < count; ++group) {
    if (analyses.progress) analyses.progress("curves", static_cast<double>(group) / static_cast<double>(count));
    curves.push_back(builder.build(group));
  }
  predictions = times.predictions();
}

std::string formatSpeedup(const Rational& factor) {
  if (factor.isZero()) return "inf";
  std::string text = fmt::format("{:.4f}", 1 / factor.toDouble());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace amdahlc
