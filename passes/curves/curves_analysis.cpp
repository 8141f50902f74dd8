#include "passes/curves/curves_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "ir/facets/timed.h"
#include "passes/curves/path_curve.h"
#include "passes/curves/wall_breaks.h"
#include "support/ratio.h"

namespace amdahlc {

namespace {

/// More curves than this nobody compares.
constexpr size_t kMostCurves = 12;
/// What is less of the time of the run than this cannot be seen in a curve.
constexpr double kVisiblePart = 0.005;

/// `Curve::flat` of the curve of a group, of which all else is known.
std::string whyFlat(const Curve& curve, const TimedGroup& group, const ir::Cover& cover) {
  const double wholeNs = curve.points.front().limitNs();
  if (wholeNs - curve.points.back().limitNs() >= kVisiblePart * wholeNs) return {};
  const bool isHostNext =
      curve.rest == ir::name(ir::SelectorKind::Host) || curve.rest == ir::name(ir::SelectorKind::Launches);
  if (group.hasHost || group.hasLaunches || !group.hostOperator.empty())
    return isHostNext && !group.hasHost ? "the host spends its time with other work"
                                        : "the device is the limit: the host has its calls ready in time";
  const bool isOfKernels = std::ranges::none_of(group.unbound, std::identity()) && !group.forward;
  double ownNs = 0;
  for (const ir::KernelId kernel : group.kernels)
    ownNs += static_cast<double>(cover.facets.get<ir::TimedFacet>()->kernels[kernel].reportedNs);
  if (isOfKernels && ownNs == 0) return "it has no time in this run";
  if (isOfKernels && ownNs < kVisiblePart * wholeNs)
    return fmt::format("it has {} of the time", formatPercent(wholeNs > 0 ? ownNs / wholeNs : 0));
  if (isHostNext) return "the host is the limit: the device waits for it";
  return "other work goes on meanwhile, so that it is not on the path of the run";
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
  const GroupTimesPredictor times(analyses.get<RunPredictor>(id), groups);
  model = times.model();
  const size_t count = named > 0 ? named : groups.size();
  for (size_t group = 0; group < count; ++group) {
    if (analyses.progress) analyses.progress("curves", static_cast<double>(group) / static_cast<double>(count));
    curves.push_back(curveOf(group, module, module.cover(id), runs[index].graph, times, others));
    curves.back().flat = whyFlat(curves.back(), groups[group], module.cover(id));
  }
  predictions = times.predictions();
}

const std::vector<Rational>& standardFactors() {
  static const std::vector<Rational> factors{{1, 1}, {4, 5}, {2, 3},  {1, 2},  {1, 3}, {1, 4},
                                             {1, 6}, {1, 8}, {1, 16}, {1, 32}, {0, 1}};
  return factors;
}

namespace {

/// The speed-up that finds out what limits next: as small as rounding allows.
const Rational kSmallSpeedup{15, 16};
/// Samples that look for breaks: about two for each halving of the cells around three of them.
constexpr size_t kMostSamples = 64;
/// Events and calls that all samples of a curve may walk over, together.
constexpr size_t kMostSampledSize = 12'000'000;
/// A break changes the slope by enough to move the time by this part of what the group can save.
constexpr double kBreakShare = 1e-3;
/// And by this part of the whole time: a curve that falls by less is level.
constexpr double kLevelShare = 1e-5;

class CurveBuilder {
 public:
  CurveBuilder(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
               const GroupTimesPredictor& times, const std::vector<size_t>& others)
      : module_(module), cover_(cover), graph_(graph), times_(times), others_(others) {
    const auto iterations = static_cast<double>(cover.facets.get<ir::TimedFacet>()->run.reportedIterations());
    // A replay rounds lengths of the host and of the device.
    roundingNs_ = times.model() == schedule::WallModel::Replay ? 4 * std::max(iterations, 1.0) : 1;
  }

  Curve build(size_t group) const {
    Curve curve;
    curve.selector = times_.groups()[group].selector;
    const PathCurve path = pathCurve(module_, cover_, graph_, times_.groups()[group].kernels);
    curve.isComplete = path.isComplete;
    addPath(path, curve);
    addWall(group, path, curve);
    curve.isComplete &= path.isComplete;
    const GroupFactor free{group, Rational::of(0)};
    curve.caution = describe(times_.timesUnder({&free, 1}).caution);
    curve.rest = mostSaving(group, Rational::of(0));
    return curve;
  }

 private:
  double limitNs(std::vector<GroupFactor> factors) const {
    return static_cast<double>(times_.timesUnder(factors).limitNs());
  }

  /// The group whose speed-up saves most while `group` has this factor; empty if none saves more than is rounded.
  std::string mostSaving(size_t group, const Rational& factor) const {
    const double beforeNs = limitNs({{group, factor}});
    double mostNs = roundingNs_;
    std::string selector;
    for (const size_t other : others_) {
      if (other == group) continue;
      // The later factor counts: of a group that overlaps, the rest becomes faster.
      const double savesNs = beforeNs - limitNs({{other, kSmallSpeedup}, {group, factor}});
      if (savesNs <= mostNs) continue;
      mostNs = savesNs;
      selector = times_.groups()[other].selector;
    }
    return selector;
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
    std::map<Rational, CurvePoint> points;
    const auto at = [&](const Rational& factor) -> CurvePoint& {
      const auto found = points.find(factor);
      return found != points.end() ? found->second : points.emplace(factor, pointAt(group, factor, path)).first->second;
    };
    std::set<Rational> kept(standardFactors().begin(), standardFactors().end());
    kept.insert(path.breaks.begin(), path.breaks.end());
    // With idle time kept, wall is one line.
    if (times_.model() == schedule::WallModel::Replay) {
      const double measuredNs = at(Rational::of(1)).limitNs(), savesNs = measuredNs - at(Rational::of(0)).limitNs();
      const size_t most = std::min(kMostSamples, kMostSampledSize / (times_.size() + 1));
      const WallBreaks breaks =
          wallBreaks([&](const Rational& factor) { return at(factor).limitNs(); }, standardFactors(),
                     std::max({roundingNs_, kBreakShare * savesNs, kLevelShare * measuredNs}), roundingNs_, most);
      curve.isComplete = breaks.isComplete;
      kept.insert(breaks.corners.begin(), breaks.corners.end());
      curve.knee = breaks.knee;
      // Beyond the knee, where the group and the next one no longer limit together.
      if (curve.knee) curve.next = mostSaving(group, middleOf(breaks.kneeEnd, *curve.knee));
    }
    for (auto factor = kept.rbegin(); factor != kept.rend(); ++factor) curve.points.push_back(at(*factor));
  }

  const ir::Module& module_;
  const ir::Cover& cover_;
  const ir::KernelGraph& graph_;
  const GroupTimesPredictor& times_;
  const std::vector<size_t>& others_;
  /// What rounding may do to a time.
  double roundingNs_;
};

}  // namespace

Curve curveOf(size_t group, const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
              const GroupTimesPredictor& times, const std::vector<size_t>& others) {
  return CurveBuilder(module, cover, graph, times, others).build(group);
}

}  // namespace amdahlc
