/** What the allocator recorded, beside what is computed. */

import type { Liveness } from "../../contract/report.ts";
import type { MemoryTable, RunData } from "../../data/tables.ts";
import { largest } from "../../model/largest.ts";
import { signal } from "../../state/signals.ts";
import { h, s } from "../../view/elements.ts";
import { chosenWords } from "../../view/filtering.ts";
import { bytesText, decimal, formatBytes, formatCount, formatTime, tableUnit, valued } from "../../view/number.ts";
import { axes, chart, stepPath } from "../../view/plot.ts";
import { gridSection, nameColumn, timeColumn } from "../../view/searched_grid.ts";
import { colourKey, figures, section } from "../../view/sections.ts";
import type { ViewContext } from "../../view/view.ts";
import { DIFFERENCES, peaksOf } from "./data.ts";
import { bytesAxis, bytesColumn, type Kernels, labelOf, timeAxis } from "./parts.ts";

/** How one peak becomes the other; null if nothing was measured. */
export function differencesSection(liveness: Liveness): HTMLElement | null {
  const { measured } = liveness;
  if (!measured) return null;
  const rows: [string, number, string][] = [
    ["computed peak", liveness.peak_bytes, "of all tensors of known size"],
    ...measured.differences.map((one): [string, number, string] => [one.why, one.bytes, DIFFERENCES[one.why] ?? ""]),
    ["measured peak", measured.peak_bytes, "as the allocator recorded it"],
  ];
  return section(
    "Measured beside computed",
    "What leads from one peak to the other.",
    null,
    h(
      "dl",
      { class: "differences" },
      rows.map(([why, bytes, meaning], i) =>
        h(
          "div",
          { class: i === 0 || i === rows.length - 1 ? "sum" : null },
          h("dt", null, why),
          h(
            "dd",
            { class: "number" },
            valued(bytes, `${i > 0 && i < rows.length - 1 && bytes > 0 ? "+" : ""}${signedBytes(bytes)}`),
          ),
          h("dd", { class: "soft meaning" }, meaning),
        )
      ),
    ),
  );
}

const signedBytes = (bytes: number): string => bytes < 0 ? `-${bytesText(-bytes)}` : bytesText(bytes);

/** The memory that was allocated for some of the iteration; null if it is not known. */
export function allocationsSection(
  context: ViewContext,
  run: RunData,
  liveness: Liveness,
  kernels: Kernels,
): HTMLElement | null {
  const lives = liveness.measured?.lives ?? [];
  if (lives.length === 0) return null;
  type Life = (typeof lives)[number];
  const first = lives.reduce((least, one) => Math.min(least, one.from_ns), Infinity);
  const lengthOf = (life: Life): number | null => life.to_ns === null ? null : life.to_ns - life.from_ns;
  const unit = tableUnit(largest(lives.map(lengthOf)));
  const tensorOf = (life: Life): string | null =>
    life.tensor === null ? null : liveness.tensors[life.tensor]?.name ?? null;
  return gridSection<Life>(
    "Allocations",
    "Memory that was allocated for some of the iteration.",
    chosenWords(context),
    {
      label: "Allocations",
      rows: signal(lives),
      columns: [
        nameColumn("call", "Operator", (row) => row.call, 150),
        bytesColumn((row) => row.bytes),
        {
          id: "from",
          title: `From, ${unit[0]}`,
          about: "After the first one",
          align: "end",
          width: 116,
          value: (row) => row.from_ns,
          cell: (row) => valued(row.from_ns, decimal((row.from_ns - first) / unit[1], 3)),
        },
        timeColumn("length", "Length", unit, lengthOf, "Nothing where it was free only after the recording"),
        nameColumn(
          "kernel",
          "Kernel",
          (row) => row.kernel === null ? null : `${row.kernel} ${labelOf(kernels, row.kernel)}`,
          140,
        ),
        nameColumn("tensor", "Tensor", tensorOf, 180, 2),
      ],
      order: { column: "bytes", descending: true },
      key: (row) => `${row.address}/${row.from_ns}/${row.bytes}`,
      onSelect: (row) => {
        if (row.kernel !== null) context.navigate({ kind: "kernel", run: run.index, id: row.kernel });
      },
      textOf: (row) => `${row.call ?? ""} ${tensorOf(row) ?? ""}`,
      csv: [
        "call",
        "bytes",
        "from_ns",
        "to_ns",
        "kernel",
        ["tensor", tensorOf],
      ],
    },
  );
}

/** What the allocator held over the time of the trace. */
export function allocatorSection(run: RunData, memory: MemoryTable): HTMLElement {
  const records = run.loaded("memory.reserved");
  const reserved = records && (records as Float64Array).some((value) => value > 0) ? records : null;
  const end = Math.max(memory.time[memory.length - 1]!, largest(run.meta.iterations.map((one) => one.end_ns)));
  const ends = new Float64Array(memory.length + 1);
  ends.set(memory.time);
  ends[memory.length] = end;
  const peak = memory.bytes.reduce((most, value) => Math.max(most, value), 0);
  const most = reserved ? (reserved as Float64Array).reduce((one, value) => Math.max(one, value), peak) : peak;
  const from = ends[0]!;
  return section(
    "Allocator",
    "As recorded, from its first record on; stripes are the selected iterations.",
    null,
    figures([
      ["Allocated at most", formatBytes(peak)],
      ["Reserved at most", reserved && most > peak ? formatBytes(most) : null],
      ["Records", formatCount(memory.length)],
      ["Time", formatTime(end - from)],
    ]),
    colourKey([
      { name: "allocated", value: 1, shown: null, colour: "var(--accent)" },
      ...(reserved ? [{ name: "reserved", value: 1, shown: null, colour: "var(--faint)" }] : []),
    ]),
    chart({
      label: `Allocated bytes over time, at most ${bytesText(peak)}`,
      height: 220,
      left: 72,
      right: 24,
      draw: (box) => {
        const x = timeAxis("Time from the first record", from, end, true, box), y = bytesAxis(most * 1.04, box);
        const columns = Math.max(1, Math.floor(box.right - box.left));
        const allocated = peaksOf(ends, memory.bytes, columns);
        const held = reserved ? peaksOf(ends, reserved, columns) : null;
        return [
          run.meta.iterations.filter((one) => one.selected && one.end_ns > from).map((one, i) =>
            i % 2 === 1 ? null : s("rect", {
              x: x.scale(Math.max(from, one.start_ns)),
              y: box.top,
              width: Math.max(0, x.scale(one.end_ns) - x.scale(Math.max(from, one.start_ns))),
              height: box.bottom - box.top,
              class: "stripe",
            })
          ),
          axes(box, x, y),
          s("path", { d: stepPath(allocated.ends, allocated.values, x.scale, y.scale, box.bottom), class: "locals" }),
          s("path", { d: stepPath(allocated.ends, allocated.values, x.scale, y.scale, null), class: "outline" }),
          held ? s("path", { d: stepPath(held.ends, held.values, x.scale, y.scale, null), class: "reserved" }) : null,
        ];
      },
    }),
  );
}
