#include "schedule/host_time.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace amdahlc::schedule {

int64_t scaled(int64_t ns, const Rational& factor) {
  if (factor.numerator == factor.denominator) return ns;
  const __int128 twice = 2 * static_cast<__int128>(ns) * factor.numerator + factor.denominator;
  const __int128 divisor = 2 * static_cast<__int128>(factor.denominator);
  return static_cast<int64_t>(twice / divisor - (twice % divisor < 0 ? 1 : 0));
}

namespace {

/// Divides stretches where others begin and end, so that none overlap.
std::vector<HostStretch> disjoint(const std::vector<HostStretch>& stretches) {
  struct Edge {
    ThreadIndex thread;
    int64_t ns;
    uint32_t stretch;
    bool begins;
  };
  std::vector<Edge> edges;
  for (uint32_t i = 0; i < stretches.size(); ++i) {
    if (stretches[i].endNs <= stretches[i].startNs) continue;
    edges.push_back({stretches[i].thread, stretches[i].startNs, i, true});
    edges.push_back({stretches[i].thread, stretches[i].endNs, i, false});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.thread, a.ns, a.stretch) < std::tie(b.thread, b.ns, b.stretch);
  });
  std::vector<HostStretch> pieces;
  std::set<uint32_t> open;
  for (size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].begins)
      open.insert(edges[i].stretch);
    else
      open.erase(edges[i].stretch);
    if (open.empty() || edges[i + 1].ns == edges[i].ns) continue;
    Rational factor = Rational::of(1);
    for (const uint32_t stretch : open) factor = factor * stretches[stretch].factor;
    pieces.push_back({edges[i].thread, edges[i].ns, edges[i + 1].ns, factor});
  }
  return pieces;
}

}  // namespace

HostTime::HostTime(const Rational& factor, const std::vector<HostStretch>& stretches)
    : factor_(factor), stretches_(disjoint(stretches)) {}

int64_t HostTime::between(ThreadIndex thread, int64_t fromNs, int64_t toNs) const {
  if (toNs <= fromNs) return 0;
  int64_t lengthNs = 0;
  // The first stretch that ends after the beginning: stretches do not overlap.
  auto stretch =
      std::lower_bound(stretches_.begin(), stretches_.end(), std::pair(thread, fromNs),
                       [](const HostStretch& one, const auto& at) { return std::pair(one.thread, one.endNs) <= at; });
  int64_t ordinaryNs = toNs - fromNs;
  for (; stretch != stretches_.end() && stretch->thread == thread && stretch->startNs < toNs; ++stretch) {
    const int64_t partNs = std::min(toNs, stretch->endNs) - std::max(fromNs, stretch->startNs);
    lengthNs += scaled(partNs, stretch->factor);
    ordinaryNs -= partNs;
  }
  return lengthNs + scaled(ordinaryNs, factor_);
}

}  // namespace amdahlc::schedule
