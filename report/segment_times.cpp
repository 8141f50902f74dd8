#include "report/segment_times.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "ir/facets/states.h"
#include "ir/facets/timed.h"
#include "passes/timing/timing_analysis.h"
#include "replay/timeline/totals.h"
#include "report/measured_runs.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

/// Times by segment and selected iteration. Most segments of a large model have none.
class SegmentSamples {
 public:
  SegmentSamples(size_t segments, size_t iterations) : iterations_(iterations), samplesNs_(segments) {}

  void add(uint32_t segment, size_t iteration, int64_t ns) {
    std::vector<int64_t>& samples = samplesNs_[segment];
    if (samples.empty()) samples.assign(iterations_, 0);
    samples[iteration] += ns;
  }
  const std::vector<int64_t>& samples(size_t segment) const { return samplesNs_[segment]; }

 private:
  size_t iterations_;
  std::vector<std::vector<int64_t>> samplesNs_;
};

class RunColumn {
 public:
  /// `ofKernel` is the segment of each kernel of the run's cover.
  RunColumn(const Report& report, const RunReport& run, size_t segments,
            const IdVector<ir::KernelId, uint32_t>& ofKernel)
      : module_(*report.module),
        run_(run),
        ofKernel_(ofKernel),
        iterations_(ownedEvents(*run.timeline, *run.cover)),
        timesNs_(segments, iterations_.size()),
        beforeNs_(segments, iterations_.size()),
        kernels_(segments) {
    compiledNs_.assign(iterations_.size(), 0);
    uncompiledNs_ = afterNs_ = otherNs_ = compiledNs_;
    for (size_t i = 0; i < iterations_.size(); ++i) addDurations(i);
    if (run.totals->window) addGaps();
    for (const UnboundRow& row : run.unbound)
      if (ir::isUnexplained(row.state)) unexplainedNs_ += row.totalNs;
    countEvents();
  }

  SegmentTotals totals() const {
    SegmentTotals totals;
    totals.run = &run_;
    totals.runs = run_.totals->iterations;
    if (const auto names = run_.timeline->iterationNames(LeftOut::WarmUp); !names.empty())
      totals.discarded = fmt::format("{}", fmt::join(names, ", "));
    totals.compiled = {statistics(compiledNs_), compiledNs_};
    totals.otherDevice = statistics(otherNs_);
    if (!run_.totals->window) return totals;
    totals.uncompiled = statistics(uncompiledNs_);
    totals.uncompiledAfter = statistics(afterNs_);
    std::vector<int64_t> together;
    for (size_t i = 0; i < iterations_.size(); ++i) together.push_back(compiledNs_[i] + uncompiledNs_[i]);
    totals.withUncompiled = ComparedTime{statistics(together), together};
    return totals;
  }

  std::optional<SegmentCell> cell(size_t segment) const {
    const Kernels& kernels = kernels_[segment];
    // If all device time is explained, kernels without events took none.
    const int64_t withoutEvents = unexplainedNs_ > 0 ? kernels.withoutEvents : 0;
    if (kernels.bound == 0 && withoutEvents == 0) return std::nullopt;
    SegmentCell cell;
    cell.kernelsWithoutEvents = withoutEvents;
    if (!run_.onlyMeans()) cell.failures = std::ranges::count(kernels.failed, true);
    if (kernels.bound == 0) return cell;
    cell.time = ComparedTime{statistics(timesNs_.samples(segment)), timesNs_.samples(segment)};
    cell.share = shareOf(cell.time->time.reportedNs, run_.totals->device.reportedNs);
    return cell;
  }

  std::optional<TimeStatistics> before(size_t segment) const {
    if (!run_.totals->window) return std::nullopt;
    return statistics(beforeNs_.samples(segment));
  }

 private:
  /// Times of segments add up to that of the run.
  TimeStatistics statistics(const std::vector<int64_t>& samplesNs) const {
    if (samplesNs.empty()) return {};
    return timeOfIterations(samplesNs, run_.cover->facets.get<ir::TimedFacet>()->run.representative);
  }

  /// What is known of a segment's kernels that launch.
  struct Kernels {
    int64_t bound = 0, withoutEvents = 0;
    /// By iteration; empty for none.
    std::vector<bool> failed;
  };

  void addDurations(size_t i) {
    const OwnedEvents& events = iterations_[i];
    for (size_t e = 0; e < events.events.size(); ++e) {
      const int64_t durationNs = run_.timeline->durationNs[events.events[e]];
      if (events.owners[e] == kUnboundOwner) {
        otherNs_[i] += durationNs;
        continue;
      }
      timesNs_.add(ofKernel_[events.owners[e]], i, durationNs);
      compiledNs_[i] += durationNs;
    }
  }

  /// The windows without the events of segments, of whatever iteration: work may run after the window of its launch. So
  /// work of iterations that do not count is left out, too. A gap belongs to the segment whose event ends it.
  void addGaps() {
    struct Work {
      TimeInterval interval;
      /// nullopt: of an iteration that does not count.
      std::optional<uint32_t> segment;
    };
    const Timeline& timeline = *run_.timeline;
    std::vector<Work> work;
    for (EventIndex event = 0; event < timeline.size(); ++event)
      if (!timeline.isSelected(event)) work.push_back({timeline.interval(event), std::nullopt});
    for (const OwnedEvents& events : iterations_) {
      const std::vector<TimeInterval> intervals = intervalsOf(timeline, events.events);
      for (size_t e = 0; e < intervals.size(); ++e)
        if (events.owners[e] != kUnboundOwner) work.push_back({intervals[e], ofKernel_[events.owners[e]]});
    }
    std::ranges::stable_sort(work,
                             [](const Work& a, const Work& b) { return a.interval.startNs < b.interval.startNs; });
    // The latest end of all work that begins before.
    std::vector<int64_t> endBefore{std::numeric_limits<int64_t>::min()};
    for (const Work& one : work) endBefore.push_back(std::max(endBefore.back(), one.interval.endNs));
    size_t i = 0;
    for (const Iteration& iteration : timeline.iterations) {
      if (!iteration.selected()) continue;
      const int64_t begin = *iteration.startNs, end = *iteration.endNs;
      auto next = std::ranges::partition_point(work, [&](const Work& one) { return one.interval.startNs < begin; });
      int64_t coveredTo = std::max(begin, endBefore[static_cast<size_t>(next - work.begin())]);
      int64_t gapNs = 0;
      const auto pass = [&](int64_t startNs) {
        gapNs += std::max<int64_t>(0, startNs - coveredTo);
        uncompiledNs_[i] += std::max<int64_t>(0, startNs - coveredTo);
      };
      for (; next != work.end() && next->interval.startNs < end; ++next) {
        pass(next->interval.startNs);
        if (next->segment && gapNs > 0) beforeNs_.add(*next->segment, i, std::exchange(gapNs, 0));
        coveredTo = std::max(coveredTo, next->interval.endNs);
      }
      pass(end);
      afterNs_[i] += gapNs;
      ++i;
    }
  }

  void countEvents() {
    const size_t count = iterations_.size();
    IdVector<ir::KernelId, std::vector<uint32_t>> events(run_.cover->kernels.size());
    for (size_t i = 0; i < count; ++i)
      for (const ir::KernelId owner : iterations_[i].owners) {
        if (owner == kUnboundOwner) continue;
        if (events[owner].empty()) events[owner].assign(count, 0);
        ++events[owner][i];
      }
    for (const ir::Kernel& kernel : run_.cover->kernels) {
      Kernels& segment = kernels_[ofKernel_[kernel.id]];
      const ir::KernelState state = ir::kernelState(module_, *run_.cover, kernel.id);
      if (state == ir::KernelState::Unbound || state == ir::KernelState::Ambiguous) ++segment.withoutEvents;
      if (events[kernel.id].empty()) continue;
      ++segment.bound;
      if (module_.ops[kernel.anchor()].graph != ir::kMainGraph) continue;
      const uint32_t expected = mostFrequent(events[kernel.id]);
      for (size_t i = 0; i < count; ++i) {
        if (events[kernel.id][i] >= expected) continue;
        if (segment.failed.empty()) segment.failed.assign(count, false);
        segment.failed[i] = true;
      }
    }
  }

  /// The larger one of two that are as frequent.
  static uint32_t mostFrequent(const std::vector<uint32_t>& counts) {
    std::map<uint32_t, size_t> frequency;
    std::pair<size_t, uint32_t> most;
    for (const uint32_t count : counts) most = std::max(most, {++frequency[count], count});
    return most.second;
  }

  const ir::Module& module_;
  const RunReport& run_;
  const IdVector<ir::KernelId, uint32_t>& ofKernel_;
  std::vector<OwnedEvents> iterations_;
  SegmentSamples timesNs_, beforeNs_;
  /// By iteration.
  std::vector<int64_t> compiledNs_, uncompiledNs_, afterNs_, otherNs_;
  /// Device time that may be of any kernel.
  int64_t unexplainedNs_ = 0;
  /// By segment.
  std::vector<Kernels> kernels_;
};

/// A time of a run that counts in a comparison.
struct Candidate {
  const RunReport* run;
  ComparedTime* time;
};

/// Rows of the table, which are judged together.
class BestOfRows {
 public:
  /// Ties: the first run.
  void add(const std::vector<Candidate>& row) {
    if (row.size() < 2) return;
    const Candidate& best =
        *std::ranges::min_element(row, {}, [](const Candidate& one) { return one.time->time.reportedNs; });
    best.time->isBest = true;
    for (const Candidate& one : row) {
      if (best.time->time.reportedNs > 0)
        one.time->timesBest =
            static_cast<double>(one.time->time.reportedNs) / static_cast<double>(best.time->time.reportedNs);
      if (one.time != best.time) pairs_.push_back({one, measured(best), measured(one)});
    }
  }

  void judge() {
    std::vector<comparison::TwoTimes> times;
    for (const Pair& pair : pairs_) times.push_back({pair.best, pair.other});
    const std::vector<comparison::Judgement> judgements = comparison::judge(times);
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const comparison::Change change = judgements[i].change;
      // The best one is that of the times that are shown, which are not medians where they have to add up.
      pairs_[i].candidate.time->change =
          change == comparison::Change::Faster ? comparison::Change::WithinNoise : change;
      pairs_[i].candidate.time->interval = judgements[i].ratio;
    }
  }

 private:
  struct Pair {
    Candidate candidate;
    comparison::MeasuredTime best, other;
  };

  static comparison::MeasuredTime measured(const Candidate& one) {
    return measuredTime(*one.run, one.time->time.reportedNs, one.time->perIterationNs);
  }

  std::vector<Pair> pairs_;
};

/// Only the runs that count.
void compareTimes(SegmentTable& table, const std::vector<bool>& counts, const std::vector<bool>& isComplete) {
  std::vector<Candidate> compiled, with;
  for (size_t r = 0; r < table.runs.size(); ++r) {
    if (!counts[r]) continue;
    if (isComplete[r]) compiled.push_back({table.runs[r].run, &table.runs[r].compiled});
    if (table.runs[r].withUncompiled) with.push_back({table.runs[r].run, &*table.runs[r].withUncompiled});
  }
  BestOfRows totals, segments;
  totals.add(compiled);
  totals.add(with);
  for (SegmentRow& row : table.rows) {
    std::vector<Candidate> candidates;
    for (size_t r = 0; r < table.runs.size(); ++r)
      if (counts[r] && row.cells[r] && row.cells[r]->isComplete())
        candidates.push_back({table.runs[r].run, &*row.cells[r]->time});
    segments.add(candidates);
  }
  totals.judge();
  segments.judge();
}

/// Of the runs that are to be trusted: why times of two tell nothing about a change.
std::optional<Absence> whyNotComparable(const std::vector<comparison::MeasuredRun>& runs) {
  // Of one model, runs have the same work if each has that of the first one that says how much it is.
  const comparison::MeasuredRun* first = nullptr;
  for (const comparison::MeasuredRun& run : runs) {
    if (!run.distrust.empty()) continue;
    if (first != nullptr)
      if (auto why = comparison::whyNotComparable(*first, run)) return why;
    if (first == nullptr || (!first->forwards && run.forwards)) first = &run;
  }
  return std::nullopt;
}

std::vector<std::string> caveatsOf(const std::vector<SegmentTotals>& runs,
                                   const std::optional<Absence>& notComparable) {
  std::vector<std::string> caveats;
  for (const SegmentTotals& one : runs)
    if (const auto& verdict = one.run->verdict; verdict && verdict->trust != TrustLevel::Full)
      caveats.push_back(fmt::format("`{}`: {}", printable(one.run->label), verdict->reason));
  if (!notComparable) return caveats;
  if (notComparable->reason != Absence::Reason::OtherForwards) {
    caveats.push_back(describe(*notComparable) + "; times are not compared");
    return caveats;
  }
  std::string text;
  for (const SegmentTotals& one : runs)
    if (one.run->forwards)
      text += fmt::format("{}{:.4g} times in `{}`", text.empty() ? "" : ", ", *one.run->forwards,
                          printable(one.run->label));
  caveats.push_back(fmt::format("an iteration runs the model {}; times are per iteration, and are not compared", text));
  return caveats;
}

}  // namespace

SegmentTable segmentTable(const Report& report, ir::SegmentChoice choice) {
  SegmentTable table;
  table.module = report.module;
  std::vector<const RunReport*> runs;
  std::vector<const ir::Cover*> covers;
  for (const RunReport& run : report.runs) {
    if (!run.totals) continue;
    runs.push_back(&run);
    covers.push_back(run.cover);
  }
  table.segments = ir::segmentsOf(*report.module, covers, choice);
  const size_t count = table.segments.segments.size();
  table.rows.resize(count);
  std::vector<bool> counts(runs.size(), true), isComplete(runs.size(), true);
  std::vector<comparison::MeasuredRun> measured;
  for (size_t r = 0; r < runs.size(); ++r) {
    // The samples of one run at a time are in memory.
    const RunColumn column(report, *runs[r], count, table.segments.ofKernel[r]);
    table.runs.push_back(column.totals());
    for (size_t s = 0; s < count; ++s) {
      table.rows[s].segment = s;
      table.rows[s].cells.push_back(column.cell(s));
      table.rows[s].uncompiledBefore.push_back(column.before(s));
      isComplete[r] = isComplete[r] && (!table.rows[s].cells[r] || table.rows[s].cells[r]->isComplete());
    }
    measured.push_back(measuredRun(*runs[r]));
    counts[r] = measured.back().distrust.empty();
  }
  std::erase_if(table.rows, [](const SegmentRow& row) {
    return std::ranges::none_of(row.cells, [](const auto& cell) { return cell.has_value(); });
  });
  const auto notComparable = whyNotComparable(measured);
  table.caveats = caveatsOf(table.runs, notComparable);
  if (!notComparable) compareTimes(table, counts, isComplete);
  return table;
}

}  // namespace amdahlc
