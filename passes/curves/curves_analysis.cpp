#include "passes/curves/curves_analysis.h"

#include <fmt/format.h>

#include <numeric>
#include <set>
#include <utility>

#include "ir/facets/timed.h"
#include "passes/curves/path_curve.h"
#include "passes/speedup_rewrite/scenario_predictions.h"
#include "replay/scenario/wall_curve.h"
#include "support/ratio.h"

namespace amdahlc {

namespace {

/// More curves than this nobody compares.
constexpr size_t kMostCurves = 12;
/// `Curve::flat` of the curve of a group, of which all else is known.
std::string describeFlat(const Curve& curve, const TimedGroup& group, const ScenarioRun& run) {
  double ownNs = 0;
  for (const ir::KernelId kernel : group.kernels) ownNs += static_cast<double>(run.kernelNs[kernel]);
  const bool isHostNext =
      curve.rest == ir::name(ir::SelectorKind::Host) || curve.rest == ir::name(ir::SelectorKind::Launches);
  const Flatness flat =
      whyFlat(group, curve.points.front().limitNs(), curve.points.back().limitNs(), ownNs, isHostNext);
  switch (flat.reason) {
    case FlatReason::None:
      return {};
    case FlatReason::OtherHostWork:
      return "the host spends its time with other work";
    case FlatReason::DeviceLimits:
      return "the device is the limit: the host has its calls ready in time";
    case FlatReason::NoTime:
      return "it has no time in this run";
    case FlatReason::LittleTime:
      return fmt::format("it has {} of the time", formatPercent(flat.share));
    case FlatReason::HostLimits:
      return "the host is the limit: the device waits for it";
    case FlatReason::OtherWork:
      return "other work goes on meanwhile, so that it is not on the path of the run";
  }
  return {};
}

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
  const auto& predictor = analyses.get<RunPredictor>(id);
  const GroupTimesPredictor times(predictor.times(), predictor.run(), groups);
  model = times.model();
  const size_t count = named > 0 ? named : groups.size();
  for (size_t group = 0; group < count; ++group) {
    if (analyses.progress) analyses.progress("curves", static_cast<double>(group) / static_cast<double>(count));
    curves.push_back(curveOf(group, module, module.cover(id), runs[index].graph, times, others));
    curves.back().flat = describeFlat(curves.back(), groups[group], predictor.run());
  }
  predictions = times.predictions();
}

namespace {

class CurveBuilder {
 public:
  CurveBuilder(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
               const GroupTimesPredictor& times, const std::vector<size_t>& others)
      : module_(module), cover_(cover), graph_(graph), times_(times), others_(others) {}
  Curve build(size_t group) const {
    Curve curve;
    curve.selector = times_.groups()[group].selector;
    const PathCurve path = pathCurve(module_, cover_, graph_, times_.groups()[group].kernels);
    addPath(path, curve);
    addWall(group, path, curve);
    curve.isComplete &= path.isComplete;
    const GroupFactor free{group, Rational::of(0)};
    curve.caution = describe(times_.timesUnder({&free, 1}).caution);
    return curve;
  }

 private:
  double limitNs(size_t group, const Rational& factor, std::optional<size_t> other) const {
    // The later factor counts.
    std::vector<GroupFactor> factors;
    if (other) factors.push_back({*other, kSmallSpeedup});
    factors.push_back({group, factor});
    return static_cast<double>(times_.timesUnder(factors).limitNs());
  }

  CurvePoint pointAt(size_t group, const Rational& factor, const PathCurve& path) const {
    const GroupFactor one{group, factor};
    return {factor, times_.timesUnder({&one, 1}), path.lengthNs(factor)};
  }

  void addPath(const PathCurve& path, Curve& curve) const {
    const auto knee = path.knee();
    if (!knee) return;
    curve.pathKnee = path.breaks[*knee];
    const std::set<ir::KernelId> before(path.lines[*knee].kernels.begin(), path.lines[*knee].kernels.end());
    for (const ir::KernelId kernel : path.lines[*knee + 1].kernels)
      if (!before.contains(kernel)) curve.pathNext.push_back(kernel);
  }

  void addWall(size_t group, const PathCurve& path, Curve& curve) const {
    CurveTimes wall{times_.model(), times_.size(), cover_.facets.get<ir::TimedFacet>()->run.reportedIterations(),
                    [&](const Rational& factor, std::optional<size_t> other) { return limitNs(group, factor, other); },
                    others_};
    std::erase(wall.others, group);
    const WallCurve found = wallCurve(wall);
    const auto selectorOf = [&](std::optional<size_t> other) {
      return other ? times_.groups()[*other].selector : std::string();
    };
    curve.isComplete = found.isComplete;
    curve.knee = found.knee;
    curve.next = selectorOf(found.next);
    curve.rest = selectorOf(found.rest);
    std::set<Rational> kept(found.factors.begin(), found.factors.end());
    kept.insert(path.breaks.begin(), path.breaks.end());
    for (auto factor = kept.rbegin(); factor != kept.rend(); ++factor)
      curve.points.push_back(pointAt(group, *factor, path));
  }

  const ir::Module& module_;
  const ir::Cover& cover_;
  const ir::KernelGraph& graph_;
  const GroupTimesPredictor& times_;
  const std::vector<size_t>& others_;
};

}  // namespace

Curve curveOf(size_t group, const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
              const GroupTimesPredictor& times, const std::vector<size_t>& others) {
  return CurveBuilder(module, cover, graph, times, others).build(group);
}

}  // namespace amdahlc
