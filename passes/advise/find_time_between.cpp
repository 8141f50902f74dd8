// Time between the operators of a run without a device: pauses that other iterations do not have, and what the host
// does besides, with the functions and modules in which it is.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "passes/advise/finders.h"
#include "passes/timing/timing_analysis.h"
#include "replay/timeline/totals.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"
#include "support/statistics.h"

namespace amdahlc {
namespace {

/// Of wall time, or of the window: less is not worth a sentence.
constexpr double kLeastBetween = 0.03;
/// A shorter one may be a cache that was cold: who takes the processor from a process keeps it for longer.
constexpr int64_t kLeastPauseNs = 1'000'000;

/// In an iteration that no other one is like, a pause is so many times as long as is usual between two operators of
/// these names, where they follow one another at so many places.
constexpr int64_t kMuchLonger = 10;
constexpr size_t kLeastPlaces = 4;

using Between = std::vector<schedule::TimeBetween>;

class TimeBetweenFinder {
 public:
  explicit TimeBetweenFinder(AdvisedRun& run) : run_(run), between_(run.timeBetween()) {}

  void find(std::vector<AdviceCandidate>& candidates) {
    findPauses();
    if (isMuch(pausesNs_)) {
      candidates.push_back(pauses());
    } else {
      pauses_.clear();
      between_ = run_.timeBetween();
    }
    int64_t ns = 0;
    for (const schedule::TimeBetween& one : between_) ns += one.interval.lengthNs();
    if (isMuch(ns)) candidates.push_back(rest(ns));
  }

 private:
  bool isMuch(int64_t ns) const { return shareOf(ns, run_.longerNs()) >= kLeastBetween; }
  std::string shareText(int64_t ns) const {
    return fmt::format("{} us, {} of {},", formatUs(ns / run_.timed.run.reportedIterations()),
                       formatPercent(shareOf(ns, run_.longerNs())), run_.longerName());
  }

  /// What the time at a place is longer than in the median of the iterations with the same events; where no other
  /// iteration has them, than usual between operators of the same names.
  void findPauses() {
    const EventsByIteration iterations = eventsByIteration(run_.timeline);
    // By the names of their events.
    std::map<std::vector<uint32_t>, std::vector<size_t>> alike;
    for (size_t i = 0; i < iterations.size(); ++i) {
      if (!run_.timeline.iterations[i].selected()) continue;
      std::vector<uint32_t> names;
      for (const EventIndex event : iterations[i]) names.push_back(run_.timeline.name[event].index);
      alike[std::move(names)].push_back(i);
    }
    std::vector<std::vector<const schedule::TimeBetween*>> betweenOf(iterations.size());
    for (const schedule::TimeBetween& one : run_.predicted().oneThread->between())
      betweenOf[static_cast<size_t>(one.iteration)].push_back(&one);
    // What is usual by place; empty for an iteration that no other one is like.
    std::vector<std::map<size_t, int64_t>> usualNs(iterations.size());
    std::vector<bool> hasOthers(iterations.size(), false);
    for (const auto& [names, members] : alike) {
      if (members.size() < 2) continue;
      std::map<size_t, std::vector<int64_t>> lengthsNs;
      for (const size_t member : members)
        for (const schedule::TimeBetween* one : betweenOf[member])
          lengthsNs[one->place].push_back(one->interval.lengthNs());
      std::map<size_t, int64_t> usual;
      for (auto& [place, lengths] : lengthsNs) {
        // At a place without time between its operators there is no length: it is 0.
        lengths.resize(members.size(), 0);
        usual.emplace(place, shorterMedian(lengths));
      }
      for (const size_t member : members) {
        hasOthers[member] = true;
        usualNs[member] = usual;
      }
    }
    const std::map<Pair, int64_t> usualOfPairs = usualByNames(iterations, hasOthers);
    for (schedule::TimeBetween& one : between_) {
      const auto iteration = static_cast<size_t>(one.iteration);
      hasOthers_ |= hasOthers[iteration];
      if (one.interval.lengthNs() < kLeastPauseNs) continue;
      int64_t usual = 0;
      if (hasOthers[iteration]) {
        usual = usualNs[iteration].at(one.place);
        if (2 * usual > one.interval.lengthNs()) continue;
      } else {
        const auto pair =
            one.isOfWall ? usualOfPairs.find(pairAt(iterations[iteration], one.place)) : usualOfPairs.end();
        if (pair == usualOfPairs.end() || kMuchLonger * pair->second > one.interval.lengthNs()) continue;
        usual = pair->second;
      }
      pauses_.push_back({0, one.interval.startNs + usual, one.interval.endNs, Rational::of(0)});
      pausesNs_ += one.interval.lengthNs() - usual;
      one.interval.endNs = one.interval.startNs + usual;
    }
  }

  /// The names of two operators that follow one another.
  using Pair = std::pair<uint32_t, uint32_t>;
  Pair pairAt(std::span<const EventIndex> events, size_t place) const {
    return {run_.timeline.name[events[place - 1]].index, run_.timeline.name[events[place]].index};
  }

  /// Of reported iterations that no other one is like: the median of the time between two operators, by their names.
  std::map<Pair, int64_t> usualByNames(const EventsByIteration& iterations, const std::vector<bool>& hasOthers) const {
    std::map<Pair, std::vector<int64_t>> lengthsNs;
    std::map<Pair, size_t> places;
    for (size_t i = 0; i < iterations.size(); ++i)
      for (size_t place = 1;
           !hasOthers[i] && run_.reported.has(static_cast<int32_t>(i)) && place < iterations[i].size(); ++place)
        ++places[pairAt(iterations[i], place)];
    for (const schedule::TimeBetween& one : between_)
      if (const auto iteration = static_cast<size_t>(one.iteration); one.isOfWall && !hasOthers[iteration])
        lengthsNs[pairAt(iterations[iteration], one.place)].push_back(one.interval.lengthNs());
    std::map<Pair, int64_t> usual;
    for (auto& [pair, lengths] : lengthsNs) {
      const size_t count = places[pair];
      if (count < kLeastPlaces) continue;
      lengths.resize(std::max(lengths.size(), count), 0);
      usual.emplace(pair, shorterMedian(lengths));
    }
    return usual;
  }

  /// Of an even number the shorter one in the middle.
  static int64_t shorterMedian(std::vector<int64_t>& lengthsNs) {
    const auto middle = lengthsNs.begin() + static_cast<ptrdiff_t>((lengthsNs.size() - 1) / 2);
    std::ranges::nth_element(lengthsNs, middle);
    return *middle;
  }

  AdviceCandidate pauses() const {
    AdviceCandidate candidate;
    candidate.change = "measure again where nothing else runs: the run was stopped between operators";
    candidate.why = fmt::format("{} pass in {} between two operators that {}", shareText(pausesNs_),
                                plural(pauses_.size(), "pause"),
                                hasOthers_ ? "the same place of other iterations does not have"
                                           : "other places between operators of the same names do not have");
    candidate.assumption = "another process ran meanwhile, and will not";
    candidate.pauses = pauses_;
    return candidate;
  }

  /// What the thread does between operators takes no time.
  AdviceCandidate rest(int64_t ns) const {
    AdviceCandidate candidate;
    candidate.kind = AdviceKind::Bound;
    for (const schedule::TimeBetween& one : between_)
      candidate.pauses.push_back({0, one.interval.startNs, one.interval.endNs, Rational::of(0)});
    // The selector has the pauses, too.
    if (pauses_.empty()) candidate.selector = whatIfText(withoutTime(ir::SelectorKind::Host));
    candidate.change = "the time between operators vanishes";
    candidate.why =
        fmt::format("{} lie between operators{}", shareText(ns), pauses_.empty() ? "" : ", without these pauses");
    const auto [mostNs, name, hasFunctions] = innermost();
    if (2 * mostNs > ns)
      candidate.why += fmt::format(", {} of that in `{}`", formatPercent(shareOf(mostNs, ns)), printable(name));
    if (const std::string_view remedy = run_.remedy(Remedy::RecordFunctions); !hasFunctions && !remedy.empty())
      candidate.why += fmt::format("; no function of the program is recorded there: {}", remedy);
    // With one iteration a pause looks like work.
    if (!hasOthers_)
      candidate.why += "; the run has no second iteration that tells whether something else ran meanwhile";
    candidate.assumption = "the recorder itself takes none of it";
    return candidate;
  }

  struct Innermost {
    int64_t ns = 0;
    std::string_view name = {};
    bool hasFunctions = false;
  };

  /// The module, and outside of all modules the function of the program, with the most of the time: of each what is in
  /// no other one inside. Whether functions are recorded.
  Innermost innermost() const {
    const HostFacts& host = *run_.timeline.host;
    const RuntimeAdapter& runtime = runtimeAdapter(run_.timeline.target.runtime);
    Innermost most;
    std::map<std::string_view, int64_t> times;
    // By time: the open functions and modules, the outermost first.
    std::vector<HostEventId> open;
    size_t at = 0;
    const auto addUntil = [&](int64_t fromNs, int64_t toNs) {
      if (open.empty() || toNs <= fromNs) return;
      while (at < between_.size() && between_[at].interval.endNs <= fromNs) ++at;
      int64_t ns = 0;
      for (size_t i = at; i < between_.size() && between_[i].interval.startNs < toNs; ++i)
        ns += std::min(toNs, between_[i].interval.endNs) - std::max(fromNs, between_[i].interval.startNs);
      if (ns == 0) return;
      const auto isModule = [&](HostEventId id) { return host.kind[id] == EventKind::ModuleFrame; };
      const auto module = std::ranges::find_if(open.rbegin(), open.rend(), isModule);
      const std::string_view name = run_.timeline.text(host.name[module == open.rend() ? open.back() : *module]);
      times[module == open.rend() ? name : runtime.moduleInstance(name)] += ns;
    };
    int64_t nowNs = 0;
    const auto closeUntil = [&](int64_t ns) {
      while (!open.empty() && host.endNs(open.back()) <= ns) {
        addUntil(nowNs, host.endNs(open.back()));
        nowNs = std::max(nowNs, host.endNs(open.back()));
        open.pop_back();
      }
      addUntil(nowNs, ns);
      nowNs = std::max(nowNs, ns);
    };
    for (const HostEventId event : host.kind.ids()) {
      const EventKind kind = host.kind[event];
      most.hasFunctions |= kind == EventKind::Frame;
      const bool isFunction = kind == EventKind::Frame && !runtime.isLibraryFrame(run_.timeline.text(host.name[event]));
      if ((!isFunction && kind != EventKind::ModuleFrame) || host.durationNs[event] <= 0) continue;
      closeUntil(host.startNs[event]);
      open.push_back(event);
    }
    if (!open.empty()) closeUntil(host.endNs(open.front()));
    for (const auto& [name, ns] : times)
      if (ns > most.ns) std::tie(most.ns, most.name) = std::pair(ns, name);
    return most;
  }

  AdvisedRun& run_;
  /// Of the reported iterations; from `findPauses` on without the pauses.
  Between between_;
  /// Whether another iteration has the same events as a reported one.
  bool hasOthers_ = false;
  std::vector<schedule::HostStretch> pauses_;
  int64_t pausesNs_ = 0;
};

}  // namespace

void findTimeBetween(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) {
  if (run.timeline.hasDevice || !run.timed.run.wallNs) return;
  if (run.predicted().oneThread != nullptr) return TimeBetweenFinder(run).find(candidates);
  const int64_t wallNs = run.timed.run.reported(*run.timed.run.wallNs);
  const double share = shareOf(wallNs - run.timed.run.reported(run.timed.run.busyNs), wallNs);
  if (run.predicted().isHostKnown && run.timeline.host && share >= kLeastBetween)
    run.notes.push_back(
        fmt::format("{} of {} lies between operators; several threads work, so that nothing tells which of them "
                    "waits for which",
                    formatPercent(share), run.measuredWallName()));
}

}  // namespace amdahlc
