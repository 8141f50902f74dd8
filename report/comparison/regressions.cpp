#include "report/comparison/regressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "support/decimal_time.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc::comparison {
namespace {

__extension__ typedef __int128 Int128;

constexpr int64_t kWhole = 100'000;  // 100 % in thousandths of a percent

std::string noiseOf(const Difference& row) {
  const auto& interval = row.judgement.intervalNs;
  if (!interval) return std::string(kNoiseUnknown);
  const auto beforeNs = static_cast<double>(row.before->meanNs);
  return fmt::format("95 % interval {} to {}", formatChange(interval->low / beforeNs),
                     formatChange(interval->high / beforeNs));
}

/// Whether the row grew by more than `limit` of `wholeNs`, and not by noise.
bool regressed(const Difference& row, int64_t wholeNs, int64_t limit) {
  return !row.isNoise() && Int128{row.differenceNs()} * kWhole > Int128{wholeNs} * limit;
}

std::string describe(const Difference& row, bool isTotal, int64_t busyNs, int64_t limit) {
  std::string text = isTotal ? fmt::format("`{}`", row.name)
                             : fmt::format("kernel `{}` at `{}`", printable(row.name), printable(row.node));
  if (row.isOnlyAfter())
    text += fmt::format(" is new and takes {} us", formatUs(row.after->meanNs));
  else
    text += fmt::format(" went from {} to {} us", formatUs(row.before->meanNs), formatUs(row.after->meanNs));
  if (const auto relative = row.relative()) text += fmt::format(", {} ({})", formatChange(*relative), noiseOf(row));
  if (!isTotal && busyNs > 0)
    text += fmt::format(", {} of busy time",
                        formatChange(static_cast<double>(row.differenceNs()) / static_cast<double>(busyNs)));
  return fmt::format("{}; the limit is {:.6g} %", text, static_cast<double>(limit) / 1000);
}

/// Whether busy and wall both fell, and not by noise. Of runs without wall, busy.
bool becameFaster(const Comparison& comparison) {
  return std::ranges::all_of(comparison.totals, [](const Difference& row) {
    if (row.name != "busy" && row.name != "wall") return true;
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

/// Rows of new and gone kernels by the outermost scope around them, where there are both; in the order of the
/// comparison.
std::vector<Rows> replacements(const Comparison& comparison) {
  Rows changed;
  for (const Difference& row : comparison.kernels)
    if (row.isOnlyAfter() || row.isOnlyBefore()) changed.push_back(&row);
  std::ranges::stable_sort(changed,
                           [](const Difference* a, const Difference* b) { return isBefore(a->scope, b->scope); });
  std::vector<Rows> sets;
  for (const Difference* row : changed) {
    if (sets.empty() || !isInside(row->scope, sets.back().front()->scope)) sets.emplace_back();
    sets.back().push_back(row);
  }
  std::erase_if(sets, [](const Rows& rows) {
    return std::ranges::all_of(rows,
                               [&](const Difference* row) { return row->isOnlyAfter() == rows[0]->isOnlyAfter(); });
  });
  for (Rows& rows : sets) std::ranges::sort(rows);
  return sets;
}

}  // namespace

std::vector<Regression> regressions(const Comparison& comparison, const RegressionLimit& limit) {
  std::vector<Regression> found;
  if (!limit.singleKernels && becameFaster(comparison)) return found;
  const int64_t busyNs = comparison.totals.front().before->meanNs;
  for (const Difference& row : comparison.totals)
    if (regressed(row, row.before->meanNs, limit.growth))
      found.push_back({&row, true, describe(row, true, busyNs, limit.growth)});
  std::map<const Difference*, const Rows*> replaced;
  const std::vector<Rows> sets = limit.singleKernels ? std::vector<Rows>{} : replacements(comparison);
  for (const Rows& rows : sets)
    for (const Difference* row : rows) replaced[row] = &rows;
  std::set<const Rows*> judged;
  for (const Difference& row : comparison.kernels) {
    const auto set = replaced.find(&row);
    if (set != replaced.end() && (!row.isOnlyAfter() || !judged.insert(set->second).second)) continue;
    const Difference counted = set == replaced.end() ? row : together(*set->second);
    if (regressed(counted, busyNs, limit.growth))
      found.push_back({&row, false, describe(counted, false, busyNs, limit.growth)});
  }
  return found;
}

}  // namespace amdahlc::comparison
