/// Compares two runs of one model: totals, groups, and kernels, also where the runs group operators differently.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/comparison/noise.h"
#include "support/absence.h"

namespace amdahlc::comparison {

/// One quantity of both runs.
struct Difference {
  std::string name;
  /// Of kernels: the anchor of the first kernel, after if there is one.
  std::string node = {};
  /// The module scope of the kernel that has the node, and its category.
  std::string scope = {}, category = {};
  std::optional<MeasuredTime> before, after;
  /// Unexplained time of the run in which kernels of the row may be of which no event is known: the row takes at least
  /// `before` and at most this much more. 0 if all of its time is known, and where so much were drift.
  int64_t unexplainedBeforeNs = 0, unexplainedAfterNs = 0;
  Judgement judgement = {};

  /// The other side has no time, beyond noise, or does not know the row.
  bool isOnlyBefore() const { return hasTime(before) && !hasTime(after) && unexplainedAfterNs == 0 && !isNoise(); }
  bool isOnlyAfter() const { return hasTime(after) && !hasTime(before) && unexplainedBeforeNs == 0 && !isNoise(); }
  bool isNoise() const { return judgement.change == Change::WithinNoise; }
  bool isUnknown() const { return judgement.change == Change::Unknown; }
  /// after - before; a missing side counts 0.
  int64_t differenceNs() const;
  /// Of the two times.
  int64_t longestNs() const;
  /// The difference over `before`; nullopt without a time before.
  std::optional<double> relative() const;

 private:
  static bool hasTime(const std::optional<MeasuredTime>& time) { return time && time->ns != 0; }
};

/// A run and where its numbers are from.
struct MeasuredRunName {
  std::string label;
  /// The report; empty for a run of this one.
  std::string report = {};
};

/// Names of totals. The window of a run is that of its representative iteration, while a comparison has the medians.
inline constexpr std::string_view kMedianBusyRow = "median busy", kBusyRow = "busy", kWallRow = "wall",
                                  kWindowRow = "window", kMedianWindowRow = "median window";

struct Comparison {
  MeasuredRunName before, after;
  /// Busy, wall and window, those that both runs have. The first is busy: the undisturbed time if both have it.
  std::vector<Difference> totals;
  /// Those first of which the difference is known, then the largest difference, the longest time, and by name. All have
  /// time on a side.
  ///
  /// A row of `kernels` is a smallest set of kernels whose operators are the same on both sides, or those of kernels
  /// that are on one side only. The time of several kernels in an iteration is the sum of theirs.
  std::vector<Difference> kernels, categories, scopes;
  /// Facts that make the comparison unfair, as sentences for users without a period.
  std::vector<std::string> caveats;
  /// Why no row is judged; nullopt if all are.
  std::optional<Absence> notComparable;
};

/// Why a difference of times between the runs says nothing about a change of the program: a run is not to be trusted,
/// they do different work in an iteration, or one has medians and the other means.
std::optional<Absence> whyNotComparable(const MeasuredRun& before, const MeasuredRun& after);

Comparison compare(const MeasuredRun& before, const MeasuredRun& after);

/// Rows of kernels as one row, which is not judged. Its place is that of the first row that has time after.
/// Precondition: there is a row.
Difference together(const std::vector<const Difference*>& rows);
/// Judges rows as one table. A run that does not know a row took no time in it, in each iteration of `busy`. Where a
/// time may be longer, the row is `Unknown`, unless even the longest time is faster or slower beyond noise and drift.
void judgeRows(std::vector<Difference>& rows, const Difference& busy);

}  // namespace amdahlc::comparison
