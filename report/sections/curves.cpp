#include <fmt/format.h>

#include <algorithm>

#include "ir/kernel_graph.h"
#include "ir/selectors.h"
#include "passes/curves/curves_analysis.h"
#include "report/outputs/output.h"
#include "report/section.h"
#include "support/decimal_time.h"
#include "support/name_list.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

/// Speed-ups that a line of the summary names, besides those of knees.
const Rational kTwiceAsFast = {1, 2};
const Rational kShownFactors[] = {kTwiceAsFast, {1, 4}, {0, 1}};

using CurveRow = ItemOf<Curve, ReportRun>;

struct PointRow {
  const CurveRow& curve;
  const CurvePoint& point;
  // NOLINTNEXTLINE(google-explicit-constructor): a row of CSV has columns of the curve.
  operator const CurveRow&() const { return curve; }
};

std::optional<double> speedupOf(const std::optional<Rational>& factor) {
  return factor && !factor->isZero() ? std::optional(1 / factor->toDouble()) : std::nullopt;
}

constexpr auto kCurvesPointFields = inCsv(fields<PointRow>(
    field("factor", "new / old time of the group, a fraction", [](auto& row) { return row.point.factor.describe(); }),
    field("busy_ns", "predicted, per iteration",
          [](auto& row) { return row.curve.run.perIteration(row.point.times.busyNs); }),
    field("wall_ns", "predicted, per iteration; null: unknown",
          [](auto& row) { return row.curve.run.predicted(row.point.times.wallNs); }),
    field("window_ns",
          "predicted, per iteration; null if it is unknown, and where neither a replay nor one thread tells it",
          [](auto& row) { return row.curve.run.predicted(row.point.times.windowNs); }),
    field("path_ns", "the critical path of the kernels, per iteration",
          [](auto& row) { return row.curve.run.predictedNs(row.point.pathNs); })));

constexpr auto kCurvesCurveFields = fields<CurveRow>(
    inCsv(field<&Curve::selector>("selector", "of the group, as `-what-if=` takes it")),
    inCsv(field("wall_model", "as in `what_if`; null: wall is unknown",
                [](const CurveRow& row) { return wallModelName(row.run.facts<CurvesAnalysis>()->model); })),
    objects<kCurvesPointFields>("points", "by falling factor, from 1 to 0; times between are on straight lines",
                                [](auto& row) { return rowsOf<PointRow>(row, row.item.points); }),
    field("knee",
          "the speed-up beyond which more of it saves wall time at most half as fast as at first; null: "
          "none",
          [](auto& row) { return speedupOf(row.item.knee); }),
    field("next", "selector of the group that limits wall time beyond the knee; null: none alone",
          [](auto& row) { return nonEmpty(row.item.next); }),
    field("rest", "selector of the group that would save most if this one cost nothing; null: none alone",
          [](auto& row) { return nonEmpty(row.item.rest); }),
    field("path_knee", "as `knee`, of the critical path", [](auto& row) { return speedupOf(row.item.pathKnee); }),
    field<&Curve::pathNext>("path_next", "ids of the kernels that are on the path beyond its knee and not before"),
    field("flat", "why a faster group saves less than 0.5 % of wall time, as a clause; null: it saves more",
          [](auto& row) { return nonEmpty(row.item.flat); }),
    field("caution", "as in `what_if`, of the group without any time",
          [](auto& row) { return nonEmpty(row.item.caution); }),
    field<&Curve::isComplete>("complete", "false: a part of the breaks was not looked for"));

constexpr auto kCurvesRunFields = fields<ReportRun>(
    objects<kCurvesCurveFields>("curves", "times against the speed-up of one group; null if none was asked for",
                                kFactRows<CurvesAnalysis, CurveRow, &CurvesAnalysis::curves>));

// What CSV has beside the fields of curves and points.

constexpr auto kSpeedupColumn =
    fields<PointRow>(inCsv(field("speedup", "", [](auto& row) { return formatBareSpeedup(row.point.factor); })));
constexpr auto kKneeColumn = fields<PointRow>(inCsv(field("knee", "", [](const PointRow& row) {
  const Curve& curve = row.curve.item;
  const bool isKnee = curve.knee == row.point.factor, isPathKnee = curve.pathKnee == row.point.factor;
  return isKnee ? isPathKnee ? "wall path" : "wall" : isPathKnee ? "path" : "";
})));

std::string writeCurves(const OutputContext& context, ir::CoverId id) {
  const ReportRun run = reportRun(context.module, context.analyses, id);
  const auto curves = rowsOf<CurveRow>(run, context.analyses.get<CurvesAnalysis>(id).curves);
  std::vector<PointRow> points;
  for (const CurveRow& curve : curves)
    for (const CurvePoint& point : curve.item.points) points.push_back({curve, point});
  return writeCsv(points, kCurvesCurveFields, kSpeedupColumn, kCurvesPointFields, kKneeColumn);
}

/// `then` of the path: labels of the kernels that join it.
std::string joining(const ReportRun& run, const Curve& curve) {
  if (curve.pathNext.empty()) return "what is left of it limits";
  const auto titleOf = [&](ir::KernelId kernel) {
    return fmt::format("{} `{}`", kernel.index(), printable(ir::kernelLabel(*run.module, run.cover->kernels[kernel])));
  };
  return "then kernel " + firstFew(curve.pathNext, titleOf, 1);
}

std::string lineOf(const ReportRun& run, const Curve& curve) {
  const auto us = [&](const CurvePoint& point) { return run.predictedUs(point.limitNs()); };
  const CurvePoint& first = curve.points.front();
  std::string text =
      fmt::format("curve `{}`: {} {} us", printable(curve.selector), schedule::info(first.times.model).time, us(first));
  for (const CurvePoint& point : curve.points)
    if (std::ranges::find(kShownFactors, point.factor) != std::end(kShownFactors))
      text += fmt::format(", {} {}", point.factor.isZero() ? "free" : formatBareSpeedup(point.factor) + "x", us(point));
  if (curve.knee)
    text += fmt::format("; knee {}x, then {}", formatBareSpeedup(*curve.knee),
                        curve.next.empty() ? "no group alone" : fmt::format("`{}`", printable(curve.next)));
  else if (curve.flat.empty())
    text += "; no knee";
  if (!curve.flat.empty())
    text += fmt::format("; a faster one saves {}, because {}",
                        first.limitNs() == curve.points.back().limitNs() ? "nothing" : "next to nothing", curve.flat);
  // A reason has named the host.
  const bool isHost =
      curve.rest == ir::name(ir::SelectorKind::Host) || curve.rest == ir::name(ir::SelectorKind::Launches);
  if (!curve.rest.empty() && curve.rest != curve.next && (curve.flat.empty() || !isHost))
    text += fmt::format("; without it `{}` limits most", printable(curve.rest));
  if (curve.pathKnee)
    text += fmt::format("; path knee {}x, {}", formatBareSpeedup(*curve.pathKnee), joining(run, curve));
  if (!curve.caution.empty()) text += "; " + curve.caution;
  if (!curve.isComplete) text += "; not all breaks were looked for, because the trace is large";
  return text + "\n";
}

std::string curvesDetails(const ReportRun& run) {
  const auto* facts = run.facts<CurvesAnalysis>();
  if (facts == nullptr || facts->curves.empty()) return {};
  std::string text =
      fmt::format("curves: times of an iteration by speed-up of one group ({})\n", describe(facts->model));
  for (const Curve& curve : facts->curves) text += lineOf(run, curve);
  return text;
}

std::vector<std::string> curvesAnswers(const ReportRun& run) {
  const auto* facts = run.facts<CurvesAnalysis>();
  std::vector<std::string> answers;
  if (facts == nullptr) return answers;
  for (const Curve& curve : facts->curves) {
    const auto readable = [&](const CurvePoint& point) { return formatReadable(run.perIteration(point.limitNs())); };
    std::string text = fmt::format("curve `{}`: {} is", printable(curve.selector),
                                   timeOfAnswer(run, curve.points.front().times.model));
    std::string_view separator = " ";
    for (const CurvePoint& point : curve.points)
      if (point.factor == kTwiceAsFast || point.factor.isZero()) {
        text += fmt::format("{}{} {}", separator, readable(point),
                            point.factor.isZero() ? "if it takes no time" : "if it is twice as fast");
        separator = ", ";
      }
    answers.push_back(std::move(text));
  }
  return answers;
}

}  // namespace

constinit const Output kCurvesOutput{.name = "curves",
                                     .summary = "busy, wall, window and path by speed-up of each group, as CSV",
                                     .pass = "curves",
                                     .write = writeCurves,
                                     .isCsv = true};

constinit const ReportSection kCurvesSection{
    .runFields = kCurvesRunFields, .answers = curvesAnswers, .details = curvesDetails};

}  // namespace amdahlc
