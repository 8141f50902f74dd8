/** How fast kernels run against what their device allows. */

import { forwardsOfKernels, PART_COLUMNS } from "../../model/parts.ts";
import "./style.css";
import type { RunData } from "../../data/tables.ts";
import { csvTable } from "../../model/csv.ts";
import { largest } from "../../model/largest.ts";
import { computed, effect, onCleanup, type Readable, scope, signal } from "../../state/signals.ts";
import { figures } from "../../view/sections.ts";
import { chart } from "../../view/plot.ts";
import { choice } from "../../view/controls.ts";
import { type Child, h, prose, s } from "../../view/elements.ts";
import { chosenWords, viewOfRun } from "../../view/filtering.ts";
import { grid, type GridColumn } from "../../view/grid.ts";
import { gridActions } from "../../view/grid_actions.ts";
import { categoryHue, categorySwatch } from "../../view/marks.ts";
import {
  bytesText,
  decimal,
  factorText,
  formatBytes,
  formatCount,
  formatFactor,
  formatFactorIn,
  formatTime,
  formatTimeIn,
  shareText,
  tableUnit,
  timeText,
  valued,
} from "../../view/number.ts";
import { selectedKernel } from "../../view/selected.ts";
import type { Mounted, View, ViewContext } from "../../view/view.ts";
import { prefixedText } from "../../draw/scales.ts";
import {
  countsOf,
  dotsPath,
  kernelRoofs,
  nearestMark,
  peaksOf,
  placeable,
  type PlotKind,
  type RoofRow,
  ruleRoofs,
  whyAbsent,
} from "./data.ts";
import { marksOf, MOST_MARKS, plotOf, radiusOf } from "./plot.ts";

/** Kernels and rules against the roofs. */
export const ROOFLINE: View = {
  id: "roofline",
  title: "Roofline",
  order: 60,
  // Events belong to kernels.
  tables: ["event"],
  columns: PART_COLUMNS,
  filters: ["phase", "forward", "category"],
  isAvailable: (page) => page.runs.some((run) => run.report.roofline !== null),
  mount,
};

type Level = "kernels" | "rules";

function mount(context: ViewContext): Mounted {
  const level = signal<Level>("kernels"), kind = signal<PlotKind>("rate");
  return viewOfRun(context, "roofline", (run) => contentsOf(context, run, level, kind));
}

function contentsOf(
  context: ViewContext,
  run: RunData,
  level: ReturnType<typeof signal<Level>>,
  kind: ReturnType<typeof signal<PlotKind>>,
): Node[] {
  const { roofline } = run.report;
  if (!roofline) return [h("p", { class: "notice" }, "This run has no roofline: the pass `roofline` did not run.")];
  const kernels = kernelRoofs(run.report), rules = ruleRoofs(run.report);
  const words = chosenWords(context);
  const phases = new Map<number | string, Set<string | null>>(), forwards = new Map<number | string, Set<string>>();
  const forwardsOf = forwardsOfKernels(run);
  for (const [place, { id, label, phase }] of run.report.kernels.entries()) {
    for (const key of [id, label]) {
      phases.set(key, (phases.get(key) ?? new Set()).add(phase));
      forwards.set(key, new Set([...(forwards.get(key) ?? []), ...forwardsOf[place]!]));
    }
  }
  const rows = computed(() => {
    const filters = context.state.filters.value, wanted = words.value;
    const all = level.value === "kernels" ? kernels : rules;
    return all.filter((row) =>
      wanted.every((word) => row.text.includes(word)) &&
      (filters.category === null || row.category === filters.category) &&
      (filters.phase === null || phases.get(row.key)?.has(filters.phase) === true) &&
      (filters.forward === null || forwards.get(row.key)?.has(filters.forward) === true)
    );
  });
  const levels = choice<Level>("Rows", [["kernels", "Kernels"], ["rules", "Rules"]], level, (to) => level.value = to);
  const kinds = choice<PlotKind>("Plot", [["rate", "Rates"], ["time", "Times"]], kind, (to) => kind.value = to);
  const parts: (Node | null)[] = [];
  if (roofline.hardware === null) {
    parts.push(
      h(
        "p",
        { class: "notice" },
        "The roofs are not known: ",
        prose(roofline.reason ?? "the device has no description; `-hardware=` names it"),
        ". Bytes and operations follow from the model.",
      ),
    );
  } else {
    parts.push(totals(run, kernels));
    parts.push(h("div", { class: "view-head" }, kinds, rules.length > 0 ? levels : null));
    parts.push(
      h("p", { class: "soft", hidden: () => rows.value.length > 0 }, "No kernel passes the search and the filters."),
    );
    parts.push(plot(context, run, rows, kind, level));
  }
  parts.push(...table(context, run, rows, level, roofline.hardware === null));
  return parts.filter((one): one is Node => one !== null);
}

/** What the run would gain at its roofs, and what holds its kernels back. */
function totals(run: RunData, kernels: readonly RoofRow[]): HTMLElement {
  const roofline = run.report.roofline!, trace = run.report.trace;
  const counts = countsOf(kernels);
  const busy = trace?.undisturbed_busy_ns ?? trace?.busy_ns ?? null;
  const count = (number: number, what: string): Child => number > 0 ? [formatCount(number), ` ${what}`] : null;
  const shapes = { run: "of the run", model: "of the model", mixed: "of the run, as far as they are known" };
  const bounds = [
    count(counts.memory, "by memory"),
    count(counts.compute, "by compute"),
    count(counts.cache, "from a cache"),
    count(counts.atRoof, "at their roof"),
    count(counts.abovePeak, "above their peak"),
    count(counts.unknown, "unknown"),
  ].filter((one) => one !== null).flatMap((one, i) => i === 0 ? [one] : [", ", one]);
  return h(
    "div",
    null,
    figures([
      ["Device", roofline.hardware],
      ["Busy time", busy === null ? null : formatTime(busy)],
      [
        "Busy time at the roofs",
        roofline.attainable_busy_ns === null ? null : [
          formatTime(roofline.attainable_busy_ns),
          " ",
          roofline.attainable_speedup === null
            ? null
            : h("span", { class: "soft" }, formatFactor(roofline.attainable_speedup)),
        ],
      ],
      [
        "Wall time, if idle time stays",
        roofline.attainable_speedup_wall === null ? null : formatFactor(roofline.attainable_speedup_wall),
      ],
    ]),
    h(
      "p",
      { class: "soft bounds" },
      "Kernels: ",
      bounds.length > 0 ? bounds : "none has work",
      `. Shapes are those ${shapes[roofline.shapes]}`,
      run.report.target.vendor === "cpu"
        ? "."
        : `; products of float32 count ${roofline.float32 === "tf32" ? "as TF32." : "without rounding."}`,
    ),
  );
}

function plot(
  context: ViewContext,
  run: RunData,
  rows: Readable<readonly RoofRow[]>,
  kind: Readable<PlotKind>,
  level: Readable<Level>,
): HTMLElement {
  const roofline = run.report.roofline!;
  const roofs = { memory: roofline.memory_bytes_per_s, peaks: peaksOf(roofline, run.report.kernels) };
  const placed = computed(() => placeable(rows.value, kind.value));
  const pointed = signal<RoofRow | null>(null);
  let marks: readonly { x: number; y: number }[] = [];
  const at = (place: readonly [number, number] | null): RoofRow | null => {
    if (!place) return null;
    return placed.peek()[nearestMark(marks, place[0], place[1], 14)] ?? null;
  };
  const isSelected = (row: RoofRow): boolean => isChosen(context, run, row);
  const element = chart({
    label: "Kernels and the roofs of the device. The table below has the numbers",
    height: 380,
    onPoint: (place) => pointed.value = at(place),
    onChoose: (place) => {
      const row = at(place);
      if (row) select(context, run, row);
    },
    draw: (box) => {
      const all = placed.value;
      if (all.length === 0) {
        return s("text", { x: box.left, y: box.top + 20 }, "No row that is shown has a place in this plot.");
      }
      const made = plotOf(box, kind.value, all, roofs);
      const places = marks = marksOf(all, kind.value, made);
      const longest = largest(all.map((row) => row.duration));
      const circle = (row: RoofRow, index: number, name: string): Child =>
        s("circle", {
          cx: places[index]!.x,
          cy: places[index]!.y,
          r: radiusOf(row, longest),
          class: name,
          style: { "--hue": categoryHue(row.category) },
        });
      // Small marks are above large ones.
      const order = all.map((_, i) => i).sort((a, b) => (all[b]!.duration ?? 0) - (all[a]!.duration ?? 0));
      const groups = new Map<string, number[]>();
      if (all.length > MOST_MARKS) {
        for (const i of order) {
          const hue = categoryHue(all[i]!.category);
          const group = groups.get(hue);
          if (group) group.push(i);
          else groups.set(hue, [i]);
        }
      }
      return [
        made.frame,
        all.length > MOST_MARKS
          ? [...groups].map(([hue, indices]) =>
            s("path", { d: dotsPath(indices.map((i) => places[i]!)), class: "dots", style: { "--hue": hue } })
          )
          : order.map((i) => circle(all[i]!, i, "mark")),
        all.map((row, i) => isSelected(row) ? circle(row, i, "mark selected") : null),
        pointed.value && all.includes(pointed.value)
          ? circle(pointed.value, all.indexOf(pointed.value), "mark pointed")
          : null,
      ];
    },
  });
  const readout = h("p", { class: "readout soft", role: "status", "aria-label": "Pointed at" }, () => {
    const row = pointed.value;
    const shown = placed.value.length, total = rows.value.length;
    const what = level.value === "kernels" ? "kernels" : "rules";
    if (!row) {
      const timed = timeOf(rows.value), share = timed > 0 ? timeOf(placed.value) / timed : null;
      return `${decimal(shown, 0)} of ${decimal(total, 0)} ${what} are here` +
        (shown === total
          ? "."
          : `${share === null ? "" : `, with ${shareText(share)} of their time`}; ${
            whyAbsent(rows.value, placed.value, kind.value)
          }.`);
    }
    return [h("strong", null, row.name), ` ${described(row)}`];
  });
  return h("div", { class: "plot" }, element, readout);
}

const timeOf = (rows: readonly RoofRow[]): number => rows.reduce((sum, row) => sum + (row.duration ?? 0), 0);

function described(row: RoofRow): string {
  const parts = [row.scope];
  if (row.duration !== null) parts.push(timeText(row.duration));
  if (row.attainable !== null) parts.push(`attainable ${timeText(row.attainable)}`);
  if (row.distance !== null) parts.push(`${factorText(row.distance)} of it`);
  if (row.bound) parts.push(`bound by ${row.bound}`);
  if (row.rate !== null) parts.push(`${prefixedText(row.rate)}op/s`);
  if (row.bytes !== null) parts.push(bytesText(row.bytes));
  return parts.filter((one) => one !== "").join(", ");
}

function isChosen(context: ViewContext, run: RunData, row: RoofRow): boolean {
  const selection = context.state.selection.value;
  if (typeof row.key === "number") return selectedKernel(selection, run) === row.key;
  return selection?.kind === "rule" && selection.run === run.index && selection.id === row.key;
}

function select(context: ViewContext, run: RunData, row: RoofRow): void {
  context.navigate({ kind: typeof row.key === "number" ? "kernel" : "rule", run: run.index, id: row.key });
}

function table(
  context: ViewContext,
  run: RunData,
  rows: Readable<readonly RoofRow[]>,
  level: Readable<Level>,
  onlyWork: boolean,
): Node[] {
  const holder = h("div", { class: "table" });
  const head = h("div", { class: "view-head" });
  effect(() => {
    const isRules = level.value === "rules";
    const columns = columnsOf(rows.peek(), isRules);
    const order = onlyWork ? "flops" : rows.peek().some((row) => row.excess !== null) ? "excess" : "time";
    const [made, end] = scope(() =>
      grid<RoofRow>({
        label: "Roofline",
        columns,
        leaving: ["runs", "rate", "intensity", "flops", "bytes", "attainable", "bound", "unknown", "scope", "distance"],
        rows,
        order: { column: order, descending: true },
        key: (row) => row.key,
        isSelected: (row) => isChosen(context, run, row),
        onSelect: (row) => select(context, run, row),
        empty: "No kernel passes the search and the filters.",
      })
    );
    onCleanup(end);
    const csv = () =>
      csvTable(
        ["run", "name", "scope", "duration_ns", "attainable_ns", "bound", "bytes", "flops", "runs", "unknown"],
        made.shown.peek().map((
          row,
        ) => [
          run.label,
          row.name,
          row.scope,
          row.duration,
          row.attainable,
          row.bound,
          row.bytes,
          row.flops,
          row.runs,
          row.unknown,
        ]),
      );
    head.replaceChildren(
      h(
        "span",
        { class: "soft" },
        isRules ? "Sums over an iteration" : "Bytes and operations are of one run of a kernel",
      ),
      h("span", { class: "end" }, gridActions(made, csv)),
    );
    holder.replaceChildren(made.element);
  });
  return [head, holder];
}

function columnsOf(all: readonly RoofRow[], isRules: boolean): GridColumn<RoofRow>[] {
  const unit = tableUnit(largest(all.map((row) => row.duration)));
  const showsRuns = !isRules && all.some((row) => row.runs !== null && row.runs !== 1);
  return [
    {
      id: "name",
      title: isRules ? "Rule" : "Kernel",
      width: 150,
      grow: 2,
      value: (row) => row.name,
      cell: (row) => [categorySwatch(row.category), h("span", { title: row.name }, row.name)],
    },
    {
      id: "scope",
      title: "Scope",
      width: 140,
      grow: 3,
      value: (row) => row.scope,
      cell: (row) => h("span", { title: row.scope }, row.scope),
    },
    { id: "kernels", title: "Kernels", align: "end", width: 80, value: (row) => isRules ? row.kernels : null },
    {
      id: "time",
      title: `Time, ${unit[0]}`,
      about: "Per iteration",
      align: "end",
      width: 104,
      value: (row) => row.duration,
      cell: (row) => row.duration === null ? "" : formatTimeIn(row.duration, unit),
    },
    {
      id: "attainable",
      title: `Attainable, ${unit[0]}`,
      about: "The least time per iteration that the device allows",
      align: "end",
      width: 136,
      value: (row) => row.attainable,
      cell: (row) => row.attainable === null ? "" : formatTimeIn(row.attainable, unit),
    },
    {
      id: "excess",
      title: `Above, ${unit[0]}`,
      about: "Measured less attainable time",
      align: "end",
      width: 116,
      value: (row) => row.excess,
      cell: (row) => row.excess === null ? "" : formatTimeIn(row.excess, unit),
    },
    {
      id: "distance",
      title: "Distance",
      about: "Measured over attainable time; 1x is at the roof",
      align: "end",
      width: 86,
      value: (row) => row.distance,
      cell: (row) => row.distance === null ? "" : formatFactorIn(row.distance),
    },
    {
      id: "bound",
      title: "Bound",
      about: "What takes longer at best. A dot: from 80 % of its roof on",
      width: 96,
      value: (row) => row.bound,
      cell: (row) =>
        row.abovePeak ? h("span", { class: "warn" }, "above peak") : `${row.bound ?? ""}${row.atRoof ? " •" : ""}`,
    },
    {
      id: "bytes",
      title: "Bytes",
      about: "That must be read and written",
      align: "end",
      width: 96,
      value: (row) => row.bytes,
      cell: (row) => row.bytes === null ? "" : formatBytes(row.bytes),
    },
    {
      id: "flops",
      title: "Operations",
      align: "end",
      width: 114,
      value: (row) => row.flops,
      cell: (row) =>
        row.flops === null ? "" : valued(row.flops, row.flops === 0 ? "0" : prefixedText(row.flops, true).trim()),
    },
    {
      id: "runs",
      title: "Runs",
      about: "Of the kernel in an iteration",
      align: "end",
      width: 66,
      value: (row) => showsRuns ? row.runs : null,
    },
    {
      id: "intensity",
      title: "Intensity",
      about: "Operations for each byte",
      align: "end",
      width: 84,
      value: (row) => row.intensity,
      cell: (row) =>
        row.intensity === null
          ? ""
          : valued(row.intensity, row.intensity < 100 ? row.intensity.toPrecision(3) : decimal(row.intensity, 0)),
    },
    {
      id: "rate",
      title: "op/s",
      about: "Operations in a second",
      align: "end",
      width: 80,
      value: (row) => row.rate,
      cell: (row) =>
        row.rate === null ? "" : valued(row.rate, row.rate === 0 ? "0" : prefixedText(row.rate, true).trim()),
    },
    {
      id: "unknown",
      title: "Why unknown",
      width: 220,
      grow: 3,
      value: (row) => row.unknown,
      cell: (row) => h("span", { title: row.unknown ?? "" }, prose(row.unknown ?? "")),
    },
  ];
}
