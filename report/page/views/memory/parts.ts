/** What parts of the view share: axes, columns, and names of kernels. */

import type { Kernel } from "../../contract/report.ts";
import { linearScale, linearTicks } from "../../draw/scales.ts";
import { ticksOf } from "../../draw/time_axis.ts";
import { h } from "../../view/elements.ts";
import type { GridColumn } from "../../view/grid.ts";
import { bytesText, decimal, formatBytes } from "../../view/number.ts";
import type { Axis, Box } from "../../view/plot.ts";

/** Kernels by their ids. */
export type Kernels = ReadonlyMap<number, Kernel>;

/** The label of a kernel; empty without one. */
export const labelOf = (kernels: Kernels, id: number | null): string =>
  id === null ? "" : kernels.get(id)?.label ?? String(id);

/** An axis of bytes from 0 on. */
export function bytesAxis(most: number, box: Box): Axis {
  const scale = linearScale(0, most || 1, box.bottom, box.top);
  return {
    label: "",
    scale,
    ticks: linearTicks(0, most || 1, 4, 1024).map((value) => [value, bytesText(value).replace(/\.0 /, " ")]),
  };
}

/** An axis of nanoseconds, or of positions. */
export function timeAxis(label: string, from: number, to: number, isTime: boolean, box: Box): Axis {
  const scale = linearScale(from, to, box.left, box.right);
  const width = box.right - box.left;
  const ticks = isTime
    ? ticksOf(0, to - from, width, 110).map((tick) => [tick.ns + from, tick.text] as const)
    : linearTicks(from, to, Math.max(2, width / 90)).filter(Number.isInteger).map((tick) =>
      [tick, decimal(tick, 0)] as const
    );
  return { label, scale, ticks };
}

/** A column of bytes; a question mark where a dimension is not known. */
export function bytesColumn<Row>(value: (row: Row) => number | null): GridColumn<Row> {
  return {
    id: "bytes",
    title: "Bytes",
    align: "end",
    width: 100,
    value,
    cell: (row) => {
      const bytes = value(row);
      return bytes === null ? h("span", { title: "A dimension is not known" }, "?") : formatBytes(bytes);
    },
  };
}
