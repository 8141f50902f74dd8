/** Runs side by side: what became faster or slower beyond noise, and where each run spends its time. */

import "./style.css";
import type { Compare, Comparison } from "../../contract/report.ts";
import { largest } from "../../model/largest.ts";
import { computed, effect, onCleanup, scope, signal } from "../../state/signals.ts";
import { choice, toggle } from "../../view/controls.ts";
import { type Child, h, prose } from "../../view/elements.ts";
import { chosenWords } from "../../view/filtering.ts";
import type { GridColumn } from "../../view/grid.ts";
import { categorySwatch } from "../../view/marks.ts";
import {
  decimal,
  factorText,
  formatCount,
  formatTime,
  formatTimeIn,
  tableUnit,
  type TimeUnit,
  valued,
} from "../../view/number.ts";
import { comparisonsOfRuns, sideBySide } from "./side_by_side.ts";
import type { CsvColumn } from "../../model/csv.ts";
import { gridSection, nameColumn, timeColumn } from "../../view/searched_grid.ts";
import { colourKey, dividedBar, type Part, section } from "../../view/sections.ts";
import type { Mounted, View, ViewContext } from "../../view/view.ts";
import {
  countsOf,
  type Difference,
  isIncomplete,
  judged,
  MEANINGS,
  type Pair,
  type PairRow,
  pairRows,
  pairsOf,
  type SegmentRow,
  segmentRows,
  type TableId,
} from "./data.ts";

/** Runs side by side. */
export const COMPARE: View = {
  id: "compare",
  title: "Compare",
  order: 90,
  isAvailable: (page) => (page.report.comparisons?.length ?? 0) > 0 || page.report.compare !== null,
  mount,
};

const ALL_RUNS = "runs", SIDE_BY_SIDE = "side-by-side";

function mount(context: ViewContext): Mounted {
  const { report } = context.page;
  const pairs = pairsOf(report);
  const shown = signal<string>(pairs[0]?.id ?? ALL_RUNS);
  const ways: [string, string][] = pairs.map((pair) => [pair.id, pair.title]);
  const side = comparisonsOfRuns(report), words = chosenWords(context);
  if (side.length > 1) ways.push([SIDE_BY_SIDE, "All side by side"]);
  if (report.compare) ways.push([ALL_RUNS, "All by segments"]);
  const contents = h("div", { class: "view" });
  const element = h(
    "div",
    { class: "view compare" },
    ways.length > 1 ? h("div", null, choice("Comparison of", ways, shown, (to) => shown.value = to)) : null,
    contents,
  );
  effect(() => {
    const pair = pairs.find((one) => one.id === shown.value);
    const [children, end] = scope(() =>
      pair
        ? pairContents(context, pair)
        : shown.value === SIDE_BY_SIDE
        ? sideBySide(side, words, judgement)
        : runsContents(context, report.compare!)
    );
    onCleanup(end);
    contents.replaceChildren(...children);
  });
  return { element };
}

function changeText(change: string | null): Child {
  if (change === null) return "";
  return h("span", { class: `change ${change}`, title: MEANINGS[change] ?? "" }, change.replace("-", " "));
}

/** What a row of a comparison says. */
function judgement(of: Difference, { before, after }: Comparison): Child {
  if (of.change === null) return "";
  const [text, title] = judged(of, [before, after]);
  return h("span", { class: `change ${of.change}`, title }, text);
}

/** A time, at least which a run takes where unexplained time of it may hold more. */
function sideColumn(
  id: string,
  title: string,
  unit: TimeUnit,
  run: string,
  value: (row: PairRow) => readonly [ns: number | null, unexplained: number | null],
): GridColumn<PairRow> {
  return {
    ...timeColumn<PairRow>(id, title, unit, (row) => value(row)[0], run),
    cell: (row) => {
      const [ns, unexplained] = value(row);
      return unexplained === null
        ? ns === null ? "" : formatTimeIn(ns, unit)
        : ns === null
        ? "?"
        : ["≥ ", formatTimeIn(ns, unit)];
    },
  };
}

const percentText = (ratio: number): string => `${ratio > 0 ? "+" : ""}${decimal(ratio * 100, 1)} %`;
const intervalText = (row: Difference): string =>
  row.ratio_low === null || row.ratio_high === null || row.change === "gone" || row.change === "new"
    ? ""
    : `${percentText(row.ratio_low - 1)} to ${percentText(row.ratio_high - 1)}`;

const WHY_NO_RULES = "A row is the same nodes, scope or category in both runs. Rules have no rows of their own: " +
  "another back end does the work of a rule by kernels of other rules, so that equal names need not be equal work.";

function pairContents(context: ViewContext, pair: Pair): Node[] {
  const { comparison } = pair;
  const tables: [TableId, string][] = [];
  if (comparison.kernels.length > 0) tables.push(["kernels", "Kernels"]);
  if (comparison.scopes.length > 0) tables.push(["scopes", "Scopes"]);
  if (comparison.categories.length > 0) tables.push(["categories", "Categories"]);
  const table = signal<TableId>(tables[0]?.[0] ?? "kernels"), onlyBeyond = signal(false);
  const notes = [
    ...(comparison.not_comparable === null ? [] : [`No row is judged: ${comparison.not_comparable}`]),
    ...comparison.caveats,
  ];
  const counts = computed(() =>
    Object.entries(countsOf(pairRows(comparison[table.value]))).filter(([, count]) => count > 0)
  );
  const head = h(
    "div",
    { class: "view-head" },
    tables.length > 1 ? choice("Rows", tables, table, (to) => table.value = to) : null,
    toggle("Only what is beyond noise", onlyBeyond, (on) => onlyBeyond.value = on),
    h(
      "span",
      { class: "soft" },
      () => counts.value.flatMap(([what, count], i) => [i > 0 ? ", " : "", formatCount(count), ` ${what}`]),
    ),
  );
  const holder = h("div", { class: "view" });
  effect(() => {
    const id = table.value, focused = document.activeElement;
    const [made, end] = scope(() => pairGrid(context, pair, id, pairRows(comparison[id]), onlyBeyond, [head]));
    onCleanup(end);
    holder.replaceChildren(made);
    // An element that is moved loses the focus.
    if (focused instanceof HTMLElement && head.contains(focused)) focused.focus();
  });
  return [
    ...notes.map((note) => h("p", { class: "notice" }, prose(`${note}.`))),
    section("Totals", "Medians over the iterations, with the 95 % interval of the change.", null, totals(comparison)),
    h("p", { class: "soft" }, WHY_NO_RULES),
    holder,
  ];
}

function totals(comparison: Comparison): HTMLElement {
  const most = largest(comparison.totals.flatMap((row) => [row.before_ns, row.after_ns]));
  const bar = (label: string, ns: number | null, colour: string): Child =>
    ns === null ? null : [
      h("span", { class: "soft" }, label),
      dividedBar(label, [{ name: label, value: ns, shown: null, colour }], most),
      h("span", { class: "time" }, formatTime(ns)),
    ];
  return h(
    "div",
    { class: "pair-totals" },
    comparison.totals.map((row) => {
      const [{ relative } = { relative: null }] = pairRows([row]);
      return h(
        "div",
        { class: "pair-total" },
        h(
          "p",
          null,
          h("strong", null, `${row.name[0]!.toUpperCase()}${row.name.slice(1)}`),
          " ",
          relative === null ? null : valued(relative, percentText(relative)),
          " ",
          judgement(row, comparison),
          h("span", { class: "soft" }, " ", intervalText(row)),
        ),
        h(
          "div",
          { class: "pair-bars" },
          bar(comparison.before, row.before_ns, "var(--bar)"),
          bar(comparison.after, row.after_ns, "var(--accent)"),
        ),
      );
    }),
  );
}

/** A bar from the middle: to the right for slower, to the left for faster. */
function divergingBar(difference: number, isBeyond: boolean, most: number): HTMLElement {
  const size = most > 0 ? (50 * Math.abs(difference)) / most : 0;
  return h(
    "div",
    { class: "diverging", "aria-hidden": true },
    h("span", {
      class: `${difference > 0 ? "more" : "less"}${isBeyond ? "" : " pale"}`,
      style: { width: `${size.toFixed(2)}%`, left: `${difference > 0 ? 50 : (50 - size).toFixed(2)}%` },
    }),
  );
}

const SELECTED: Record<TableId, "node" | "scope" | "category"> = {
  kernels: "node",
  scopes: "scope",
  categories: "category",
};

function pairGrid(
  context: ViewContext,
  pair: Pair,
  id: TableId,
  rows: readonly PairRow[],
  onlyBeyond: { readonly value: boolean },
  before: Child[],
): HTMLElement {
  const { comparison } = pair;
  const unit = tableUnit(largest(rows.flatMap((row) => [row.of.before_ns, row.of.after_ns])));
  const most = largest(rows.map((row) => Math.abs(row.difference ?? 0)));
  const isKernels = id === "kernels";
  const idOf = (row: PairRow): string | null => isKernels ? row.of.node : row.of.name;
  const columns: GridColumn<PairRow>[] = [
    {
      id: "name",
      title: isKernels ? "Kernel" : id === "scopes" ? "Scope" : "Category",
      width: 130,
      grow: isKernels ? 1 : 3,
      value: (row) => row.of.name,
      cell: (row) => [
        id === "scopes" ? null : categorySwatch(row.of.category ?? row.of.name),
        h("span", { title: row.of.name }, row.of.name === "" ? "(outside of modules)" : row.of.name),
      ],
    },
    nameColumn("node", "First node", (row) => isKernels ? row.of.node : null, 130),
    nameColumn("scope", "Scope", (row) => isKernels ? row.of.scope : null, 150, 2),
    sideColumn("before", "Before", unit, comparison.before, (row) => [row.of.before_ns, row.of.before_unexplained_ns]),
    sideColumn("after", "After", unit, comparison.after, (row) => [row.of.after_ns, row.of.after_unexplained_ns]),
    timeColumn("difference", "Difference", unit, (row) => row.difference, "After less before"),
    {
      id: "size",
      title: "Faster | slower",
      about: "The difference; pale within noise",
      width: 160,
      grow: 1,
      value: (row) => row.difference === null ? null : Math.abs(row.difference),
      cell: (row) => row.difference === null ? "" : divergingBar(row.difference, row.isBeyond, most),
    },
    {
      id: "relative",
      title: "Change",
      align: "end",
      width: 96,
      value: (row) => row.relative,
      cell: (row) => row.relative === null ? "" : valued(row.relative, percentText(row.relative)),
    },
    {
      id: "change",
      title: "Against noise",
      width: 122,
      value: (row) => row.of.change,
      cell: (row) => judgement(row.of, comparison),
    },
    {
      id: "interval",
      title: "95 % interval",
      about: "Of the change",
      align: "end",
      width: 170,
      value: (row) => row.of.ratio_low,
      cell: (row) => intervalText(row.of),
    },
  ];
  const csv: CsvColumn<PairRow>[] = [
    ["before", () => comparison.before],
    ["after", () => comparison.after],
    ["name", (row) => row.of.name],
    ["node", (row) => row.of.node],
    ["scope", (row) => row.of.scope],
    ["before_ns", (row) => row.of.before_ns],
    ["after_ns", (row) => row.of.after_ns],
    ["change", (row) => row.of.change],
    ["ratio_low", (row) => row.of.ratio_low],
    ["ratio_high", (row) => row.of.ratio_high],
  ];
  return gridSection<PairRow>(
    "Comparison",
    `${comparison.before} before, ${comparison.after} after; the largest difference first.`,
    chosenWords(context),
    {
      label: "Comparison",
      rows: computed(() => onlyBeyond.value ? rows.filter((row) => row.isBeyond) : rows),
      all: rows,
      columns,
      leaving: ["interval", "node", "after", "before", "scope", "relative", "change", "difference"],
      order: { column: "size", descending: true },
      key: (row) => row.key,
      isSelected: (row) => {
        const selection = context.state.selection.value;
        return selection?.kind === SELECTED[id] && selection.run === pair.run && selection.id === idOf(row);
      },
      onSelect: (row) => {
        const chosen = idOf(row);
        if (pair.run >= 0 && chosen !== null) context.navigate({ kind: SELECTED[id], run: pair.run, id: chosen });
      },
      textOf: ({ of }) => `${of.name} ${of.node ?? ""} ${of.scope ?? ""} ${of.category ?? ""} ${of.change ?? ""}`,
      csv,
      empty: "No row passes: nothing that the search finds is beyond noise.",
    },
    before,
  );
}

function runsContents(context: ViewContext, compare: Compare): Node[] {
  const onlyBeyond = signal(false);
  return [
    ...compare.caveats.map((caveat) => h("p", { class: "notice" }, prose(`${caveat}.`))),
    runTotals(compare),
    segmentGrid(context, compare, onlyBeyond, [
      h("div", null, toggle("Only where a run is slower beyond noise", onlyBeyond, (on) => onlyBeyond.value = on)),
    ]),
  ];
}

function runTotals(compare: Compare): HTMLElement {
  const rows = compare.labels.map((label) => {
    const total = compare.totals[label]!, uncompiled = compare.uncompiled[label] ?? null;
    const parts: Part[] = [
      { name: "kernels of the model", value: total.compiled_ns, shown: null, colour: "var(--hue-gemm)" },
      { name: "all else", value: uncompiled ?? 0, shown: null, colour: "var(--hue-other)" },
    ];
    return { label, total, parts, sum: total.with_uncompiled_ns ?? total.compiled_ns };
  });
  const most = largest(rows.map((row) => row.sum));
  return section(
    "Totals",
    "Per iteration: the time that is bound to kernels of the model, and the rest of the window.",
    null,
    colourKey(rows[0]?.parts ?? []),
    h(
      "div",
      { class: "run-totals" },
      rows.map(({ label, total, parts, sum }) => [
        h("strong", null, label),
        dividedBar(label, parts, most),
        h(
          "span",
          { class: "time" },
          formatTime(sum),
          total.std_ns === null ? null : h("span", { class: "soft" }, " ± ", formatTime(Math.round(total.std_ns))),
        ),
        h(
          "span",
          null,
          total.times_best === null ? null : [valued(total.times_best, factorText(total.times_best)), " "],
          changeText(total.against_best ?? total.compiled_against_best),
        ),
      ]),
    ),
    Object.entries(compare.discarded).some(([, name]) => name !== null)
      ? h(
        "p",
        { class: "soft" },
        "Left out as warm-up: ",
        Object.entries(compare.discarded).filter(([, name]) => name).map(([label, name]) => `${label}: ${name}`).join(
          "; ",
        ),
        ".",
      )
      : null,
  );
}

function segmentGrid(
  context: ViewContext,
  compare: Compare,
  onlyBeyond: { readonly value: boolean },
  before: Child[],
): HTMLElement {
  const rows = segmentRows(compare);
  const cells = compare.segments.flatMap((segment) => Object.values(segment.cells));
  const unit = tableUnit(largest(cells.map((cell) => cell.duration_ns)));
  const columns: GridColumn<SegmentRow>[] = [
    nameColumn("name", "Segment", (row) => row.segment.name, 200, 2),
    ...compare.labels.flatMap((label): GridColumn<SegmentRow>[] => [
      {
        id: `time-${label}`,
        title: `${label}, ${unit[0]}`,
        about: "Median per iteration. At least: a kernel of the segment has no events, or fewer in some iterations",
        align: "end",
        width: Math.max(130, 9 * label.length + 52),
        value: (row) => row.segment.cells[label]?.duration_ns ?? null,
        cell: (row) => {
          const cell = row.segment.cells[label];
          if (!cell) return "";
          if (cell.duration_ns === null) return h("span", { title: "No event is bound there" }, "?");
          return [isIncomplete(cell) ? "≥ " : "", formatTimeIn(cell.duration_ns, unit)];
        },
      },
      {
        id: `against-${label}`,
        title: "Against best",
        about: `${label}: the time over the shortest one of the segment`,
        width: 150,
        value: (row) => row.segment.cells[label]?.times_best ?? null,
        cell: (row) => {
          const cell = row.segment.cells[label];
          if (!cell?.against_best) return "";
          return [
            cell.times_best === null ? null : [valued(cell.times_best, factorText(cell.times_best)), " "],
            changeText(cell.against_best),
          ];
        },
      },
    ]),
    { id: "nodes", title: "Nodes", align: "end", width: 76, value: (row) => row.segment.nodes.length },
  ];
  const csv: CsvColumn<SegmentRow>[] = [
    ["segment", (row) => row.segment.name],
    ["scope", (row) => row.segment.scope],
    ...compare.labels.flatMap((label): CsvColumn<SegmentRow>[] => [
      [`${label} duration_ns`, (row) => row.segment.cells[label]?.duration_ns ?? null],
      [`${label} against_best`, (row) => row.segment.cells[label]?.against_best ?? null],
    ]),
  ];
  return gridSection<SegmentRow>(
    "Comparison",
    "By segments of the model, which no kernel of any run divides. Times are of one iteration of each run, so that they sum up; Kernels and the pairs have medians.",
    chosenWords(context),
    {
      label: "Comparison",
      rows: computed(() => onlyBeyond.value ? rows.filter((row) => row.isBeyond) : rows),
      columns,
      order: { column: `time-${compare.labels[0] ?? ""}`, descending: true },
      key: (row) => row.segment.name,
      isSelected: (row) => {
        const selection = context.state.selection.value;
        return selection?.kind === "scope" && row.segment.scope !== "" && selection.id === row.segment.scope;
      },
      onSelect: (row) => {
        if (row.segment.scope !== "") {
          context.navigate({ kind: "scope", run: context.state.run.peek(), id: row.segment.scope });
        }
      },
      textOf: (row) => `${row.segment.name} ${row.segment.nodes.join(" ")}`,
      csv,
      empty: "No segment passes the search.",
    },
    before,
  );
}
