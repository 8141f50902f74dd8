#include "report/comparison_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/text_table.h"
#include "support/decimal_time.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

using comparison::Change;
using comparison::Difference;
using Align = TextTable::Align;

constexpr size_t kRowsOfKernels = 20;
constexpr size_t kRowsOfGroups = 8;

std::string timeOf(const std::optional<comparison::MeasuredTime>& time) { return time ? formatUs(time->meanNs) : "-"; }

std::string changeOf(const Difference& row) {
  const auto relative = row.relative();
  return row.before && row.after && relative ? fmt::format("{:+.1f} %", 100 * *relative) : "";
}

std::string_view markOf(Change change) {
  switch (change) {
    case Change::WithinNoise:
      return "~";
    case Change::Faster:
      return "faster";
    case Change::Slower:
      return "slower";
    case Change::NoiseUnknown:
      return "?";
    case Change::OnlyBefore:
      return "gone";
    case Change::OnlyAfter:
      return "new";
  }
  return {};
}

std::string nameOf(const comparison::MeasuredRunName& run) {
  return fmt::format("`{}`{}", printable(run.label), run.report.empty() ? "" : " in " + printable(run.report));
}

class Tables {
 public:
  Tables(const comparison::Comparison& comparison, const TextStyle& style, const ReportOptions& options)
      : comparison_(comparison), style_(style), options_(options) {}

  std::string write() {
    const std::string title =
        fmt::format("before: {}; after: {}", nameOf(comparison_.before), nameOf(comparison_.after));
    out_ += style_.color ? fmt::format("\033[1m{}\033[0m\n", title) : title + "\n";
    for (const std::string& caveat : comparison_.caveats) out_ += fmt::format("WARNING: {}\n", caveat);
    table("per iteration", comparison_.totals, comparison_.totals.size(), false);
    out_ += "\n";
    if (comparison_.kernels.empty())
      out_ += "no kernel has a time to compare\n";
    else
      table("kernel", comparison_.kernels, rows(kRowsOfKernels), true);
    groups("by category", comparison_.categories);
    groups("by module scope, with all inside", comparison_.scopes);
    legend();
    return std::move(out_);
  }

 private:
  size_t rows(size_t usual) const { return options_.top ? static_cast<size_t>(*options_.top) : usual; }

  void groups(const std::string& title, const std::vector<Difference>& differences) {
    if (differences.empty()) return;
    out_ += "\n";
    table(title, differences, rows(kRowsOfGroups), false);
  }

  void table(const std::string& title, const std::vector<Difference>& differences, size_t shown, bool hasNodes) {
    TextTable table;
    table.column(title, Align::Left, true);
    if (hasNodes) table.column("first node", Align::Left, true);
    table.column("before us", Align::Right);
    table.column("after us", Align::Right);
    table.column("difference", Align::Right);
    table.column("change", Align::Right);
    table.column("", Align::Left);
    for (size_t i = 0; i < std::min(shown, differences.size()); ++i) {
      const Difference& row = differences[i];
      std::vector<std::string> cells{row.name};
      if (hasNodes) cells.push_back(row.node);
      const std::string us = formatUs(row.differenceNs());
      cells.insert(cells.end(), {timeOf(row.before), timeOf(row.after), row.differenceNs() > 0 ? "+" + us : us,
                                 changeOf(row), std::string(markOf(row.change))});
      table.row(std::move(cells));
      used_ |= 1u << static_cast<unsigned>(row.change);
    }
    out_ += table.print(style_.columns);
    if (differences.size() > shown) out_ += fmt::format("  and {} more\n", differences.size() - shown);
  }

  bool isUsed(Change change) const { return (used_ >> static_cast<unsigned>(change) & 1u) != 0; }

  void legend() {
    if (options_.medians) out_ += "  times are means also with `-stat=median`: noise is known of these\n";
    if (isUsed(Change::WithinNoise))
      out_ += "  ~: within noise: the 95 % Welch interval of the difference contains 0\n";
    if (isUsed(Change::NoiseUnknown))
      out_ += "  ?: the noise is unknown, because a side has fewer than three iterations or only means\n";
  }

  const comparison::Comparison& comparison_;
  const TextStyle& style_;
  const ReportOptions& options_;
  /// A bit for each kind of change in the tables.
  unsigned used_ = 0;
  std::string out_;
};

}  // namespace

std::string comparisonTables(const comparison::Comparison& comparison, const TextStyle& style,
                             const ReportOptions& options) {
  return Tables(comparison, style, options).write();
}

}  // namespace amdahlc
