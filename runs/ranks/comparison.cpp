#include "runs/ranks/comparison.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "support/limits.h"

namespace amdahlc::ranks {
namespace {

/// A rank is a straggler if more than this part of all waiting is for it, and if each rank that waits does so without
/// computing for at least this part of its wall time. Less changes no decision.
constexpr double kShareOfWaiting = 0.5, kShareOfWall = 0.01;

/// The ranks of an operation end it together: at least within this time, or within this part of its shortest call,
/// which is the one that waits least. Else it is not one operation, or the clocks drift.
constexpr int64_t kEndsTogetherNs = 50'000, kEndsTogetherPart = 4;

/// An operation on the common clock.
struct Placed {
  int64_t firstStartNs, lastStartNs, firstEndNs, lastEndNs;
  /// The last start of the other ranks.
  int64_t nextStartNs;
  int64_t shortestNs;
  /// Index of the rank that begins last, the lowest of several.
  uint32_t lastRank;

  bool endsTogether() const {
    return lastEndNs - firstEndNs <= std::max(kEndsTogetherNs, shortestNs / kEndsTogetherPart);
  }
};

/// Disjoint intervals in order of time, and how much of a stretch they cover.
class Coverage {
 public:
  explicit Coverage(const std::vector<TimeInterval>& intervals) : intervals_(intervals) {
    int64_t sumNs = 0;
    for (const TimeInterval& one : intervals) {
      before_.push_back(sumNs);
      sumNs += one.endNs - one.startNs;
    }
  }
  int64_t of(const TimeInterval& stretch) const { return until(stretch.endNs) - until(stretch.startNs); }

 private:
  int64_t until(int64_t ns) const {
    const auto next =
        std::ranges::partition_point(intervals_, [&](const TimeInterval& one) { return one.startNs < ns; });
    if (next == intervals_.begin()) return 0;
    const auto at = static_cast<size_t>(next - intervals_.begin()) - 1;
    return before_[at] + std::min(ns, intervals_[at].endNs) - intervals_[at].startNs;
  }

  const std::vector<TimeInterval>& intervals_;
  /// By interval: the length of those before it.
  std::vector<int64_t> before_;
};

class Comparer {
 public:
  Comparer(std::vector<RankRecord> records, const Numbering& numbering) { sort(std::move(records), numbering); }

  RankComparison compare() {
    common_ = commonSteps(records_);
    out_.steps = common_.steps;
    for (size_t rank = 0; rank < records_.size(); ++rank) out_.ranks.push_back(timesOf(rank));
    lateNs_.resize(records_.size());
    behindNextNs_.resize(records_.size());
    for (const RankRecord& record : records_) resolutionNs_ = std::max(resolutionNs_, record.clockResolutionNs);
    matching_ = matchCollectives(records_, numbers_, common_);
    out_.clocks = clocksOf(records_, matching_);
    if (out_.clocks.use != ClockUse::Unknown) compareOperations();
    findStraggler();
    findMissing();
    collectProblems();
    return std::move(out_);
  }

 private:
  void sort(std::vector<RankRecord> records, const Numbering& numbering) {
    out_.numbering = numbering.source;
    std::vector<size_t> order(records.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(order, [&](size_t a, size_t b) { return numbering.numbers[a] < numbering.numbers[b]; });
    for (const size_t at : order) {
      numbers_.push_back(numbering.numbers[at]);
      records_.push_back(std::move(records[at]));
    }
    out_.runtime = records_.front().runtime;
  }

  /// Whether the step counts.
  bool isCompared(size_t rank, size_t step) const {
    return common_.steps.empty() || common_.positions[rank][step].has_value();
  }

  ComparedRank timesOf(size_t rank) const {
    const RankRecord& record = records_[rank];
    ComparedRank row;
    row.number = numbers_[rank];
    row.file = record.file;
    row.device = record.device;
    std::vector<int64_t> busy, wall, window;
    std::vector<TimeBreakdown> breakdowns;
    for (size_t i = 0; i < record.steps.size(); ++i) {
      const Step& step = record.steps[i];
      if (!common_.positions[rank][i]) row.otherSteps.push_back(step.name.name);
      if (!isCompared(rank, i)) continue;
      ++row.steps;
      busy.push_back(step.times.busyNs);
      if (step.times.wallNs) wall.push_back(*step.times.wallNs);
      if (step.times.windowNs) window.push_back(*step.times.windowNs);
      if (step.breakdown) breakdowns.push_back(*step.breakdown);
    }
    const auto ofAll = [&](const std::vector<int64_t>& samples) {
      return !samples.empty() && samples.size() == busy.size() ? std::optional(timeStatistics(samples, Average::Mean))
                                                               : std::nullopt;
    };
    row.busy = timeStatistics(busy, Average::Mean);
    row.wall = ofAll(wall);
    row.window = ofAll(window);
    if (!breakdowns.empty() && breakdowns.size() == busy.size()) row.breakdown = breakdownStatistics(breakdowns);
    row.noBreakdown = record.noBreakdown;
    return row;
  }

  /// nullopt if the clocks of its ranks are not known.
  std::optional<Placed> place(const MatchedCollective& collective) const {
    Placed placed{};
    const Clocks& clocks = out_.clocks;
    const size_t connected = clocks.connected[collective.participants.front().rank];
    std::vector<int64_t> starts, ends, durations;
    for (const Participant& part : collective.participants) {
      const auto& offset = clocks.offsetNs[part.rank];
      if (!offset || clocks.connected[part.rank] != connected) return std::nullopt;
      starts.push_back(part.call->startNs + *offset);
      ends.push_back(starts.back() + part.call->durationNs);
      durations.push_back(part.call->durationNs);
    }
    const auto last = std::ranges::max_element(starts);
    placed.lastRank = collective.participants[static_cast<size_t>(last - starts.begin())].rank;
    std::ranges::sort(starts);
    placed.firstStartNs = starts.front();
    placed.lastStartNs = starts.back();
    placed.nextStartNs = starts[starts.size() - 2];
    placed.firstEndNs = *std::ranges::min_element(ends);
    placed.lastEndNs = *std::ranges::max_element(ends);
    placed.shortestNs = *std::ranges::min_element(durations);
    return placed;
  }

  /// Skew and waiting of all matched operations.
  void compareOperations() {
    const auto& collectives = matching_.collectives;
    // No sum of skews or waits overflows: an operation of honest traces is far below an hour.
    size_t parts = 1;
    for (const MatchedCollective& one : collectives) parts += one.participants.size();
    const int64_t mostNs = std::numeric_limits<int64_t>::max() / 2 / static_cast<int64_t>(parts);
    for (size_t begin = 0, end = 0; begin < collectives.size(); begin = end) {
      const CollectiveKey& key = matching_.keys[collectives[begin].key];
      const bool needsAll = isSynchronizing(key.kind);
      ComparedCollective row;
      row.key = key;
      if (needsAll) row.waitNs = 0;
      std::vector<int64_t> startSkews, endSkews;
      std::map<uint32_t, int64_t> lastCounts;
      for (; end < collectives.size() && collectives[end].key == collectives[begin].key; ++end) {
        const MatchedCollective& one = collectives[end];
        const auto placed = place(one);
        if (!placed) {
          ++unconnected_;
          continue;
        }
        if (placed->lastEndNs - placed->firstStartNs > mostNs) {
          ++tooLong_;
          continue;
        }
        if (needsAll && (!placed->endsTogether() || placed->firstEndNs < placed->lastStartNs - resolutionNs_)) {
          ++apart_;
          continue;
        }
        row.ranks = std::max(row.ranks, static_cast<int64_t>(one.participants.size()));
        startSkews.push_back(placed->lastStartNs - placed->firstStartNs);
        endSkews.push_back(placed->lastEndNs - placed->firstEndNs);
        if (startSkews.back() > 0) ++lastCounts[placed->lastRank];
        if (needsAll) *row.waitNs += addWaits(one, *placed);
      }
      if (startSkews.empty()) continue;
      row.count = static_cast<int64_t>(startSkews.size());
      row.startSkew = timeStatistics(startSkews, Average::Mean);
      row.endSkew = timeStatistics(endSkews, Average::Mean);
      row.mostStartSkewNs = *std::ranges::max_element(startSkews);
      const auto most = std::ranges::max_element(lastCounts, {}, [](const auto& one) { return one.second; });
      if (most != lastCounts.end()) row.mostOftenLast = {numbers_[most->first], most->second};
      out_.collectives.push_back(std::move(row));
    }
    std::ranges::stable_sort(out_.collectives, std::greater(),
                             [](const ComparedCollective& one) { return one.waitNs.value_or(-1); });
    sumWaits();
  }

  /// The waiting in one operation, the sum over its ranks.
  int64_t addWaits(const MatchedCollective& one, const Placed& placed) {
    int64_t sumNs = 0;
    ++out_.compared;
    out_.partial += one.isPartial;
    out_.assumed += !matching_.keys[one.key].hasGroup();
    if (placed.lastStartNs > placed.firstStartNs) {
      ++out_.ranks[placed.lastRank].last;
      behindNextNs_[placed.lastRank] += placed.lastStartNs - placed.nextStartNs;
    }
    for (const Participant& part : one.participants) {
      const int64_t start = part.call->startNs + *out_.clocks.offsetNs[part.rank];
      // A rank that the alignment of clocks makes end early cannot have waited longer than it ran.
      const int64_t wait = std::min(placed.lastStartNs - start, part.call->durationNs);
      ++out_.ranks[part.rank].operations;
      lateNs_[part.rank] += start - placed.firstStartNs;
      if (wait == 0) continue;
      sumNs += wait;
      waits_[{part.rank, placed.lastRank}][one.step].push_back({part.call->startNs, part.call->startNs + wait});
    }
    return sumNs;
  }

  /// Waiting by rank and step, and by pair of ranks: operations may run at the same time, so unions are taken.
  void sumWaits() {
    const size_t steps = common_.steps.size();
    for (uint32_t rank = 0; rank < records_.size(); ++rank) {
      ComparedRank& row = out_.ranks[rank];
      row.clockOffsetNs = out_.clocks.offsetNs[rank];
      row.clockDrift = out_.clocks.drift[rank];
      if (row.operations == 0) continue;
      row.skewNs = divideHalfEven(lateNs_[rank], row.operations);
      const Coverage computation(records_[rank].computation);
      const auto addUnion = [&](std::vector<TimeInterval> intervals, int64_t& ns, int64_t& exposedNs) {
        for (const TimeInterval& one : unionOf(std::move(intervals))) {
          ns += one.endNs - one.startNs;
          exposedNs += one.endNs - one.startNs - computation.of(one);
        }
      };
      std::vector<std::vector<TimeInterval>> ofStep(steps);
      for (auto at = waits_.lower_bound({rank, 0}); at != waits_.end() && at->first.first == rank; ++at) {
        Waiting waiting{numbers_[rank], numbers_[at->first.second]};
        for (auto& [step, intervals] : at->second) {
          addUnion(intervals, waiting.ns, waiting.exposedNs);
          ofStep[step].insert(ofStep[step].end(), intervals.begin(), intervals.end());
        }
        out_.ranks[at->first.second].waitedForNs += waiting.ns;
        out_.waits.push_back(waiting);
      }
      std::vector<int64_t> wait(steps), exposed(steps);
      for (size_t step = 0; step < steps; ++step) addUnion(std::move(ofStep[step]), wait[step], exposed[step]);
      row.wait = timeStatistics(wait, Average::Mean);
      row.exposedWait = timeStatistics(exposed, Average::Mean);
    }
    std::ranges::stable_sort(out_.waits, [](const Waiting& a, const Waiting& b) { return a.ns > b.ns; });
  }

  void findStraggler() {
    if (out_.compared == 0) return;
    int64_t allNs = 0;
    size_t most = 0;
    for (size_t rank = 0; rank < out_.ranks.size(); ++rank) {
      allNs += out_.ranks[rank].waitedForNs;
      if (out_.ranks[rank].waitedForNs > out_.ranks[most].waitedForNs) most = rank;
    }
    const ComparedRank& last = out_.ranks[most];
    if (!last.wall) return;
    out_.search = StragglerSearch::None;
    if (static_cast<double>(last.waitedForNs) <= kShareOfWaiting * static_cast<double>(allNs)) return;
    std::set<int64_t> waiting;
    int64_t exposed = 0;
    for (const Waiting& one : out_.waits) {
      if (one.forRank != last.number) continue;
      waiting.insert(one.rank);
      exposed += one.exposedNs;
    }
    const auto steps = static_cast<int64_t>(waiting.size() * common_.steps.size());
    Straggler straggler;
    straggler.rank = last.number;
    straggler.waitNs = divideHalfEven(last.waitedForNs, steps);
    straggler.exposedWaitNs = divideHalfEven(exposed, steps);
    straggler.share = static_cast<double>(last.waitedForNs) / static_cast<double>(allNs);
    straggler.behindNextNs = divideHalfEven(behindNextNs_[most], last.last);
    if (static_cast<double>(straggler.exposedWaitNs) < kShareOfWall * static_cast<double>(last.wall->meanNs)) return;
    std::vector<int64_t> computation;
    for (size_t rank = 0; rank < out_.ranks.size(); ++rank)
      if (rank != most && out_.ranks[rank].breakdown)
        computation.push_back(out_.ranks[rank].breakdown->computation.meanNs);
    if (last.breakdown && computation.size() + 1 == out_.ranks.size())
      straggler.moreComputationNs = last.breakdown->computation.meanNs - median(computation);
    out_.search = StragglerSearch::Found;
    out_.straggler = straggler;
  }

  /// Ranks that the traces tell of, but that have none.
  void findMissing() {
    std::set<int64_t> told, sizes;
    int64_t size = 0;
    for (const RankRecord& record : records_) {
      if (record.stated && record.stated->worldSize > 0) sizes.insert(record.stated->worldSize);
      for (const CollectiveKey& key : record.keys) {
        const std::vector<int64_t> listed = ranksInText(key.groupRanks);
        told.insert(listed.begin(), listed.end());
        size = std::max(size, std::min(key.groupSize, limits::kRankNumber));
      }
    }
    worlds_ = sizes.size();
    if (!sizes.empty()) size = std::max(size, *sizes.rbegin());
    if (!told.empty()) size = std::max(size, *told.rbegin() + 1);
    if (size > 0) out_.worldSize = size;
    const int64_t end = std::max(size, numbers_.back());
    out_.missingCount = end - std::ranges::count_if(numbers_, [&](int64_t one) { return one < end; });
    const std::set<int64_t> given(numbers_.begin(), numbers_.end());
    for (int64_t number = 0; number < end && static_cast<int64_t>(out_.missing.size()) < limits::kRanksOfRun; ++number)
      if (!given.contains(number)) out_.missing.push_back(number);
  }

  void collectProblems() {
    DataProblems& problems = out_.problems;
    for (const RankRecord& record : records_)
      for (const DataProblem& problem : record.problems) problems.add(problem.name, problem.count, problem.what);
    std::set<std::string> contents;
    for (const RankRecord& record : records_) contents.insert(record.contentHash);
    problems.add("equal-traces", static_cast<int64_t>(records_.size() - contents.size()),
                 "traces are the same as that of another rank");
    int64_t mismatches = 0, other = 0;
    for (size_t i = 0; i < records_.size(); ++i) {
      const auto& stated = records_[i].stated;
      mismatches += stated && stated->rank != numbers_[i];
      other += stated && out_.worldSize && numbers_[i] >= *out_.worldSize;
    }
    problems.add("rank-mismatch", mismatches, "traces state another number of their rank than they are given as");
    problems.add("rank-beyond-world", other, "ranks have numbers beyond the size of the world");
    problems.add("point-to-point", matching_.pointToPoint,
                 "sends and receives are not compared: the traces do not say which belong together");
    problems.add("collective-alone", matching_.alone,
                 "operations of groups of which one rank is given are not compared");
    problems.add("collective-uneven", matching_.uneven,
                 "operations that not all ranks of their group have in the same step are not compared");
    problems.add("collective-unconnected", unconnected_,
                 "operations are not compared: no operation tells how the clocks of their ranks differ");
    const auto drifts = std::ranges::count_if(
        out_.clocks.drift, [](const std::optional<ClockDrift>& drift) { return drift && drift->matters(); });
    problems.add(
        "clock-drift", drifts,
        "ranks have clocks whose distance to that of the lowest rank changes during the run: times of ranks are "
        "compared with the distance in the middle");
    problems.add("collective-apart", apart_,
                 "operations are not compared: their ranks do not end them together; they may be several operations");
    problems.add("collective-partial", out_.partial,
                 "operations are of groups of which some ranks have no trace: waiting is for the last given rank");
    problems.add("world-size-differs", static_cast<int64_t>(worlds_ > 1 ? worlds_ : 0),
                 "traces state different numbers of ranks; they may be of different runs");
    problems.add("collective-far-away", matching_.farAway + tooLong_,
                 "operations are not compared: their times are too far from those of other ranks");
    problems.add("collective-without-group", out_.assumed,
                 "operations are of traces that state no groups of ranks: kernels of one name, stream and order in the "
                 "step are taken as one operation of all ranks that have them");
  }

  RankComparison out_;
  /// By number, as everything that is indexed by rank.
  std::vector<RankRecord> records_;
  std::vector<int64_t> numbers_;
  CommonSteps common_;
  Matching matching_;
  /// By rank: how much later than the first rank it begins operations; than the rank before it, where it is the last.
  std::vector<int64_t> lateNs_, behindNextNs_;
  /// By rank that waits and rank that is waited for: the waiting of each step, on the clock of the first as recorded.
  std::map<std::pair<uint32_t, uint32_t>, std::map<uint32_t, std::vector<TimeInterval>>> waits_;
  int64_t resolutionNs_ = 0;
  int64_t unconnected_ = 0, apart_ = 0, tooLong_ = 0;
  size_t worlds_ = 0;
};

}  // namespace

RankComparison compareRanks(std::vector<RankRecord> records, const Numbering& numbering) {
  return Comparer(std::move(records), numbering).compare();
}

}  // namespace amdahlc::ranks
