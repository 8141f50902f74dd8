/** Three runs or more beside one another: the first, and what the others take of it, with what is beyond noise. */

import type { Comparison, Report } from "../../contract/report.ts";
import { largest } from "../../model/largest.ts";
import { computed, type Readable, signal } from "../../state/signals.ts";
import { choice, toggle } from "../../view/controls.ts";
import { type Child, h, prose } from "../../view/elements.ts";
import type { GridColumn } from "../../view/grid.ts";
import { formatTimeIn, tableUnit } from "../../view/number.ts";
import { gridSection, nameColumn, timeColumn } from "../../view/searched_grid.ts";
import { type Difference, isBeyond, type SideRow, sideRows, type TableId } from "./data.ts";

const TABLES: readonly (readonly [TableId, string])[] = [
  ["kernels", "Kernels"],
  ["scopes", "Scopes"],
  ["categories", "Categories"],
];

/** Comparisons of the first run of the report with each other one. */
export function comparisonsOfRuns(report: Report): readonly Comparison[] {
  return (report.comparisons ?? []).filter((one) => one.baseline === null);
}

/** The table of all runs. */
export function sideBySide(
  comparisons: readonly Comparison[],
  words: Readable<readonly string[]>,
  judgement: (of: Difference, comparison: Comparison) => Child,
): Node[] {
  const tables = TABLES.filter(([id]) => comparisons.some((one) => one[id].length > 0));
  const table = signal<TableId>(tables[0]?.[0] ?? "kernels"), onlyBeyond = signal(false);
  const notes = comparisons.flatMap((one) => [
    ...(one.not_comparable === null ? [] : [`${one.after}: no row is judged: ${one.not_comparable}`]),
    ...one.caveats.map((caveat) => `${one.after}: ${caveat}`),
  ]);
  const made = (id: TableId) => {
    const all = sideRows(comparisons, id);
    const unit = tableUnit(largest(all.flatMap((row) => [row.first, ...row.others.map((one) => one?.after_ns ?? 0)])));
    const runColumn = (comparison: Comparison, at: number): GridColumn<SideRow> => ({
      id: `run-${at}`,
      title: `${comparison.after}, ${unit[0]}`,
      align: "end",
      width: 250,
      value: (row) => row.others[at]?.after_ns ?? null,
      cell: (row) => {
        const one = row.others[at];
        if (!one) return "";
        return [
          judgement(one, comparison),
          one.after_unexplained_ns !== null ? one.after_ns === null ? "" : " ≥ " : " ",
          one.after_ns === null ? "" : formatTimeIn(one.after_ns, unit),
          one.before_ns === null || one.before_ns === row.first ? null : h(
            "span",
            { class: "soft", title: `Together with other kernels of ${comparison.before}, which take so long with it` },
            " of ",
            formatTimeIn(one.before_ns, unit),
          ),
        ];
      },
    });
    return gridSection<SideRow>("Side by side", "Medians of an iteration.", words, {
      label: "Runs side by side",
      rows: computed(() =>
        onlyBeyond.value ? all.filter((row) => row.others.some((one) => one && isBeyond(one.change))) : all
      ),
      columns: [
        nameColumn("name", "Name", (row) => row.name, 220),
        timeColumn("first", comparisons[0]!.before, unit, (row) => row.first),
        ...comparisons.map(runColumn),
      ],
      order: { column: "first", descending: true },
      key: (row) => row.key,
      textOf: (row) => row.name,
      csv: [
        "name",
        [comparisons[0]!.before, (row) => row.first],
        ...comparisons.flatMap(({ after }, at) => [
          [after, (row: SideRow) => row.others[at]?.after_ns ?? null] as const,
          [`${after} change`, (row: SideRow) => row.others[at]?.change ?? null] as const,
        ]),
      ],
    });
  };
  const holder = h("div", { class: "view" }, () => [made(table.value)]);
  return [
    ...notes.map((note) => h("p", { class: "notice" }, prose(`${note}.`))),
    h(
      "div",
      { class: "view-head" },
      tables.length > 1 ? choice("Rows", tables, table, (to) => table.value = to) : null,
      toggle("Only what is beyond noise", onlyBeyond, (on) => onlyBeyond.value = on),
    ),
    holder,
  ];
}
