#include "replay/scenario/wall_curve.h"

#include <algorithm>
#include <map>
#include <set>

#include "replay/scenario/wall_breaks.h"

namespace amdahlc {
namespace {

/// Samples that look for breaks: about two for each halving of the cells around three of them.
constexpr size_t kMostSamples = 64;
/// Events and calls that all samples of a curve may walk over, together.
constexpr size_t kMostSampledSize = 12'000'000;
/// A break changes the slope by enough to move the time by this part of what the group can save.
constexpr double kBreakShare = 1e-3;
/// And by this part of the whole time: a curve that falls by less is level.
constexpr double kLevelShare = 1e-5;
/// What is less of the time of the run than this cannot be seen in a curve.
constexpr double kVisiblePart = 0.005;

class CurveSearch {
 public:
  explicit CurveSearch(const CurveTimes& times)
      : times_(times),
        // A replay rounds lengths of the host and of the device.
        roundingNs_(
            times.model == schedule::WallModel::Replay ? 4 * std::max(static_cast<double>(times.iterations), 1.0) : 1) {
  }

  WallCurve find() {
    WallCurve curve;
    std::set<Rational> kept(standardFactors().begin(), standardFactors().end());
    // With idle time kept, wall is one line.
    if (times_.model == schedule::WallModel::Replay) {
      const double measuredNs = at(Rational::of(1)), savesNs = measuredNs - at(Rational::of(0));
      const size_t most = std::min(kMostSamples, kMostSampledSize / (times_.size + 1));
      const WallBreaks breaks =
          wallBreaks([&](const Rational& factor) { return at(factor); }, standardFactors(),
                     std::max({roundingNs_, kBreakShare * savesNs, kLevelShare * measuredNs}), roundingNs_, most);
      curve.isComplete = breaks.isComplete;
      kept.insert(breaks.corners.begin(), breaks.corners.end());
      curve.knee = breaks.knee;
      // Beyond the knee, where the group and the next one no longer limit together.
      if (curve.knee) curve.next = mostSaving(middleOf(breaks.kneeEnd, *curve.knee));
    }
    curve.factors.assign(kept.rbegin(), kept.rend());
    curve.rest = mostSaving(Rational::of(0));
    return curve;
  }

 private:
  double at(const Rational& factor) {
    const auto found = known_.find(factor);
    return found != known_.end() ? found->second
                                 : known_.emplace(factor, times_.limitNs(factor, std::nullopt)).first->second;
  }

  /// The group whose speed-up saves most while the curve's group has this factor; nullopt if none saves more than is
  /// rounded.
  std::optional<size_t> mostSaving(const Rational& factor) {
    const double beforeNs = at(factor);
    double mostNs = roundingNs_;
    std::optional<size_t> most;
    for (const size_t other : times_.others) {
      // Of a group that overlaps, the rest becomes faster.
      const double savesNs = beforeNs - times_.limitNs(factor, other);
      if (savesNs <= mostNs) continue;
      mostNs = savesNs;
      most = other;
    }
    return most;
  }

  const CurveTimes& times_;
  /// What rounding may do to a time.
  const double roundingNs_;
  std::map<Rational, double> known_;
};

}  // namespace

const std::vector<Rational>& standardFactors() {
  static const std::vector<Rational> factors{{1, 1}, {4, 5}, {2, 3},  {1, 2},  {1, 3}, {1, 4},
                                             {1, 6}, {1, 8}, {1, 16}, {1, 32}, {0, 1}};
  return factors;
}

WallCurve wallCurve(const CurveTimes& times) { return CurveSearch(times).find(); }

Flatness whyFlat(const TimedGroup& group, double wholeNs, double freeNs, double ownNs, bool isHostNext) {
  if (wholeNs - freeNs >= kVisiblePart * wholeNs) return {};
  if (group.hasHost || group.hasLaunches || !group.hostOperator.empty())
    return {isHostNext && !group.hasHost ? FlatReason::OtherHostWork : FlatReason::DeviceLimits};
  const bool isOfKernels = std::ranges::count(group.unbound, true) == 0 && !group.forward;
  if (isOfKernels && ownNs == 0) return {FlatReason::NoTime};
  if (isOfKernels && ownNs < kVisiblePart * wholeNs) return {FlatReason::LittleTime, wholeNs > 0 ? ownNs / wholeNs : 0};
  return {isHostNext ? FlatReason::HostLimits : FlatReason::OtherWork};
}

}  // namespace amdahlc
