#include "passes/host/overhead_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/printable.h"

namespace amdahlc {

std::vector<OverheadRow> overheadRows(const HostOverheads& overheads) {
  std::vector<OverheadRow> rows;
  const auto add = [&](std::string_view overhead, Symbol of, const SampleStatistics& samples) {
    if (samples.count > 0) rows.push_back({overhead, of, &samples});
  };
  add("T1", {}, overheads.t1);
  for (const LaunchOverheads& call : overheads.launches) add("T4", call.name, call.t4);
  for (const OperatorOverheads& op : overheads.operators) {
    add("T2", op.name, op.t2);
    add("T3", op.name, op.t3);
    add("T5", op.name, op.t5);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const OverheadRow& a, const OverheadRow& b) { return a.samples->totalNs > b.samples->totalNs; });
  return rows;
}

std::string nameOf(const OverheadRow& row, const Timeline& timeline) {
  const std::string name = printable(timeline.text(row.name));
  return fmt::format("{}{}{}", row.overhead, name.empty() ? "" : " ", name);
}

}  // namespace amdahlc
