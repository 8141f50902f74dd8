/** How much memory the tensors of a run take over the schedule of its kernels, and what the allocator recorded. */

import "./style.css";
import type { Liveness } from "../../contract/report.ts";
import type { RunData } from "../../data/tables.ts";
import { linearScale } from "../../draw/scales.ts";
import { largest } from "../../model/largest.ts";
import { computed, effect, type Readable, type Signal, signal } from "../../state/signals.ts";
import { choice, link } from "../../view/controls.ts";
import { type Child, h, s } from "../../view/elements.ts";
import { chosenWords, viewOfRun } from "../../view/filtering.ts";
import type { GridColumn } from "../../view/grid.ts";
import { bytesText, decimal, formatBytes, formatCount, tableUnit, valued } from "../../view/number.ts";
import { axes, type Box, chart, stepPath } from "../../view/plot.ts";
import { gridSection, nameColumn, timeColumn } from "../../view/searched_grid.ts";
import { colourKey, figures } from "../../view/sections.ts";
import { selectedKernel } from "../../view/selected.ts";
import type { Mounted, View, ViewContext } from "../../view/view.ts";
import { type Axis, axisOf, liveAt, type LiveRow, peaksOf, type PeriodRow, periodRows, positionAt } from "./data.ts";
import { allocationsSection, allocatorSection, differencesSection } from "./measured.ts";
import { bytesAxis, bytesColumn, type Kernels, labelOf, timeAxis } from "./parts.ts";

/** Tensors over the schedule, and records of the allocator. */
export const MEMORY: View = {
  id: "memory",
  title: "Memory",
  order: 80,
  tables: ["memory", "event"],
  columns: ["memory.reserved"],
  isAvailable: (page) => page.runs.some((run) => run.report.liveness !== null || run.has("memory")),
  mount,
};

function mount(context: ViewContext): Mounted {
  return viewOfRun(context, "memory", (run) => contentsOf(context, run));
}

function contentsOf(context: ViewContext, run: RunData): Node[] {
  const { liveness } = run.report;
  const parts = [
    ...(liveness ? livenessSections(context, run, liveness) : []),
    run.memory && run.memory.length > 0 ? allocatorSection(run, run.memory) : null,
  ].filter((one): one is HTMLElement => one !== null);
  if (!liveness) {
    parts.push(
      h(
        "p",
        { class: "soft" },
        "Which tensors are live is not known of a run without its model. With its execution trace, ",
        h("code", null, "-emit=liveness=FOLDER"),
        " beside the page adds it.",
        run.has("memory") ? null : " The trace has no records of an allocator.",
      ),
    );
  }
  return parts;
}

function livenessSections(context: ViewContext, run: RunData, liveness: Liveness): (HTMLElement | null)[] {
  if (liveness.kernels.length === 0) return [h("p", { class: "notice" }, "No kernel of this run uses memory.")];
  const kernels = new Map(run.report.kernels.map((kernel) => [kernel.id, kernel]));
  const position = signal(liveness.peak_position ?? 0);
  // A kernel that is selected elsewhere moves the cursor.
  effect(() => {
    const selection = context.state.selection.value;
    const kernel = selectedKernel(selection, run);
    const at = kernel === null ? -1 : liveness.kernels.indexOf(kernel);
    if (at >= 0) position.value = at;
  });
  return [
    peaks(context, run, liveness, kernels),
    liveSection(context, run, liveness, kernels, position),
    periodsSection(context, liveness, position),
    differencesSection(liveness),
    allocationsSection(context, run, liveness, kernels),
  ];
}

function kernelLink(context: ViewContext, run: RunData, kernels: Kernels, id: number): Child {
  return link(`${id} ${labelOf(kernels, id)}`, () => context.navigate({ kind: "kernel", run: run.index, id }));
}

function peaks(context: ViewContext, run: RunData, liveness: Liveness, kernels: Kernels): HTMLElement {
  const { measured } = liveness;
  return h(
    "div",
    { class: "section" },
    figures([
      ["Computed peak", formatBytes(liveness.peak_bytes)],
      ["Always live", formatBytes(liveness.global_bytes)],
      ["Measured peak", measured ? formatBytes(measured.peak_bytes) : null],
      ["Tensors", formatCount(liveness.tensors.length)],
    ]),
    h("p", { class: "soft" }, [
      liveness.peak_kernel === null
        ? null
        : ["The peak is at kernel ", kernelLink(context, run, kernels, liveness.peak_kernel), ". "],
      measured?.peak_call ? ["The allocator's is in ", h("code", null, measured.peak_call), ". "] : null,
      liveness.unknown_sizes > 0
        ? [formatCount(liveness.unknown_sizes), " tensors of unknown size are in no sum, so that more is live. "]
        : null,
      liveness.no_measured ? `What was allocated is not known: ${liveness.no_measured}. ` : null,
      "What the runtime reuses in place is not known.",
    ]),
  );
}

function liveSection(
  context: ViewContext,
  run: RunData,
  liveness: Liveness,
  kernels: Kernels,
  position: Signal<number>,
): HTMLElement {
  const by = signal<"time" | "position">("time");
  const axis = computed(() => axisOf(liveness, kernels, by.value === "position"));
  const most = largest(liveness.live_bytes);
  const last = liveness.kernels.length - 1;
  const lineOf = (at: number): string =>
    `position ${at}, kernel ${liveness.kernels[at]} ${labelOf(kernels, liveness.kernels[at] ?? null)}, ${
      bytesText(liveness.live_bytes[at] ?? 0)
    } live`;
  const cursor: HTMLInputElement = h("input", {
    type: "range",
    class: "cursor",
    min: 0,
    max: last,
    step: 1,
    "aria-label": "Position",
    "aria-valuetext": () => lineOf(position.value),
    oninput: () => position.value = cursor.valueAsNumber,
  });
  effect(() => void (cursor.value = String(position.value)));
  let box: Box | null = null;
  const plot = chart({
    label: `Live bytes over the schedule, at most ${bytesText(most)} at position ${liveness.peak_position ?? 0}`,
    height: 250,
    left: 72,
    onChoose: ([x]) => {
      const { ends } = axis.peek();
      if (box) position.value = positionAt(axis.peek(), linearScale(0, ends.at(-1)!, box.left, box.right).at(x));
    },
    draw: (area) => {
      box = area;
      return drawLive(area, axis.value, liveness, most, position);
    },
  });
  const rows = computed(() => liveAt(liveness, position.value));
  const line = h("p", { class: "line", role: "status", "aria-label": "At the cursor" }, () => {
    const at = position.value, id = liveness.kernels[at]!;
    return [
      "Position ",
      valued(at, String(at)),
      ", kernel ",
      kernelLink(context, run, kernels, id),
      ": ",
      formatBytes(liveness.live_bytes[at] ?? 0),
      " live in ",
      formatCount(rows.value.length),
      " tensors.",
    ];
  });
  const hasTimes = axisOf(liveness, kernels, false).isTime;
  return gridSection<LiveRow>(
    "Live bytes",
    "The kernels of an iteration one after the other. Choose a place, or move the slider.",
    chosenWords(context),
    {
      label: "Live tensors",
      rows,
      columns: [
        nameColumn("name", "Tensor", (row) => row.tensor.name, 200, 2),
        { id: "type", title: "Type", width: 160, grow: 1, value: (row) => row.tensor.type },
        bytesColumn((row) => row.tensor.bytes),
        { id: "use", title: "At the cursor", width: 130, value: (row) => row.use },
        positionColumn(
          "birth",
          "Born",
          (row) => row.tensor.birth,
          "The first position that uses it; nothing if it is always live",
        ),
        positionColumn("end", "Lives to", (row) => row.tensor.live_end, "Behind the last position at which it is live"),
      ],
      leaving: ["end", "birth", "use", "type"],
      order: { column: "bytes", descending: true },
      key: (row) => row.index,
      textOf: (row) => `${row.tensor.name} ${row.tensor.type} ${row.use}`,
      csv: [
        ["tensor", (row) => row.tensor.name],
        ["type", (row) => row.tensor.type],
        ["bytes", (row) => row.tensor.bytes],
        ["birth", (row) => row.tensor.birth],
        ["live_end", (row) => row.tensor.live_end],
        "use",
      ],
    },
    h("div", { class: "view-head" }, [
      hasTimes ? choice("Axis", [["time", "By time"], ["position", "By position"]], by, (to) => by.value = to) : null,
      colourKey([
        { name: "always live", value: liveness.global_bytes, shown: null, colour: "var(--faint)" },
        { name: "others", value: most, shown: null, colour: "var(--accent)" },
      ]),
    ]),
    plot,
    h("div", { class: "at" }, cursor, line),
  );
}

function drawLive(
  box: Box,
  { ends, isTime }: Axis,
  liveness: Liveness,
  most: number,
  position: Readable<number>,
): Child {
  const x = timeAxis(isTime ? "Time of kernels" : "Position", 0, ends.at(-1)!, isTime, box),
    y = bytesAxis(most * 1.04, box);
  const shown = peaksOf(ends, liveness.live_bytes, Math.max(1, Math.floor(box.right - box.left)));
  const globals = y.scale(liveness.global_bytes);
  const at = position.value;
  const left = x.scale(ends[at]!), width = Math.max(1.5, x.scale(ends[at + 1]!) - left);
  return [
    axes(box, x, y),
    s("path", { d: stepPath(shown.ends, shown.values, x.scale, y.scale, box.bottom), class: "locals" }),
    s("rect", {
      x: box.left,
      y: globals,
      width: box.right - box.left,
      height: Math.max(0, box.bottom - globals),
      class: "globals",
    }),
    s("path", { d: stepPath(shown.ends, shown.values, x.scale, y.scale, null), class: "outline" }),
    s("rect", { x: left, y: box.top, width, height: box.bottom - box.top, class: "at-cursor" }),
  ];
}

function positionColumn<Row>(
  id: string,
  title: string,
  value: (row: Row) => number | null,
  about: string,
): GridColumn<Row> {
  return {
    id,
    title,
    about,
    align: "end",
    width: Math.max(72, 9 * title.length + 30),
    value,
    cell: (row) => {
      const at = value(row);
      return at === null ? "" : valued(at, String(at));
    },
  };
}

function periodsSection(context: ViewContext, liveness: Liveness, position: Signal<number>): HTMLElement | null {
  const rows = periodRows(liveness);
  if (rows.length === 0) return null;
  const unit = tableUnit(largest(rows.map((row) => row.ns)));
  const cost = (
    what: "offload" | "recompute",
    title: string,
    about: string,
  ): GridColumn<PeriodRow> => timeColumn(what, title, unit, (row) => row[what]?.cost_ns ?? null, about);
  return gridSection<PeriodRow>(
    "Inactive periods",
    `Between two uses of a tensor, when its memory could serve something else. Offloading assumes ${
      decimal(liveness.offload_bytes_per_s / 1e9, 1)
    } GB/s.`,
    chosenWords(context),
    {
      label: "Inactive periods",
      rows: signal(rows),
      columns: [
        nameColumn("name", "Tensor", (row) => row.tensor.name, 200, 2),
        bytesColumn((row) => row.tensor.bytes),
        positionColumn("from", "From", (row) => row.from, "Position behind the earlier use"),
        positionColumn(
          "to",
          "To",
          (row) => row.to,
          "Position of the later use; below the other one around the end of the iteration",
        ),
        timeColumn("ns", "Length", unit, (row) => row.ns),
        {
          id: "held",
          title: "Bytes × s",
          about: "Bytes times the length of the period: what freeing it is worth",
          align: "end",
          width: 104,
          value: (row) => row.byteSeconds,
          cell: (row) => row.byteSeconds === null ? "" : valued(row.byteSeconds, decimal(row.byteSeconds, 1)),
        },
        cost("offload", "To move", "What both transfers cost, if that is less than the period"),
        cost(
          "recompute",
          "To compute again",
          "What making it again costs, where all that it was made of is still live",
        ),
      ],
      leaving: ["recompute", "offload", "held", "to", "from", "ns"],
      order: { column: rows.some((row) => row.byteSeconds !== null) ? "held" : "bytes", descending: true },
      key: (row) => row.key,
      onSelect: (row) => {
        if (row.from < liveness.kernels.length) position.value = row.from;
      },
      textOf: (row) => `${row.tensor.name} ${row.tensor.type}`,
      csv: [
        ["tensor", (row) => row.tensor.name],
        ["bytes", (row) => row.tensor.bytes],
        "from",
        "to",
        "ns",
        ["offload_ns", (row) => row.offload?.cost_ns ?? null],
        ["recompute_ns", (row) => row.recompute?.cost_ns ?? null],
      ],
    },
  );
}
