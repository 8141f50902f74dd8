#include "report/outputs/comparison_fields.h"

#include <algorithm>

#include "report/measured_runs.h"

namespace amdahlc {
namespace {

using comparison::Change;
using comparison::Comparison;
using comparison::Difference;
using comparison::MeasuredTime;

constexpr std::string_view kNew = "new", kGone = "gone";

std::vector<std::string_view> changeNames() {
  using enum Change;
  return {kNew, kGone, name(Faster), name(Slower), name(WithinNoise), name(NoiseUnknown), name(Unknown)};
}

std::optional<OneOf<changeNames>> changeToWrite(const Difference& row) {
  if (row.isOnlyBefore()) return OneOf<changeNames>{kGone};
  if (row.isOnlyAfter()) return OneOf<changeNames>{kNew};
  if (row.judgement.change == Change::NotJudged) return std::nullopt;
  return OneOf<changeNames>{name(row.judgement.change)};
}

std::optional<int64_t> unexplainedToWrite(int64_t ns) { return ns > 0 ? std::optional(ns) : std::nullopt; }

std::optional<int64_t> nsToWrite(const std::optional<MeasuredTime>& time) {
  return time ? std::optional(time->ns) : std::nullopt;
}

constexpr auto kDifferenceFields = fields<Difference>(
    field<&Difference::name>("name", "of the group, or of the rules of the kernels"),
    field("node", "of kernels: the anchor of the first one; null of other rows",
          [](auto& row) { return nonEmpty(row.node); }),
    field("scope", "of the kernel; null of other rows, and outside of modules",
          [](auto& row) { return nonEmpty(row.scope); }),
    field("category", "of the kernel; null of other rows", [](auto& row) { return nonEmpty(row.category); }),
    field("before_ns", "median per iteration; null if the run has no such row, or if its time is not known",
          [](auto& row) { return nsToWrite(row.before); }),
    field("after_ns", "the same of the other run", [](auto& row) { return nsToWrite(row.after); }),
    field(
        "before_unexplained_ns",
        "unexplained time of the run in which kernels of the row may be, so that it takes at least `before_ns`; null: "
        "all of its time is known",
        [](auto& row) { return unexplainedToWrite(row.unexplainedBeforeNs); }),
    field("after_unexplained_ns", "the same of the other run",
          [](auto& row) { return unexplainedToWrite(row.unexplainedAfterNs); }),
    field("change", "null if the runs are not comparable", [](auto& row) { return changeToWrite(row); }),
    field("ratio_low", "of the 95 % interval of after / before; null if the noise is unknown",
          [](auto& row) { return row.judgement.ratio ? std::optional(row.judgement.ratio->low) : std::nullopt; }),
    field("ratio_high", "the other end of the interval",
          [](auto& row) { return row.judgement.ratio ? std::optional(row.judgement.ratio->high) : std::nullopt; }));

constexpr auto kTableOfComparison = fields<Comparison>(
    field("before", "label of the run", [](auto& all) { return all.before.label; }),
    field("baseline", "the report that it is from; null: this one",
          [](auto& all) { return nonEmpty(all.before.report); }),
    field("after", "label of the other run", [](auto& all) { return all.after.label; }),
    field("not_comparable", "why no row is judged; null: all are", [](auto& all) { return all.notComparable; }),
    field<&Comparison::caveats>("caveats", "facts that make the comparison unfair, as sentences"),
    objects<kDifferenceFields>("totals", "median busy, wall and window, those that both runs have",
                               [](auto& all) { return std::span(all.totals); }),
    objects<kDifferenceFields>("kernels",
                               "smallest sets of kernels whose operators are the same on both sides; the largest "
                               "difference first",
                               [](auto& all) { return std::span(all.kernels); }),
    objects<kDifferenceFields>("categories", "likewise", [](auto& all) { return std::span(all.categories); }),
    objects<kDifferenceFields>("scopes", "likewise, each with all inside it",
                               [](auto& all) { return std::span(all.scopes); }));

}  // namespace

constinit const std::span<const Field<Comparison>> kComparisonFields = kTableOfComparison;

std::vector<Comparison> comparisonsOf(const Report& report, const comparison::Baseline* baseline) {
  std::vector<Comparison> comparisons;
  std::optional<comparison::MeasuredRun> first;
  for (const RunReport& run : report.runs) {
    if (!run.totals) continue;
    if (first)
      comparisons.push_back(comparison::compare(*first, measuredRun(run)));
    else
      first = measuredRun(run);
  }
  if (baseline == nullptr) return comparisons;
  for (const RunReport& run : report.runs) {
    if (!run.totals) continue;
    if (const auto before = runBefore(*baseline, run, report.runs.size()))
      comparisons.push_back(comparison::compare(**before, measuredRun(run)));
  }
  return comparisons;
}

}  // namespace amdahlc
