/** The kernels of a run, and the events that belong to none. */

import "./style.css";
import type { Aggregate, Unbound } from "../../contract/report.ts";
import type { RunData } from "../../data/tables.ts";
import { csvOf } from "../../model/csv.ts";
import { filterChoices } from "../../model/filter_choices.ts";
import {
  type KernelRow,
  kernelRows,
  kernelsCsv,
  LAUNCH_COLUMNS,
  searchRows,
  searchUnbound,
} from "../../model/kernels.ts";
import { largest } from "../../model/largest.ts";
import { computed, effect, onCleanup, type Readable, scope, signal } from "../../state/signals.ts";
import { choice } from "../../view/controls.ts";
import { type Child, h } from "../../view/elements.ts";
import { chosenRun, chosenWords, passes, searched } from "../../view/filtering.ts";
import { type Grid, grid, type GridColumn } from "../../view/grid.ts";
import { gridActions } from "../../view/grid_actions.ts";
import { categorySwatch, meter } from "../../view/marks.ts";
import { decimal, formatCount, formatFactorIn, formatTimeIn, tableUnit, valued } from "../../view/number.ts";
import { selectedKernel } from "../../view/selected.ts";
import type { Mounted, View, ViewContext } from "../../view/view.ts";
import { attribution } from "./attribution.ts";
import { groupGrid, type Grouping, groupingsOf } from "./groups.ts";

/** The lower level: what ran on the device, with its limits. */
export const KERNELS: View = {
  id: "kernels",
  title: "Kernels",
  order: 20,
  tables: ["event"],
  columns: LAUNCH_COLUMNS,
  filters: ["phase", "forward", "category", "stream"],
  isAvailable: (page) => page.runs.some((run) => run.report.kernels.length > 0),
  mount,
};

type Part = "kernels" | "unbound" | Grouping;

function mount(context: ViewContext): Mounted {
  const run = chosenRun(context);
  const words = chosenWords(context);
  const part = signal<Part>("kernels");
  const element = h("div", { class: "view kernels" });
  effect(() => {
    const chosen = run.value;
    const unbound = chosen.report.unbound ?? [];
    const groupings = groupingsOf(chosen);
    // The choice itself stays while it is made: nothing here depends on it.
    const old = part.peek();
    if (old === "unbound" ? unbound.length === 0 : old !== "kernels" && !groupings.some(([id]) => id === old)) {
      part.value = "kernels";
    }
    const parts = choice<Part>(
      "Shown",
      [
        ["kernels", "Kernels"],
        ...groupings,
        ...(unbound.length > 0 ? [["unbound", `Without a kernel (${unbound.length})`] as const] : []),
      ],
      part,
      (to) => part.value = to,
    );
    const head = h("div", { class: "view-head" }, unbound.length + groupings.length > 0 ? parts : null);
    element.replaceChildren(...[attribution(chosen), head].filter((one) => one !== null));
    effect(() => {
      const now = part.value;
      const [shown, end] = scope(() =>
        now === "kernels"
          ? kernelGrid(context, chosen, words)
          : now === "unbound"
          ? unboundGrid(context, chosen, unbound, words)
          : groupsShown(chosen, now, words)
      );
      head.append(...shown.head);
      element.append(shown.grid.element);
      onCleanup(() => {
        end();
        for (const one of [...shown.head, shown.grid.element]) one.remove();
      });
    });
  });
  return { element };
}

interface Shown {
  head: HTMLElement[];
  grid: Grid<KernelRow> | Grid<Unbound> | Grid<Aggregate>;
}

function groupsShown(run: RunData, grouping: Grouping, words: Readable<readonly string[]>): Shown {
  const { grid, actions } = groupGrid(run, grouping, words);
  return { head: [h("span", { class: "end" }, ...actions)], grid };
}

function kernelGrid(context: ViewContext, run: RunData, words: Readable<readonly string[]>): Shown {
  const { state, navigate } = context;
  const all = kernelRows(run);
  const filtered = computed(() => {
    const filters = state.filters.value;
    return all.filter((row) =>
      passes(filters, {
        phase: row.kernel.phase,
        forwards: row.forwards,
        category: row.kernel.category,
        streams: row.streams,
      })
    );
  });
  const rows = searched(filtered, words, searchRows);
  const selected = computed(() => selectedKernel(state.selection.value, run));
  const made = grid<KernelRow>({
    label: "Kernels",
    columns: kernelColumns(run, all),
    leaving: [
      "nodes",
      "registers",
      "block",
      "grid",
      "device",
      "slack",
      "rule",
      "phase",
      "category",
      "state",
      "stream",
      "events",
      "roof",
      "attainable",
      "limit",
      "scope",
      "share",
    ],
    rows,
    all,
    order: { column: "time", descending: true },
    key: (row) => row.kernel.id,
    isSelected: (row) => row.kernel.id === selected.value,
    onSelect: (row) => navigate({ kind: "kernel", run: run.index, id: row.kernel.id }),
    empty: "No kernel passes the search and the filters.",
  });
  const idle = all.filter((row) => row.kernel.duration_ns === 0).length;
  const count = h("span", { class: "soft", role: "status", "aria-label": "Rows" }, () => {
    const shown = rows.value.length, { forward, stream } = state.filters.value;
    return `${shown === all.length ? "" : `${decimal(shown, 0)} of `}${decimal(all.length, 0)} kernels${
      idle > 0 ? `, ${decimal(idle, 0)} of them without time` : ""
    }${forward === null && stream === null ? "" : "; times are of all forwards and streams"}`;
  });
  const actions = gridActions(made, () => kernelsCsv(run, made.shown.peek().map((row) => row.kernel)));
  return { head: [count, h("span", { class: "end" }, actions)], grid: made };
}

function kernelColumns(run: RunData, all: readonly KernelRow[]): readonly GridColumn<KernelRow>[] {
  const unit = tableUnit(largest(all.map((row) => row.kernel.duration_ns)));
  const most = largest(all.map((row) => row.kernel.ratio));
  const hasStreams = filterChoices(run).stream.length > 1;
  const columns: GridColumn<KernelRow>[] = [
    {
      id: "label",
      title: "Kernel",
      width: 170,
      grow: 2,
      value: (row) => row.kernel.label,
      cell: (
        row,
      ) => [
        categorySwatch(row.kernel.category),
        h("span", { title: row.kernel.doc ?? row.kernel.label }, row.kernel.label),
      ],
    },
    {
      id: "time",
      title: `Time, ${unit[0]}`,
      about: "Per iteration: the union of the kernel's events",
      align: "end",
      width: 100,
      value: (row) => row.kernel.duration_ns,
      cell: (row) => row.kernel.duration_ns === null ? "" : formatTimeIn(row.kernel.duration_ns, unit),
    },
    {
      id: "share",
      title: "Share",
      about: "Of undisturbed busy time",
      align: "end",
      width: 124,
      value: (row) => row.kernel.ratio,
      cell: (row) => meter(row.kernel.ratio, most),
    },
    {
      id: "scope",
      title: "Scope",
      width: 200,
      grow: 4,
      value: (row) => row.kernel.scope,
      cell: (row) => tailed(row.kernel.scope),
    },
    {
      id: "events",
      title: "Events",
      about: "Per iteration",
      align: "end",
      width: 72,
      value: (row) => row.kernel.events,
      cell: (row) => row.kernel.events === null ? "" : formatCount(row.kernel.events),
    },
    {
      id: "limit",
      title: "Limit of busy",
      about: "How many times faster the busy time were if the kernel took no time",
      align: "end",
      width: 116,
      value: (row) => row.kernel.duration_ns === null ? null : row.kernel.max_speedup ?? Infinity,
      cell: (row) => row.kernel.duration_ns === null ? "" : formatFactorIn(row.kernel.max_speedup),
    },
    {
      id: "attainable",
      title: "Attainable",
      about: "How many times faster the busy time were if the kernel took the least time that the device allows",
      align: "end",
      width: 94,
      value: (row) => row.attainable,
      cell: (row) => row.attainable === null ? "" : formatFactorIn(row.attainable),
    },
    {
      id: "roof",
      title: "Roof",
      about: "What limits the kernel at best: memory or computation. A dot says that it is there already",
      width: 92,
      value: (row) => row.kernel.roofline?.bound ?? null,
      cell: (row) =>
        row.kernel.roofline?.bound ? `${row.kernel.roofline.bound}${row.kernel.roofline.at_roof ? " •" : ""}` : "",
    },
    {
      id: "state",
      title: "Binding",
      about: "Whether events were bound to the kernel",
      width: 120,
      value: (row) => row.kernel.state,
      cell: bindingCell,
    },
    { id: "category", title: "Category", width: 108, value: (row) => row.kernel.category },
    {
      id: "rule",
      title: "Rule",
      about: "The rule of the grammar that made one kernel of the nodes",
      width: 110,
      grow: 1,
      value: (row) => row.kernel.rule,
    },
    {
      id: "nodes",
      title: "Nodes",
      about: "The anchor first",
      width: 150,
      grow: 2,
      value: (row) => row.nodes,
      cell: (row) => h("span", { title: row.nodes }, row.nodes.replaceAll(";", ", ")),
    },
    {
      id: "phase",
      title: "Phase",
      width: 90,
      value: (row) => row.kernel.phase,
    },
    {
      id: "device",
      title: "Device kernel",
      about: "Name of its first event",
      width: 160,
      grow: 2,
      value: (row) => row.launch?.name ?? null,
      cell: (row) => row.launch ? h("span", { title: row.launch.name }, row.launch.name) : "",
    },
    {
      id: "grid",
      title: "Grid",
      align: "end",
      width: 96,
      value: (row) => product(row.launch?.grid),
      cell: (row) => sizeText(row.launch?.grid),
    },
    {
      id: "block",
      title: "Block",
      align: "end",
      width: 92,
      value: (row) => product(row.launch?.block),
      cell: (row) => sizeText(row.launch?.block),
    },
    {
      id: "registers",
      title: "Registers",
      about: "Of a thread",
      align: "end",
      width: 88,
      value: (row) => row.launch?.registers ?? null,
    },
    {
      id: "slack",
      title: `Slack, ${unit[0]}`,
      about: "How much longer the kernel could take before the critical path of the kernels grows",
      align: "end",
      width: 96,
      value: (row) => row.kernel.slack_ns,
      cell: (row) =>
        row.kernel.slack_ns === null
          ? ""
          : row.kernel.critical
          ? valued(0, "critical")
          : formatTimeIn(row.kernel.slack_ns, unit),
    },
    {
      id: "stream",
      title: "Stream",
      width: 90,
      value: (row) => hasStreams ? row.streams.join(", ") || null : null,
    },
  ];
  return columns;
}

/** A dotted name of which the end says most: what does not fit is cut at its beginning. */
function tailed(name: string): Child {
  return h("span", { class: "tailed", title: name }, h("bdi", null, name));
}

function bindingCell(row: KernelRow): Child {
  const { state } = row.kernel;
  if (state === null) return "";
  const text = state === "no-device-work" ? "no device work" : state.replace("-", " ");
  return h("span", { class: `state ${state}`, title: row.kernel.reason }, text);
}

const product = (size: readonly number[] | null | undefined): number | null =>
  size ? size.reduce((a, b) => a * b, 1) : null;
const sizeText = (size: readonly number[] | null | undefined): Child =>
  size ? valued(size.join(" "), size.join(" × ").replace(/( × 1)+$/, "")) : "";

function unboundGrid(
  { state }: ViewContext,
  run: RunData,
  unbound: readonly Unbound[],
  words: Readable<readonly string[]>,
): Shown {
  const unit = tableUnit(largest(unbound.map((one) => one.duration_ns)));
  const ofPhase = computed(() => {
    const { phase } = state.filters.value;
    return unbound.filter((one) => phase === null || one.phase === phase);
  });
  const rows = searched(ofPhase, words, searchUnbound);
  const columns: GridColumn<Unbound>[] = [
    {
      id: "name",
      title: "Event",
      width: 200,
      grow: 3,
      value: (one) => one.name,
      cell: (one) => h("span", { title: one.name }, one.name),
    },
    {
      id: "time",
      title: `Time, ${unit[0]}`,
      align: "end",
      width: 100,
      value: (one) => one.duration_ns,
      cell: (one) => formatTimeIn(one.duration_ns, unit),
    },
    {
      id: "events",
      title: "Events",
      align: "end",
      width: 72,
      value: (one) => one.events,
      cell: (one) => formatCount(one.events),
    },
    { id: "class", title: "Class", width: 110, value: (one) => one.class },
    { id: "phase", title: "Phase", width: 90, value: (one) => one.phase },
    {
      id: "reason",
      title: "Reason",
      width: 260,
      grow: 4,
      value: (one) => one.reason,
      cell: (one) => h("span", { title: one.reason ?? "" }, one.reason),
    },
  ];
  const made = grid<Unbound>({
    label: "Events without a kernel",
    columns,
    leaving: ["phase", "class", "reason", "events"],
    rows,
    all: unbound,
    order: { column: "time", descending: true },
    key: (one) => `${one.name}/${one.class}/${one.reason}/${one.phase}`,
    empty: "No event passes the search.",
  });
  const csv = () =>
    csvOf<Unbound>(
      [["run", () => run.label], "name", "events", "duration_ns", "class", "reason", "phase"],
      made.shown.peek(),
    );
  return { head: [h("span", { class: "end" }, gridActions(made, csv))], grid: made };
}
