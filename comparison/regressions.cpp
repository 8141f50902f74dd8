#include "comparison/regressions.h"

#include <fmt/format.h>

#include "support/decimal_time.h"
#include "support/printable.h"

namespace amdahlc::comparison {
namespace {

__extension__ typedef __int128 Int128;

constexpr int64_t kWhole = 100'000;  // 100 % in thousandths of a percent

std::string percentOf(double part) { return fmt::format("{:+.2f} %", 100 * part); }

std::string noiseOf(const Difference& row) {
  if (!row.intervalNs) return "the noise is unknown, because a side has fewer than three iterations or only means";
  const auto beforeNs = static_cast<double>(row.before->meanNs);
  return fmt::format("95 % interval {} to {}", percentOf(row.intervalNs->low / beforeNs),
                     percentOf(row.intervalNs->high / beforeNs));
}

/// Whether the row grew by more than `limit` of `wholeNs`, and not by noise.
bool regressed(const Difference& row, int64_t wholeNs, int64_t limit) {
  if (row.change != Change::Slower && row.change != Change::NoiseUnknown && row.change != Change::OnlyAfter)
    return false;
  return Int128{row.differenceNs()} * kWhole > Int128{wholeNs} * limit;
}

std::string describe(const Difference& row, bool isTotal, int64_t busyNs, int64_t limit) {
  std::string text = isTotal ? fmt::format("`{}`", row.name)
                             : fmt::format("kernel `{}` at `{}`", printable(row.name), printable(row.node));
  if (row.change == Change::OnlyAfter)
    text += fmt::format(" is new and takes {} us", formatUs(row.after->meanNs));
  else
    text += fmt::format(" went from {} to {} us", formatUs(row.before->meanNs), formatUs(row.after->meanNs));
  if (const auto relative = row.relative()) text += fmt::format(", {} ({})", percentOf(*relative), noiseOf(row));
  if (!isTotal && busyNs > 0)
    text += fmt::format(", {} of busy time",
                        percentOf(static_cast<double>(row.differenceNs()) / static_cast<double>(busyNs)));
  return fmt::format("{}; the limit is {:.6g} %", text, static_cast<double>(limit) / 1000);
}

}  // namespace

std::vector<Regression> regressions(const Comparison& comparison, int64_t limit) {
  std::vector<Regression> found;
  const int64_t busyNs = comparison.totals.front().before->meanNs;
  for (const Difference& row : comparison.totals)
    if (regressed(row, row.before->meanNs, limit)) found.push_back({&row, true, describe(row, true, busyNs, limit)});
  for (const Difference& row : comparison.kernels)
    if (regressed(row, busyNs, limit)) found.push_back({&row, false, describe(row, false, busyNs, limit)});
  return found;
}

}  // namespace amdahlc::comparison
