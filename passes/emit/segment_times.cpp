#include "passes/emit/segment_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/facets/states.h"
#include "passes/emit/verdict.h"
#include "passes/timing/timing_analysis.h"
#include "support/printable.h"
#include "timeline/totals.h"

namespace amdahlc {
namespace {

/// Times of a run, per selected iteration.
struct RunTimes {
  /// By segment.
  std::vector<std::vector<int64_t>> segmentNs, beforeNs;
  std::vector<int64_t> compiledNs, uncompiledNs, afterNs, otherNs;
};

class RunColumn {
 public:
  RunColumn(const Report& report, const RunReport& run, const ir::Segments& segments)
      : module_(*report.module), run_(run), segments_(segments), iterations_(ownedEvents(*run.timeline, *run.cover)) {
    const size_t count = iterations_.size();
    if (run.totals->window) windows_ = windows();
    times_.segmentNs.assign(segments.segments.size(), std::vector<int64_t>(count, 0));
    times_.beforeNs = times_.segmentNs;
    for (auto* list : {&times_.compiledNs, &times_.uncompiledNs, &times_.afterNs, &times_.otherNs})
      list->assign(count, 0);
    for (size_t i = 0; i < count; ++i) {
      addDurations(i);
      if (windows_) addGaps(i, (*windows_)[i]);
    }
    countEvents();
  }

  SegmentTotals totals() const {
    SegmentTotals totals;
    totals.run = &run_;
    totals.runs = run_.totals->iterations;
    if (const auto names = run_.timeline->iterationNames(LeftOut::WarmUp); !names.empty())
      totals.discarded = names.front();
    totals.compiled.time = timeStatistics(times_.compiledNs);
    totals.otherDevice = timeStatistics(times_.otherNs);
    if (!windows_) return totals;
    totals.uncompiled = timeStatistics(times_.uncompiledNs);
    totals.uncompiledAfter = timeStatistics(times_.afterNs);
    std::vector<int64_t> together;
    for (size_t i = 0; i < iterations_.size(); ++i) together.push_back(times_.compiledNs[i] + times_.uncompiledNs[i]);
    totals.withUncompiled = ComparedTime{timeStatistics(together)};
    return totals;
  }

  std::optional<SegmentCell> cell(size_t segment) const {
    const Kernels& kernels = kernels_[segment];
    if (kernels.bound == 0 && kernels.withoutEvents == 0) return std::nullopt;
    SegmentCell cell;
    cell.kernelsWithoutEvents = kernels.withoutEvents;
    if (!run_.onlyMeans()) cell.failures = std::count(kernels.failed.begin(), kernels.failed.end(), true);
    if (kernels.bound == 0) return cell;
    cell.time = ComparedTime{timeStatistics(times_.segmentNs[segment])};
    if (run_.totals->deviceTotalNs > 0)
      cell.share = static_cast<double>(cell.time->time.totalNs) / static_cast<double>(run_.totals->deviceTotalNs);
    return cell;
  }

  std::optional<TimeStatistics> before(size_t segment) const {
    if (!windows_) return std::nullopt;
    return timeStatistics(times_.beforeNs[segment]);
  }

 private:
  /// What is known of a segment's kernels that launch.
  struct Kernels {
    int64_t bound = 0, withoutEvents = 0;
    /// By iteration.
    std::vector<bool> failed;
  };

  uint32_t segmentOf(ir::KernelId kernel) const { return segments_.ofOp[run_.cover->kernels[kernel].anchor()]; }

  std::vector<Interval> windows() const {
    std::vector<Interval> windows;
    for (const Iteration& iteration : run_.timeline->iterations)
      if (iteration.selected()) windows.push_back({*iteration.startNs, *iteration.endNs});
    return windows;
  }

  void addDurations(size_t i) {
    const OwnedEvents& events = iterations_[i];
    for (size_t e = 0; e < events.events.size(); ++e) {
      const int64_t durationNs = run_.timeline->durationNs[events.events[e]];
      if (events.owners[e] == kUnboundOwner) {
        times_.otherNs[i] += durationNs;
        continue;
      }
      times_.segmentNs[segmentOf(events.owners[e])][i] += durationNs;
      times_.compiledNs[i] += durationNs;
    }
  }

  /// The window without the events of segments. A gap belongs to the segment whose event ends it.
  void addGaps(size_t i, Interval window) {
    const OwnedEvents& events = iterations_[i];
    const std::vector<Interval> intervals = intervalsOf(*run_.timeline, events);
    int64_t coveredTo = window.startNs;
    for (size_t e = 0; e < events.events.size(); ++e) {
      if (events.owners[e] == kUnboundOwner || intervals[e].endNs <= window.startNs) continue;
      const int64_t start = std::min(intervals[e].startNs, window.endNs);
      if (start > coveredTo) {
        times_.beforeNs[segmentOf(events.owners[e])][i] += start - coveredTo;
        times_.uncompiledNs[i] += start - coveredTo;
      }
      coveredTo = std::max(coveredTo, std::min(intervals[e].endNs, window.endNs));
    }
    // Work that begins behind the window ends the last gap in it.
    if (window.endNs > coveredTo) {
      times_.afterNs[i] += window.endNs - coveredTo;
      times_.uncompiledNs[i] += window.endNs - coveredTo;
    }
  }

  void countEvents() {
    const size_t count = iterations_.size();
    kernels_.assign(segments_.segments.size(), {0, 0, std::vector<bool>(count, false)});
    IdVector<ir::KernelId, std::vector<uint32_t>> events;
    for (size_t k = 0; k < run_.cover->kernels.size(); ++k) events.push_back({});
    for (size_t i = 0; i < count; ++i)
      for (const ir::KernelId owner : iterations_[i].owners) {
        if (owner == kUnboundOwner) continue;
        if (events[owner].empty()) events[owner].assign(count, 0);
        ++events[owner][i];
      }
    for (const ir::Kernel& kernel : run_.cover->kernels) {
      Kernels& segment = kernels_[segmentOf(kernel.id)];
      const ir::KernelState state = ir::kernelState(module_, *run_.cover, kernel.id);
      if (state == ir::KernelState::Unbound || state == ir::KernelState::Ambiguous) ++segment.withoutEvents;
      if (events[kernel.id].empty()) continue;
      ++segment.bound;
      if (module_.ops[kernel.anchor()].graph != ir::kMainGraph) continue;
      const uint32_t expected = mostFrequent(events[kernel.id]);
      for (size_t i = 0; i < count; ++i)
        if (events[kernel.id][i] < expected) segment.failed[i] = true;
    }
  }

  /// The larger one of two that are as frequent.
  static uint32_t mostFrequent(const std::vector<uint32_t>& counts) {
    std::map<uint32_t, size_t> frequency;
    for (const uint32_t count : counts) ++frequency[count];
    return std::max_element(
               frequency.begin(), frequency.end(),
               [](const auto& a, const auto& b) { return std::pair(a.second, a.first) < std::pair(b.second, b.first); })
        ->first;
  }

  const ir::Module& module_;
  const RunReport& run_;
  const ir::Segments& segments_;
  std::vector<OwnedEvents> iterations_;
  std::optional<std::vector<Interval>> windows_;
  RunTimes times_;
  /// By segment.
  std::vector<Kernels> kernels_;
};

/// A time of a run that counts in a comparison.
struct Candidate {
  const RunReport* run;
  ComparedTime* time;
};

MeanOfSamples samplesOf(const Candidate& one) {
  return {static_cast<double>(one.time->time.meanNs), one.time->time.standardDeviationNs,
          one.run->onlyMeans() ? 0 : one.run->measured.iterations};
}

/// Ties: the first run.
void judge(const std::vector<Candidate>& row) {
  if (row.size() < 2) return;
  const Candidate& best = *std::min_element(row.begin(), row.end(), [](const Candidate& a, const Candidate& b) {
    return a.time->time.meanNs < b.time->time.meanNs;
  });
  for (const Candidate& one : row) {
    if (best.time->time.meanNs > 0)
      one.time->timesBest = static_cast<double>(one.time->time.meanNs) / static_cast<double>(best.time->time.meanNs);
    const auto interval = welchInterval(samplesOf(best), samplesOf(one));
    one.time->against = one.time == best.time   ? AgainstBest::Best
                        : !interval             ? AgainstBest::NoiseUnknown
                        : interval->contains(0) ? AgainstBest::WithinNoise
                                                : AgainstBest::Slower;
  }
}

std::vector<std::string> caveatsOf(const std::vector<SegmentTotals>& runs, std::span<const ReportSection> sections) {
  std::vector<std::string> caveats;
  for (const SegmentTotals& one : runs)
    if (const auto verdict = verdictOn(*one.run, sections); verdict && verdict->trust != TrustLevel::Full)
      caveats.push_back(fmt::format("`{}`: {}", printable(one.run->label), verdict->text));
  std::optional<double> forwards;
  for (const SegmentTotals& one : runs) {
    if (!one.run->forwards) continue;
    if (forwards && *forwards != *one.run->forwards)
      caveats.push_back(
          fmt::format("an iteration of `{}` runs the model {:.4g} times, one of an earlier run {:.4g} "
                      "times; times are per iteration",
                      printable(one.run->label), *one.run->forwards, *forwards));
    forwards = one.run->forwards;
  }
  return caveats;
}

}  // namespace

std::string_view name(AgainstBest value) {
  switch (value) {
    case AgainstBest::None:
      return "";
    case AgainstBest::Best:
      return "best";
    case AgainstBest::Slower:
      return "slower";
    case AgainstBest::WithinNoise:
      return "within-noise";
    case AgainstBest::NoiseUnknown:
      return "noise-unknown";
  }
  return {};
}

SegmentTable segmentTable(const Report& report, std::span<const ReportSection> sections, ir::SegmentChoice choice) {
  SegmentTable table;
  std::vector<const RunReport*> runs;
  std::vector<const ir::Cover*> covers;
  for (const RunReport& run : report.runs) {
    if (!run.totals) continue;
    runs.push_back(&run);
    covers.push_back(run.cover);
  }
  table.segments = ir::segmentsOf(*report.module, covers, choice);
  std::vector<RunColumn> columns;
  std::vector<bool> trusted, isComplete(runs.size(), true);
  for (const RunReport* run : runs) {
    columns.emplace_back(report, *run, table.segments);
    table.runs.push_back(columns.back().totals());
    const auto verdict = verdictOn(*run, sections);
    trusted.push_back(!verdict || verdict->trust != TrustLevel::None);
  }
  table.caveats = caveatsOf(table.runs, sections);
  for (size_t s = 0; s < table.segments.segments.size(); ++s) {
    SegmentRow row;
    row.segment = s;
    for (size_t r = 0; r < runs.size(); ++r) {
      row.cells.push_back(columns[r].cell(s));
      row.uncompiledBefore.push_back(columns[r].before(s));
    }
    const auto hasTime = [](const auto& cell) { return cell && cell->time; };
    if (std::none_of(row.cells.begin(), row.cells.end(), hasTime)) continue;
    std::vector<Candidate> candidates;
    for (size_t r = 0; r < runs.size(); ++r) {
      if (!row.cells[r]) continue;
      if (row.cells[r]->isComplete() && trusted[r]) candidates.push_back({runs[r], &*row.cells[r]->time});
      isComplete[r] = isComplete[r] && row.cells[r]->isComplete();
    }
    judge(candidates);
    table.rows.push_back(std::move(row));
  }
  std::vector<Candidate> compiled, with;
  for (size_t r = 0; r < runs.size(); ++r) {
    if (!trusted[r]) continue;
    if (isComplete[r]) compiled.push_back({runs[r], &table.runs[r].compiled});
    if (table.runs[r].withUncompiled) with.push_back({runs[r], &*table.runs[r].withUncompiled});
  }
  judge(compiled);
  judge(with);
  return table;
}

}  // namespace amdahlc
