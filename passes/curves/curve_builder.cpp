#include "passes/curves/curve_builder.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ir/facets/timed.h"

namespace amdahlc {
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

}  // namespace

const std::vector<Rational>& standardFactors() {
  static const std::vector<Rational> factors{{1, 1}, {4, 5}, {2, 3},  {1, 2},  {1, 3}, {1, 4},
                                             {1, 6}, {1, 8}, {1, 16}, {1, 32}, {0, 1}};
  return factors;
}

CurveBuilder::CurveBuilder(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
                           const GroupTimesPredictor& times, std::vector<size_t> others)
    : module_(module), cover_(cover), graph_(graph), times_(times), others_(std::move(others)) {
  const auto iterations = static_cast<double>(cover.facets.get<ir::TimedFacet>()->run.iterations);
  // A replay rounds lengths of the host and of the device.
  roundingNs_ = times.model() == schedule::WallModel::Replay ? 4 * std::max(iterations, 1.0) : 1;
}

std::string CurveBuilder::mostSaving(size_t group, const Rational& factor) const {
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

CurvePoint CurveBuilder::pointAt(size_t group, const Rational& factor, const PathCurve& path) const {
  const std::vector<GroupFactor> factors{{group, factor}};
  return {factor, times_.timesUnder(factors), path.lengthNs(factor)};
}

void CurveBuilder::addPath(const PathCurve& path, Curve& curve) const {
  const auto knee = path.knee();
  if (!knee) return;
  curve.pathKnee = path.breaks[*knee];
  const std::set<ir::KernelId> before(path.lines[*knee].kernels.begin(), path.lines[*knee].kernels.end());
  for (const ir::KernelId kernel : path.lines[*knee + 1].kernels)
    if (!before.contains(kernel)) curve.pathNext.push_back(kernel);
}

void CurveBuilder::addWall(size_t group, const PathCurve& path, Curve& curve) const {
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
    const WallSamples samples([&](const Rational& factor) { return at(factor).limitNs(); }, standardFactors(),
                              std::max({roundingNs_, kBreakShare * savesNs, kLevelShare * measuredNs}), roundingNs_,
                              most);
    curve.isComplete = samples.isComplete();
    const std::vector<Rational> corners = samples.corners();
    kept.insert(corners.begin(), corners.end());
    curve.knee = samples.knee(corners);
    if (curve.knee) {
      const Rational end = samples.slopeEnd(corners, *curve.knee);
      // Beyond the knee, where the group and the next one no longer limit together.
      curve.next = mostSaving(
          group, Rational::of(end.numerator * curve.knee->denominator + curve.knee->numerator * end.denominator,
                              2 * end.denominator * curve.knee->denominator));
    }
  }
  for (auto factor = kept.rbegin(); factor != kept.rend(); ++factor) curve.points.push_back(at(*factor));
}

Curve CurveBuilder::build(size_t group) const {
  Curve curve;
  curve.selector = times_.groups()[group].selector;
  const PathCurve path = pathCurve(module_, cover_, graph_, times_.groups()[group].kernels);
  curve.isComplete = path.isComplete;
  addPath(path, curve);
  addWall(group, path, curve);
  curve.isComplete &= path.isComplete;
  const std::vector<GroupFactor> free{{group, Rational::of(0)}};
  curve.caution = describe(times_.timesUnder(free).caution);
  curve.rest = mostSaving(group, Rational::of(0));
  return curve;
}

}  // namespace amdahlc
