/** What launching costs the host, with how much it varies. */

import type { Statistic } from "../../contract/report.ts";
import type { RunData } from "../../data/tables.ts";
import { largest } from "../../model/largest.ts";
import { type Readable, signal } from "../../state/signals.ts";
import { type Child, h, s } from "../../view/elements.ts";
import type { GridColumn } from "../../view/grid.ts";
import { formatCount, formatTime, tableUnit, timeText } from "../../view/number.ts";
import { countColumn, gridSection, nameColumn, timeColumn } from "../../view/searched_grid.ts";
import { type OverheadRow, overheadRows, OVERHEADS, overheadTotals } from "./data.ts";

/** A box from the lower to the upper quartile with the median, and whiskers to the extremes, on an axis that all rows share. */
function boxPlot(statistic: Statistic, most: number): Child {
  const width = 130;
  // Small and large samples are both seen: the axis is linear up to 1 us, and logarithmic beyond.
  const place = (ns: number) => Math.sign(ns) * Math.log1p(Math.abs(ns) / 1000);
  const x = (ns: number) => 1 + (Math.max(0, place(ns)) / Math.max(1e-9, place(most))) * (width - 2);
  const { min_ns, q1_ns, median_ns, q3_ns, max_ns } = statistic;
  return s(
    "svg",
    {
      class: "box",
      width,
      height: 16,
      role: "img",
      "aria-label": `${timeText(min_ns)} to ${timeText(max_ns)}, median ${timeText(median_ns)}`,
    },
    s("line", { x1: x(min_ns), x2: x(max_ns), y1: 8, y2: 8, class: "whisker" }),
    s("rect", { x: x(q1_ns), y: 3, width: Math.max(2, x(q3_ns) - x(q1_ns)), height: 10, class: "quartiles" }),
    s("line", { x1: x(median_ns), x2: x(median_ns), y1: 1, y2: 15, class: "median" }),
  );
}

/** Overheads by operator and call; null where none is known. */
export function overheadsSection(run: RunData, words: Readable<readonly string[]>): Node | null {
  const { overheads } = run.report;
  if (!overheads) return null;
  const rows = overheadRows(overheads), totals = overheadTotals(rows);
  if (rows.length === 0) return null;
  const unit = tableUnit(largest(rows.map((row) => row.statistic.total_ns)));
  const most = largest(rows.map((row) => row.statistic.max_ns));
  const columns: GridColumn<OverheadRow>[] = [
    { id: "overhead", title: "Overhead", width: 92, value: (row) => row.overhead },
    nameColumn("name", "Operator or call", (row) => row.name === "" ? "all" : row.name),
    timeColumn("total", "Sum", unit, (row) => row.statistic.total_ns),
    countColumn("count", "Samples", (row) => row.statistic.count),
    timeColumn("mean", "Mean", unit, (row) => row.statistic.mean_ns),
    timeColumn("std", "Deviation", unit, (row) => row.statistic.std_ns, "Standard deviation of the population"),
    timeColumn("min", "Least", unit, (row) => row.statistic.min_ns),
    timeColumn("median", "Median", unit, (row) => row.statistic.median_ns),
    timeColumn("max", "Most", unit, (row) => row.statistic.max_ns),
    {
      id: "box",
      title: "Spread",
      about: "From the least to the most, with quartiles and median; linear up to 1 us, logarithmic beyond",
      width: 150,
      value: (row) => row.statistic.median_ns,
      cell: (row) => boxPlot(row.statistic, most),
    },
  ];
  const loading = overheads.data_loading.map((one) =>
    h(
      "p",
      { class: "soft" },
      "Data loading in ",
      h("code", null, one.name),
      " is left out: ",
      formatTime(one.total_ns),
      " in ",
      formatCount(one.count),
      one.count === 1 ? " span." : " spans.",
    )
  );
  return gridSection(
    "Overheads",
    "Over all selected iterations. Waiting for the device is no overhead.",
    words,
    {
      label: "Overheads",
      rows: signal(rows),
      columns,
      leaving: ["std", "min", "max", "mean", "box", "count", "median"],
      order: { column: "total", descending: true },
      key: (row) => `${row.overhead}/${row.name}`,
      textOf: (row) => `${row.overhead} ${row.name}`,
      csv: [
        ["operator", (row) => row.name],
        ["overhead", (row) => row.overhead.toLowerCase()],
        ["count", (row) => row.statistic.count],
        ["mean_ns", (row) => row.statistic.mean_ns],
        ["std_ns", (row) => row.statistic.std_ns],
        ["median_ns", (row) => row.statistic.median_ns],
        ["total_ns", (row) => row.statistic.total_ns],
      ],
    },
    h(
      "dl",
      { class: "overheads" },
      OVERHEADS.map(([id, meaning], i) =>
        h(
          "div",
          null,
          h("dt", null, id),
          h("dd", { class: "soft meaning" }, meaning),
          h("dd", { class: "number" }, formatTime(totals[i]!.ns)),
          h("dd", { class: "number soft" }, formatCount(totals[i]!.count), " samples"),
        )
      ),
    ),
    loading,
  );
}
