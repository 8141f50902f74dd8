#include "passes/curves/path_curve.h"

#include <algorithm>
#include <utility>

#include "ir/facets/timed.h"
#include "passes/critical_path/longest_paths.h"

namespace amdahlc {
namespace {

/// Each line is a different path. A group has few, because each has less time of the group than the one before.
constexpr size_t kMostLines = 64;
/// Of all kernels together. A longest path times a denominator, which is at most as large, is below 2^127.
constexpr int64_t kLongestNs = int64_t{1} << 60;

class PathSearch {
 public:
  PathSearch(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
             const std::vector<ir::KernelId>& group)
      : module_(module),
        cover_(cover),
        graph_(graph),
        timed_(*cover.facets.get<ir::TimedFacet>()),
        inGroup_(cover.kernels.size(), false) {
    for (const ir::KernelId kernel : group) inGroup_[kernel] = true;
    IdVector<ir::KernelId, int64_t> groupNs(cover.kernels.size(), 0), restNs = groupNs;
    long double totalNs = 0;
    for (const ir::KernelId kernel : timed_.kernels.ids()) {
      (inGroup_[kernel] ? groupNs : restNs)[kernel] = timed_.kernels[kernel].reportedNs;
      totalNs += static_cast<long double>(timed_.kernels[kernel].reportedNs);
    }
    groupNs_ = graph.withBodies(groupNs);
    restNs_ = graph.withBodies(restNs);
    if (totalNs > static_cast<long double>(kLongestNs)) mostLines_ = 1;
  }

  PathCurve search() {
    const PathLine high = lineAt(Rational::of(1));
    curve_.lines.push_back(high);
    descend(high, lineAt(Rational::of(0)));
    return std::move(curve_);
  }

 private:
  /// Adds what is below `high`, down to `low`.
  void descend(const PathLine& high, const PathLine& low) {
    // Lines of one slope that are longest at the ends are the same.
    if (high.groupNs <= low.groupNs) return;
    const Rational meet = Rational::of(std::max<int64_t>(0, low.restNs - high.restNs), high.groupNs - low.groupNs);
    if (meet.isZero()) return;
    const bool isFull = curve_.lines.size() + 1 >= mostLines_;
    const PathLine middle = isFull ? low : lineAt(meet);
    curve_.isComplete &= !isFull;
    if (valueAt(middle, meet) == valueAt(high, meet)) {
      // At a factor of 1 they tie, and `high` holds nowhere below.
      if (meet == Rational::of(1)) curve_.lines.pop_back();
      if (meet != Rational::of(1)) curve_.breaks.push_back(meet);
      curve_.lines.push_back(low);
      return;
    }
    descend(high, middle);
    descend(middle, low);
  }

  /// Times the denominator.
  static PathWeight valueAt(const PathLine& line, const Rational& factor) {
    return static_cast<PathWeight>(line.restNs) * factor.denominator +
           static_cast<PathWeight>(line.groupNs) * factor.numerator;
  }

  PathLine lineAt(const Rational& factor) const {
    IdVector<ir::KernelId, PathWeight> weights;
    for (const ir::KernelId kernel : cover_.kernels.ids())
      weights.push_back(static_cast<PathWeight>(timed_.kernels[kernel].reportedNs) *
                        (inGroup_[kernel] ? factor.numerator : factor.denominator));
    const LongestPaths paths(module_, cover_, graph_, weights);
    PathLine line;
    line.kernels = paths.path();
    for (const ir::KernelId kernel : line.kernels) {
      line.groupNs += groupNs_[kernel];
      line.restNs += restNs_[kernel];
    }
    return line;
  }

  const ir::Module& module_;
  const ir::Cover& cover_;
  const ir::KernelGraph& graph_;
  const ir::TimedFacet& timed_;
  IdVector<ir::KernelId, bool> inGroup_;
  /// Of each kernel with its bodies.
  IdVector<ir::KernelId, int64_t> groupNs_, restNs_;
  size_t mostLines_ = kMostLines;
  PathCurve curve_;
};

}  // namespace

double PathCurve::lengthNs(const Rational& factor) const {
  const auto line = static_cast<size_t>(
      std::find_if(breaks.begin(), breaks.end(), [&](const Rational& at) { return !(factor < at); }) - breaks.begin());
  return static_cast<double>(static_cast<long double>(lines[line].restNs) +
                             static_cast<long double>(lines[line].groupNs) * factor.numerator / factor.denominator);
}

std::optional<size_t> PathCurve::knee() const {
  if (lines.front().groupNs == 0) return std::nullopt;
  for (size_t i = 0; i < breaks.size(); ++i)
    if (lines[i + 1].groupNs <= lines.front().groupNs - lines[i + 1].groupNs) return i;
  return std::nullopt;
}

PathCurve pathCurve(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
                    const std::vector<ir::KernelId>& group) {
  return PathSearch(module, cover, graph, group).search();
}

}  // namespace amdahlc
