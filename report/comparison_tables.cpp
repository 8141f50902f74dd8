#include "report/comparison_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/fields_text.h"
#include "support/decimal_time.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

using comparison::Change;
using comparison::Difference;

constexpr size_t kRowsOfKernels = 20;
constexpr size_t kRowsOfGroups = 8;

std::optional<int64_t> comparedNs(const std::optional<comparison::MeasuredTime>& time) {
  return time ? std::optional(time->meanNs) : std::nullopt;
}

std::string differenceOf(const Difference& row) {
  return (row.differenceNs() > 0 ? "+" : "") + formatUs(row.differenceNs());
}

std::string changeOf(const Difference& row) {
  const auto relative = row.relative();
  return row.before && row.after && relative ? fmt::format("{:+.1f} %", 100 * *relative) : "";
}

/// In the order of the enumerators.
constexpr std::string_view kMarks[] = {"~", "faster", "slower", "?", "gone", "new"};

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
    out_ +=
        writeText(differences,
                  {column(title, kText, [](const Difference& row) { return row.name; }),
                   column("first node", kText, [](const Difference& row) { return row.node; }).onlyIf(hasNodes),
                   column("before us", kMicroseconds, [](const Difference& row) { return comparedNs(row.before); }),
                   column("after us", kMicroseconds, [](const Difference& row) { return comparedNs(row.after); }),
                   column("difference", kNumber, [](const Difference& row) { return differenceOf(row); }),
                   column("change", kNumber, [](const Difference& row) { return changeOf(row); }),
                   column("", kWord, [](const Difference& row) { return kMarks[static_cast<size_t>(row.change)]; })},
                  style_.columns, {shown});
    for (size_t i = 0; i < std::min(shown, differences.size()); ++i)
      used_ |= 1u << static_cast<unsigned>(differences[i].change);
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
