#include <fmt/format.h>

#include <algorithm>

#include "ir/facets/timed.h"
#include "passes/curves/curves_analysis.h"
#include "passes/manager/report_values.h"
#include "support/csv_row.h"

namespace amdahlc {

std::string formatSpeedup(const Rational& factor) {
  if (factor.isZero()) return "inf";
  std::string text = fmt::format("{:.4f}", 1 / factor.toDouble());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string writeCurvesTable(const OutputContext& context, ir::CoverId id) {
  const ir::Cover& cover = context.module.cover(id);
  const auto& facts = context.analyses.get<CurvesAnalysis>(id);
  const auto iterations = static_cast<double>(std::max<int64_t>(1, cover.facets.get<ir::TimedFacet>()->run.iterations));
  std::string out;
  CsvRow header(out);
  for (const char* const column :
       {"selector", "wall_model", "speedup", "factor", "busy_ns", "wall_ns", "window_ns", "path_ns", "knee"})
    header.field(column);
  header.end();
  for (const Curve& curve : facts.curves)
    for (const CurvePoint& point : curve.points) {
      const auto ns = [&](std::optional<int64_t> totalNs) {
        return totalNs ? nanoseconds(static_cast<double>(*totalNs) / iterations).dump() : std::string();
      };
      const bool isKnee = curve.knee == point.factor, isPathKnee = curve.pathKnee == point.factor;
      CsvRow row(out);
      row.field(curve.selector).field(name(facts.model));
      row.field(formatSpeedup(point.factor)).field(point.factor.describe());
      row.field(ns(point.times.busyNs)).field(ns(point.times.wallNs)).field(ns(point.times.windowNs));
      row.field(nanoseconds(point.pathNs / iterations).dump());
      row.field(isKnee ? isPathKnee ? "wall path" : "wall" : isPathKnee ? "path" : "").end();
    }
  return out;
}

}  // namespace amdahlc
