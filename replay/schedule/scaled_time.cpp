#include "replay/schedule/scaled_time.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "replay/timeline/interval.h"

namespace amdahlc::schedule {

namespace {

/// Remainders are counted in these parts of a nanosecond: 2^-60.
constexpr int kPrecision = 60;
constexpr int64_t kNanosecond = int64_t{1} << kPrecision;
/// Half a nanosecond, and so much more that the error of a million parts does not turn a half into less.
constexpr int64_t kHalf = kNanosecond / 2 + (int64_t{1} << 30);

}  // namespace

int64_t scaledBetween(int64_t fromNs, int64_t toNs, const Rational& factor) {
  if (factor.numerator == factor.denominator) return toNs - fromNs;
  if (factor.isZero()) return 0;
  const auto moment = [&](int64_t ns) {
    const __int128 twice = 2 * static_cast<__int128>(ns) * factor.numerator + factor.denominator;
    const __int128 divisor = 2 * static_cast<__int128>(factor.denominator);
    return twice / divisor - (twice % divisor < 0 ? 1 : 0);
  };
  return static_cast<int64_t>(moment(toNs) - moment(fromNs));
}

int64_t ScaledLengths::next(int64_t ns, const Rational& factor, uint32_t track) {
  if (factor.numerator == factor.denominator) return ns;
  // What is carried is less than a nanosecond.
  if (factor.isZero()) return 0;
  const __int128 exact = static_cast<__int128>(ns) * factor.numerator;
  const __int128 rest = exact % factor.denominator;
  int64_t& remainder = remainders_[track];
  remainder += static_cast<int64_t>((rest * kNanosecond + factor.denominator / 2) / factor.denominator);
  const int64_t rounded = (remainder + kHalf) >> kPrecision;
  remainder -= rounded * kNanosecond;
  return static_cast<int64_t>(exact / factor.denominator) + rounded;
}

std::vector<int64_t> scaledDurations(const Timeline& timeline, const ReportedIterations& reported,
                                     const std::vector<Rational>& factors) {
  ScaledLengths own, others;
  std::vector<int64_t> lengthsNs;
  lengthsNs.reserve(timeline.size());
  for (EventIndex event = 0; event < timeline.size(); ++event)
    lengthsNs.push_back((reported.has(timeline.iteration[event]) ? own : others)
                            .next(timeline.durationNs[event], factors[event], timeline.track[event]));
  return lengthsNs;
}

namespace {

/// Divides stretches where others begin and end, so that none overlap.
std::vector<HostStretch> disjoint(const std::vector<HostStretch>& stretches) {
  struct OfThread {
    std::vector<TimeInterval> intervals;
    std::vector<Rational> factors;
  };
  std::map<ThreadIndex, OfThread> ofThreads;
  for (const HostStretch& stretch : stretches) {
    OfThread& own = ofThreads[stretch.thread];
    own.intervals.push_back({stretch.startNs, stretch.endNs});
    own.factors.push_back(stretch.factor);
  }
  std::vector<HostStretch> pieces;
  for (const auto& [thread, own] : ofThreads) {
    std::set<uint32_t> open;
    int64_t atNs = 0;
    SweepVisitor visitor;
    visitor.begins = [&](uint32_t stretch, int64_t ns) {
      open.insert(stretch);
      atNs = ns;
    };
    visitor.ends = [&](uint32_t stretch, int64_t ns) {
      open.erase(stretch);
      atNs = ns;
    };
    visitor.segment = [&](int64_t lengthNs) {
      Rational factor = Rational::of(1);
      for (const uint32_t stretch : open) factor = factor * own.factors[stretch];
      pieces.push_back({thread, atNs, atNs + lengthNs, factor});
    };
    sweep(own.intervals, visitor);
  }
  return pieces;
}

}  // namespace

bool isNamedWork(EventKind kind) {
  return kind == EventKind::Operator || kind == EventKind::Frame || kind == EventKind::ModuleFrame ||
         kind == EventKind::Annotation || kind == EventKind::Runtime;
}

std::vector<HostStretch> namedStretches(const Timeline& timeline, size_t threads,
                                        const std::function<ThreadIndex(uint32_t)>& threadOf,
                                        const std::map<std::string, Rational, std::less<>>& factors) {
  std::vector<HostStretch> stretches;
  if (factors.empty()) return stretches;
  const HostFacts& host = *timeline.host;
  std::vector<int64_t> endNs(threads, std::numeric_limits<int64_t>::min());
  for (const HostEventId event : host.kind.ids()) {
    if (!isNamedWork(host.kind[event])) continue;
    const ThreadIndex thread = threadOf(host.track[event]);
    if (thread == kNoTrack || host.startNs[event] < endNs[thread]) continue;
    const auto found = factors.find(timeline.text(host.name[event]));
    if (found == factors.end()) continue;
    endNs[thread] = host.endNs(event);
    stretches.push_back({thread, host.startNs[event], endNs[thread], found->second});
  }
  return stretches;
}

std::vector<HostStretch> namedStretches(const RunCalls& calls,
                                        const std::map<std::string, Rational, std::less<>>& factors) {
  return namedStretches(
      calls.timeline(), calls.threads(), [&](uint32_t track) { return calls.threadOfTrack(track); }, factors);
}

std::vector<std::string> namesOfHostWork(const Timeline& timeline,
                                         const std::function<ThreadIndex(uint32_t)>& threadOf) {
  const HostFacts& host = *timeline.host;
  std::set<std::string> names;
  std::set<uint32_t> seen;
  for (const HostEventId event : host.kind.ids())
    if (isNamedWork(host.kind[event]) && threadOf(host.track[event]) != kNoTrack &&
        seen.insert(host.name[event].index).second)
      names.emplace(timeline.text(host.name[event]));
  return {names.begin(), names.end()};
}

std::vector<std::string> namesOfHostWork(const RunCalls& calls) {
  return namesOfHostWork(calls.timeline(), [&](uint32_t track) { return calls.threadOfTrack(track); });
}

HostTime::HostTime(const Rational& factor, const std::vector<HostStretch>& stretches)
    : factor_(factor),
      stretches_(disjoint(stretches)),
      isMeasured_(stretches_.empty() && factor_.numerator == factor_.denominator) {}

int64_t HostTime::changedBetween(ThreadIndex thread, int64_t fromNs, int64_t toNs) const {
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
