#include "replay/schedule/host_time.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "replay/schedule/scaled_lengths.h"

namespace amdahlc::schedule {

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

std::vector<HostStretch> operatorStretches(const RunCalls& calls,
                                           const std::map<std::string, Rational, std::less<>>& operators) {
  std::vector<HostStretch> stretches;
  if (operators.empty()) return stretches;
  const HostFacts& host = calls.host();
  std::vector<int64_t> endNs(calls.threads(), std::numeric_limits<int64_t>::min());
  for (const HostEventId event : host.kind.ids()) {
    if (host.kind[event] != EventKind::Operator) continue;
    const ThreadIndex thread = calls.threadOfTrack(host.track[event]);
    if (thread == kNoTrack || host.startNs[event] < endNs[thread]) continue;
    const auto found = operators.find(calls.timeline().text(host.name[event]));
    if (found == operators.end()) continue;
    endNs[thread] = host.endNs(event);
    stretches.push_back({thread, host.startNs[event], endNs[thread], found->second});
  }
  return stretches;
}

std::vector<std::string> operatorNames(const RunCalls& calls) {
  const HostFacts& host = calls.host();
  std::set<std::string> names;
  std::set<uint32_t> seen;
  for (const HostEventId event : host.kind.ids())
    if (host.kind[event] == EventKind::Operator && calls.threadOfTrack(host.track[event]) != kNoTrack &&
        seen.insert(host.name[event].index).second)
      names.emplace(calls.timeline().text(host.name[event]));
  return {names.begin(), names.end()};
}

HostTime::HostTime(const Rational& factor, const std::vector<HostStretch>& stretches)
    : factor_(factor), stretches_(disjoint(stretches)) {}

int64_t HostTime::between(ThreadIndex thread, int64_t fromNs, int64_t toNs) const {
  if (toNs <= fromNs) return 0;
  int64_t lengthNs = 0;
  // The first stretch that ends after the beginning: stretches do not overlap.
  auto stretch =
      std::lower_bound(stretches_.begin(), stretches_.end(), std::pair(thread, fromNs),
                       [](const HostStretch& one, const auto& at) { return std::pair(one.thread, one.endNs) <= at; });
  for (; stretch != stretches_.end() && stretch->thread == thread && stretch->startNs < toNs; ++stretch) {
    const int64_t beginNs = std::max(fromNs, stretch->startNs), endNs = std::min(toNs, stretch->endNs);
    lengthNs += scaledBetween(fromNs, beginNs, factor_) + scaledBetween(beginNs, endNs, stretch->factor);
    fromNs = endNs;
  }
  return lengthNs + scaledBetween(fromNs, toNs, factor_);
}

}  // namespace amdahlc::schedule
