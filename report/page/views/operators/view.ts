/** Framework operators: where their time goes, and which kernels each of them launches. */

import { forwardOfEvent, PART_COLUMNS, phaseOfEvent } from "../../model/parts.ts";
import "./style.css";
import type { RunData } from "../../data/tables.ts";
import { csvOf } from "../../model/csv.ts";
import { filterChoices } from "../../model/filter_choices.ts";
import { searchRows } from "../../model/kernels.ts";
import { largest } from "../../model/largest.ts";
import { type OperatorKernel, type OperatorRow, operatorRows, shownIterations } from "../../model/operators.ts";
import { computed, type Readable, type Signal, signal } from "../../state/signals.ts";
import { NO_FILTERS } from "../../state/state.ts";
import { bars, type Part, ring, withRest } from "../../view/charts.ts";
import { choice, link } from "../../view/controls.ts";
import { h } from "../../view/elements.ts";
import { chosenWords, passes, searched, viewOfRun } from "../../view/filtering.ts";
import { grid, type GridColumn } from "../../view/grid.ts";
import { gridActions } from "../../view/grid_actions.ts";
import { categoryHue, categorySwatch, meter } from "../../view/marks.ts";
import { decimal, formatCount, formatTime, formatTimeIn, tableUnit, timeText, valued } from "../../view/number.ts";
import { whyNoSums } from "../../view/restricted.ts";
import { selectedOperator } from "../../view/selected.ts";
import type { Mounted, View, ViewContext } from "../../view/view.ts";

/** The upper level: what the framework was asked to do. */
export const OPERATORS: View = {
  id: "operators",
  title: "Operators",
  order: 10,
  tables: ["event", "eventFacts", "host", "hostFacts"],
  columns: PART_COLUMNS,
  filters: ["phase", "forward", "category", "stream"],
  isAvailable: (page) => page.runs.some((run) => run.has("event") && run.has("host")),
  mount,
};

type Chart = "bars" | "pie";
/** Parts of a chart; the others are one. */
const MOST_PARTS = 10;

function mount(context: ViewContext): Mounted {
  const words = chosenWords(context);
  const chart = signal<Chart>("bars");
  return viewOfRun(context, "operators", (run) => {
    const why = whyNoSums(run.meta);
    if (why !== null) return [h("p", { class: "notice" }, why)];
    const all = operatorRows(run);
    if (!all || all.length === 0) {
      return [h("p", { class: "soft" }, "The trace of this run has no framework operators.")];
    }
    return content(context, run, all, words, chart);
  });
}

function content(
  context: ViewContext,
  run: RunData,
  all: readonly OperatorRow[],
  words: Readable<readonly string[]>,
  chart: Signal<Chart>,
): Node[] {
  const { state, navigate } = context;
  const device = all.reduce((sum, row) => sum + row.deviceSelf, 0);
  const select = (row: OperatorRow) => navigate({ kind: "operator", run: run.index, id: row.name });
  const filtered = computed(() => {
    const filters = state.filters.value;
    if (filters === NO_FILTERS || Object.values(filters).every((one) => one === null)) return all;
    const { event } = run;
    return operatorRows(run, (at) =>
      passes(filters, {
        phase: phaseOfEvent(run, at),
        category: run.report.kernels[event!.kernel[at]!]?.category ?? null,
        streams: [run.meta.lanes[event!.lane[at]!]?.name ?? ""],
        forwards: [forwardOfEvent(run, at) ?? ""],
      }))!;
  });
  const rows = searched(filtered, words, searchRows);
  const made = grid<OperatorRow>({
    label: "Framework operators",
    columns: operatorColumns(run, all, device),
    leaving: ["stream", "phase", "category", "events", "host-total", "host", "device-total", "calls", "share"],
    rows,
    all,
    order: { column: "device", descending: true },
    key: (row) => row.name,
    isSelected: (row) => isSelected(context, run, row.name),
    onSelect: select,
    empty: "No operator passes the search and the filters.",
  });
  const count = h("span", { class: "soft", role: "status", "aria-label": "Rows" }, () => {
    const shown = rows.value.length, isPart = filtered.value !== all;
    const ns = filtered.value.reduce((sum, row) => sum + row.deviceSelf, 0);
    return `${shown === all.length ? "" : `${decimal(shown, 0)} of `}${decimal(all.length, 0)} operators, ${
      isPart ? `${timeText(ns)} of ` : ""
    }${timeText(device)} of ${run.report.target.vendor === "cpu" ? "operators' self time" : "device time"} ${
      shownIterations(run).divisor === 1 ? `of ${run.report.trace?.representative ?? "the iteration"}` : "per iteration"
    }${isPart ? "; calls and host times have no phase, category or stream" : ""}`;
  });
  const charts = h("div", { class: "operator-chart" }, () => chartOf(rows.value, chart.value, select));
  const actions = gridActions(made, () => operatorsCsv(run, made.shown.peek()));
  const head = h(
    "div",
    { class: "view-head" },
    choice<Chart>("Chart", [["bars", "Bars"], ["pie", "Pie"]], chart, (to) => chart.value = to),
    count,
    h("span", { class: "end" }, actions),
  );
  const opened = h("section", {
    class: "opened",
    "aria-label": "Kernels of the operator",
    hidden: () => !openedRow(context, run, filtered.value),
  }, () => {
    const row = openedRow(context, run, filtered.value);
    return row && kernelsOf(context, run, row);
  });
  return [head, charts, made.element, opened];
}

function isSelected(context: ViewContext, run: RunData, name: string): boolean {
  return selectedOperator(context.state.selection.value, run) === name;
}

function openedRow(context: ViewContext, run: RunData, all: readonly OperatorRow[]): OperatorRow | null {
  return all.find((row) => row.kernels.length > 0 && isSelected(context, run, row.name)) ?? null;
}

function chartOf(rows: readonly OperatorRow[], kind: Chart, select: (row: OperatorRow) => void): HTMLElement {
  const measured = rows.filter((row) => row.deviceSelf > 0);
  const byHost = measured.length === 0;
  const value = (row: OperatorRow): number => byHost ? row.hostSelf ?? 0 : row.deviceSelf;
  const parts: Part[] = (byHost ? [...rows] : measured).sort((a, b) => value(b) - value(a)).map((row) => ({
    name: row.name,
    value: value(row),
    colour: categoryHue(row.categories[0] ?? "other"),
    text: formatTime(value(row)),
    onSelect: () => select(row),
  }));
  const shown = withRest(parts, MOST_PARTS, (_, rest) => formatTime(rest));
  const label = byHost ? "Host time by operator" : "Device time by operator";
  return kind === "bars" ? bars(label, shown) : ring(label, distinct(shown));
}

/** Parts of one hue differ in lightness, so that they can be told apart in a ring. */
function distinct(parts: readonly Part[]): Part[] {
  const seen = new Map<string, number>();
  return parts.map((part) => {
    const count = seen.get(part.colour) ?? 0;
    seen.set(part.colour, count + 1);
    return count === 0
      ? part
      : { ...part, colour: `color-mix(in oklab, ${part.colour}, var(--page) ${Math.min(75, 22 * count)}%)` };
  });
}

function operatorColumns(
  run: RunData,
  all: readonly OperatorRow[],
  device: number,
): readonly GridColumn<OperatorRow>[] {
  const unit = tableUnit(largest(all.map((row) => Math.max(row.hostTotal ?? 0, row.deviceTotal))));
  const hasStreams = filterChoices(run).stream.length > 1;
  const most = device > 0 ? largest(all.map((row) => row.deviceSelf)) / device : 0;
  const time = (
    id: string,
    title: string,
    about: string,
    value: (row: OperatorRow) => number | null,
  ): GridColumn<OperatorRow> => ({
    id,
    title: `${title}, ${unit[0]}`,
    about: `${about}, in ${unit[0]} per iteration`,
    align: "end",
    width: 148,
    value,
    cell: (row) => value(row) === null ? "" : formatTimeIn(value(row)!, unit),
  });
  const columns: GridColumn<OperatorRow>[] = [
    {
      id: "name",
      title: "Operator",
      width: 190,
      grow: 3,
      value: (row) => row.name,
      cell: (row) => [categorySwatch(row.categories[0] ?? "other"), h("span", { title: row.name }, row.name)],
    },
    time(
      "device",
      "Device self",
      "Sum of the durations of the device events that the operator launches itself",
      (row) => row.deviceSelf,
    ),
    {
      id: "share",
      title: "Share",
      about: "Device self time of the device time of an iteration",
      align: "end",
      width: 128,
      value: (row) => device > 0 ? row.deviceSelf / device : null,
      cell: (row) => device > 0 ? meter(row.deviceSelf / device, most) : "",
    },
    time("device-total", "Device total", "The same with the operators that it calls", (row) => row.deviceTotal),
    {
      id: "calls",
      title: "Calls",
      about: "Occurrences per iteration",
      align: "end",
      width: 72,
      value: (row) => row.calls,
      cell: (row) => row.calls === null ? "" : countText(row.calls),
    },
    time(
      "host",
      "Host self",
      "Time on the host without the operators that it calls, with calls of the runtime and their waits",
      (row) => row.hostSelf,
    ),
    time("host-total", "Host total", "Time on the host with all that it calls", (row) => row.hostTotal),
    {
      id: "events",
      title: "Events",
      about: "Device events that it launches itself, per iteration",
      align: "end",
      width: 76,
      value: (row) => row.events,
      cell: (row) => countText(row.events),
    },
    {
      id: "stream",
      title: "Stream",
      about: "Where its device events ran",
      width: 130,
      grow: 1,
      value: (row) => hasStreams ? row.streams.join(", ") || null : null,
    },
    { id: "phase", title: "Phase", width: 100, value: (row) => row.phases.join(", ") || null },
    { id: "category", title: "Category", width: 110, value: (row) => row.categories.join(", ") || null },
  ];
  return columns;
}

const countText = (count: number): HTMLElement =>
  Number.isInteger(count) ? formatCount(count) : valued(count, decimal(count, 2));

function kernelsOf(context: ViewContext, run: RunData, row: OperatorRow): Node[] {
  const unit = tableUnit(row.deviceSelf);
  const largest = row.kernels[0]!.ns / row.deviceSelf;
  const columns: GridColumn<OperatorKernel>[] = [
    {
      id: "name",
      title: "Device kernel",
      width: 240,
      grow: 4,
      value: (one) => one.name,
      cell: (one) => h("span", { title: one.name }, one.name),
    },
    {
      id: "events",
      title: "Events",
      align: "end",
      width: 76,
      value: (one) => one.events,
      cell: (one) => countText(one.events),
    },
    {
      id: "time",
      title: `Time, ${unit[0]}`,
      align: "end",
      width: 110,
      value: (one) => one.ns,
      cell: (one) => formatTimeIn(one.ns, unit),
    },
    {
      id: "share",
      title: "Share",
      about: "Of the operator's own device time",
      align: "end",
      width: 128,
      value: (one) => one.ns / row.deviceSelf,
      cell: (one) => meter(one.ns / row.deviceSelf, largest),
    },
    {
      id: "kernel",
      title: "Kernel",
      width: 220,
      grow: 2,
      value: (one) => one.kernel,
      cell: (one) => {
        const kernel = run.report.kernels.find((it) => it.id === one.kernel);
        if (!kernel) return h("span", { class: "soft" }, "none");
        const go = link(
          `${kernel.label}${kernel.scope ? ` in ${kernel.scope}` : ""}`,
          () => context.navigate({ kind: "kernel", run: run.index, id: kernel.id }, "kernels"),
        );
        go.tabIndex = -1;
        return go;
      },
    },
  ];
  const made = grid<OperatorKernel>({
    label: `Kernels of ${row.name}`,
    columns,
    leaving: ["events", "kernel", "share"],
    rows: signal(row.kernels),
    order: { column: "time", descending: true },
    key: (one) => `${one.kernel}/${one.name}`,
    onOpen: (one) => {
      if (one.kernel !== null) context.navigate({ kind: "kernel", run: run.index, id: one.kernel }, "kernels");
    },
  });
  return [h("h2", null, "Kernels of ", h("span", { class: "mono" }, row.name)), made.element];
}

function operatorsCsv(run: RunData, rows: readonly OperatorRow[]): string {
  return csvOf<OperatorRow>([
    ["run", () => run.label],
    ["operator", (row) => row.name],
    "calls",
    ["device_self_ns", (row) => row.deviceSelf],
    ["device_total_ns", (row) => row.deviceTotal],
    ["host_self_ns", (row) => row.hostSelf],
    ["host_total_ns", (row) => row.hostTotal],
    "events",
    ["streams", (row) => row.streams.join(";")],
    ["phases", (row) => row.phases.join(";")],
    ["categories", (row) => row.categories.join(";")],
  ], rows);
}
