#include "report/comparison/regressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "support/decimal_time.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc::comparison {
namespace {

__extension__ typedef __int128 Int128;

constexpr int64_t kPercent = 1000;  // of thousandths
constexpr int64_t kWhole = 100 * kPercent;

std::string noiseOf(const Difference& row) {
  const auto& interval = row.judgement.ratio;
  if (!interval) return std::string(kNoiseUnknown);
  if (!row.isNoise() && interval->low <= 1 && interval->high >= 1)
    return "every iteration after is slower than every one before";
  return fmt::format("95 % interval {} to {}", formatChange(interval->low - 1), formatChange(interval->high - 1));
}

bool isNoiseUnknown(const Difference& row) { return row.judgement.change == Change::NoiseUnknown; }

/// Whether the row grew by more than `limit` of `wholeNs`, and not by noise.
bool regressed(const Difference& row, int64_t wholeNs, int64_t limit) {
  if (isNoiseUnknown(row)) limit += kDriftPercent * kPercent;
  return !row.isNoise() && !row.isUnknown() && Int128{row.differenceNs()} * kWhole > Int128{wholeNs} * limit;
}

std::string nameOf(const GateRow& row) {
  const std::string name = printable(row.difference.name);
  switch (row.kind) {
    case GateRow::Kind::Total:
      return fmt::format("`{}`", name);
    case GateRow::Kind::Category:
      return fmt::format("category `{}`", name);
    case GateRow::Kind::Scope:
      return fmt::format("module scope `{}`", name);
    case GateRow::Kind::Kernel:
      break;
  }
  return fmt::format("kernel `{}` at `{}`", name, printable(row.difference.node));
}

std::string describe(const GateRow& gated, const Difference& busy, int64_t limit) {
  const Difference& row = gated.difference;
  std::string text = nameOf(gated);
  if (row.isOnlyAfter())
    text += fmt::format(" is new and takes {} us", formatUs(row.after->ns));
  else
    text += fmt::format(" went from {} to {} us", formatUs(row.before->ns), formatUs(row.after->ns));
  if (const auto relative = row.relative()) text += fmt::format(", {} ({})", formatChange(*relative), noiseOf(row));
  if (gated.kind != GateRow::Kind::Total && busy.before->ns > 0)
    text += fmt::format(", {} of {} time",
                        formatChange(static_cast<double>(row.differenceNs()) / static_cast<double>(busy.before->ns)),
                        busy.name);
  text += fmt::format("; the limit is {:.6g} %", static_cast<double>(limit) / kPercent);
  if (isNoiseUnknown(row)) text += fmt::format(", and {} % more for noise that is unknown", kDriftPercent);
  return text;
}

/// Whether busy and wall both fell, and not by noise. Of runs without wall, busy.
bool becameFaster(const Comparison& comparison) {
  return std::ranges::all_of(comparison.totals, [](const Difference& row) {
    if (row.name == kWindowRow || row.name == kMedianWindowRow) return true;
    return !row.isNoise() && row.differenceNs() < 0;
  });
}

/// Scopes in an order in which those inside of a scope follow it.
bool isBefore(const std::string& a, const std::string& b) {
  const auto rank = [](char c) { return c == '.' ? -1 : static_cast<unsigned char>(c); };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [&](char x, char y) { return rank(x) < rank(y); });
}

bool isInside(std::string_view scope, std::string_view outer) {
  return scope == outer || (!outer.empty() && scope.starts_with(outer) && scope[outer.size()] == '.');
}

using Rows = std::vector<const Difference*>;

/// Rows of kernels that count as one: each alone, but new and gone ones together by the outermost scope around them,
/// where there are both.
std::vector<Rows> places(const Comparison& comparison) {
  std::vector<Rows> sets;
  Rows changed;
  for (const Difference& row : comparison.kernels) {
    if (row.isOnlyAfter() || row.isOnlyBefore())
      changed.push_back(&row);
    else
      sets.push_back({&row});
  }
  std::ranges::stable_sort(changed,
                           [](const Difference* a, const Difference* b) { return isBefore(a->scope, b->scope); });
  for (auto begin = changed.begin(); begin != changed.end();) {
    const auto isOutside = [&](const Difference* row) { return !isInside(row->scope, (*begin)->scope); };
    const auto end = std::find_if(begin, changed.end(), isOutside);
    const auto areNew = std::count_if(begin, end, [](const Difference* row) { return row->isOnlyAfter(); });
    if (areNew > 0 && areNew < end - begin)
      sets.emplace_back(begin, end);
    else
      for (auto row = begin; row != end; ++row) sets.push_back({*row});
    begin = end;
  }
  return sets;
}

/// Kernels by category, and by module scope with all inside.
std::vector<GateRow> groupRows(const Comparison& comparison) {
  std::map<std::pair<GateRow::Kind, std::string>, Rows> groups;
  for (const Rows& rows : places(comparison)) {
    const auto add = [&](GateRow::Kind kind, const std::string& name) {
      Rows& all = groups[{kind, name}];
      all.insert(all.end(), rows.begin(), rows.end());
    };
    const Difference place = together(rows);
    add(GateRow::Kind::Category, place.category);
    for (std::string scope = place.scope; !scope.empty();) {
      add(GateRow::Kind::Scope, scope);
      const size_t end = scope.rfind('.');
      scope.resize(end == std::string::npos ? 0 : end);
    }
  }
  std::vector<Difference> differences;
  for (const auto& [key, rows] : groups) {
    Difference& group = differences.emplace_back(together(rows));
    group.name = key.second;
    group.node.clear();
  }
  judgeRows(differences, comparison.totals.front());
  std::vector<GateRow> gated;
  for (const auto& [key, rows] : groups) gated.push_back({key.first, std::move(differences[gated.size()])});
  return gated;
}

}  // namespace

std::vector<GateRow> gateRows(const Comparison& comparison, const RegressionLimit& limit) {
  std::vector<GateRow> rows;
  for (const Difference& row : comparison.totals) rows.push_back({GateRow::Kind::Total, row});
  std::ranges::move(groupRows(comparison), std::back_inserter(rows));
  if (limit.singleKernels)
    for (const Difference& row : comparison.kernels) rows.push_back({GateRow::Kind::Kernel, row});
  if (!limit.singleKernels && becameFaster(comparison)) return rows;
  const Difference& busy = comparison.totals.front();
  for (GateRow& row : rows) {
    const int64_t wholeNs = row.kind == GateRow::Kind::Total ? row.difference.before->ns : busy.before->ns;
    if (regressed(row.difference, wholeNs, limit.growth)) row.regression = describe(row, busy, limit.growth);
  }
  return rows;
}

}  // namespace amdahlc::comparison
