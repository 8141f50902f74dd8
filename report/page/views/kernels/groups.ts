/** Kernels put together: by rule, category, operator of the framework, and type of the main operator. */

import type { Aggregate, Aggregates } from "../../contract/report.ts";
import type { RunData } from "../../data/tables.ts";
import { largest } from "../../model/largest.ts";
import type { Readable } from "../../state/signals.ts";
import { signal } from "../../state/signals.ts";
import type { Grid, GridColumn } from "../../view/grid.ts";
import { formatFactor, formatShare, tableUnit } from "../../view/number.ts";
import { countColumn, nameColumn, searchedGrid, timeColumn } from "../../view/searched_grid.ts";

/** The ways in which kernels are put together. */
export const GROUPINGS = [
  ["rule", "Rules"],
  ["category", "Categories"],
  ["operator", "Framework operators"],
  ["op_type", "Operator types"],
] as const satisfies readonly (readonly [keyof Aggregates, string])[];
/** One of them. */
export type Grouping = typeof GROUPINGS[number][0];

/** Those of which a run has groups. A model has types of operators, and a program the operators that were called. */
export function groupingsOf(run: RunData): [Grouping, string][] {
  return GROUPINGS.filter(([id]) => (run.report.aggregates?.[id].length ?? 0) > 0).map(([id, title]) => [id, title]);
}

const factorColumn = (
  id: string,
  title: string,
  about: string,
  value: (row: Aggregate) => number | null,
): GridColumn<Aggregate> => ({
  id,
  title,
  about,
  align: "end",
  width: 116,
  value: (row) => value(row) ?? Infinity,
  cell: (row) => formatFactor(value(row)),
});

/** The groups as a table, as the full summary of the command has them. */
export function groupGrid(
  run: RunData,
  grouping: Grouping,
  words: Readable<readonly string[]>,
): { grid: Grid<Aggregate>; actions: HTMLElement[] } {
  const rows = run.report.aggregates?.[grouping] ?? [];
  const title = GROUPINGS.find(([id]) => id === grouping)![1];
  const unit = tableUnit(largest(rows.map((one) => one.duration_ns ?? 0)));
  const hasWall = run.report.trace?.wall_ns !== null;
  return searchedGrid<Aggregate>(words, {
    label: title,
    rows: signal(rows),
    columns: [
      nameColumn("name", title, (row) => row.name, 200),
      countColumn("kernels", "Kernels", (row) => row.kernels),
      countColumn("events", "Events", (row) => row.events, "Per iteration"),
      timeColumn("time", "Time", unit, (row) => row.duration_ns, "Union of the events, per iteration"),
      {
        id: "share",
        title: "Share",
        about: "Of undisturbed busy time, with each kernel at its median; the time is the median of the group",
        align: "end",
        width: 80,
        value: (row) => row.ratio,
        cell: (row) => row.ratio === null ? "" : formatShare(row.ratio),
      },
      factorColumn(
        "limit",
        "Limit of busy",
        "How many times as fast busy time were without it",
        (row) => row.max_speedup,
      ),
      ...(hasWall
        ? [
          factorColumn("wall", "Limit of wall", "The same of wall time, with idle time kept", (row) =>
            row.max_speedup_wall),
        ]
        : []),
    ],
    order: { column: "time", descending: true },
    key: (row) => row.name,
    textOf: (row) => row.name,
    csv: [
      [grouping, (row) => row.name],
      "kernels",
      "events",
      "duration_ns",
      "ratio",
      "max_speedup",
      "max_speedup_wall",
    ],
  });
}
