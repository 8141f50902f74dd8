/** The two plots of the roofline: rates against intensities, and measured times against the least ones. */

import { logScale, logTicks, prefixedText, type Scale } from "../../draw/scales.ts";
import { type Child, s } from "../../view/elements.ts";
import { axes, type Box } from "../../view/plot.ts";
import { timeText } from "../../view/number.ts";
import type { Mark, Peak, PlotKind, RoofRow } from "./data.ts";

/** More marks than this are not elements of their own: those of one colour are one path. */
export const MOST_MARKS = 500;

/** Roofs of a plot of rates. */
export interface Roofs {
  readonly memory: number | null; // bytes in a second
  readonly peaks: readonly Peak[];
}

interface Plot {
  readonly x: Scale;
  readonly y: Scale;
  readonly frame: Child;
}

const MARGIN = 1.6;
const extent = (values: readonly number[]): [number, number] => {
  let least = Infinity, most = -Infinity;
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return [least / MARGIN, most * MARGIN];
};

/** Axes and roofs of a plot of these rows, of which there is one at least. */
export function plotOf(box: Box, kind: PlotKind, rows: readonly RoofRow[], roofs: Roofs): Plot {
  return kind === "rate" ? ratePlot(box, rows, roofs) : timePlot(box, rows);
}

function ratePlot(box: Box, rows: readonly RoofRow[], { memory, peaks }: Roofs): Plot {
  const highest = peaks[0]?.rate ?? 0;
  const ridge = memory && highest ? highest / memory : 0;
  const [least, most] = extent([...rows.map((row) => row.intensity!), ...(ridge ? [ridge * 2] : [])]);
  const [lowest, top] = extent([...rows.map((row) => row.rate!), ...peaks.map((peak) => peak.rate)]);
  const x = logScale(least, most, box.left, box.right), y = logScale(lowest, top, box.bottom, box.top);
  const frame = axes(
    box,
    {
      label: "Intensity, operations per byte",
      scale: x,
      ticks: logTicks(least, most, 8).map((value) => [value, prefixedText(value).trim()]),
    },
    {
      label: "Rate, operations per second",
      scale: y,
      ticks: logTicks(lowest, top, 7).map((value) => [value, prefixedText(value).trim()]),
    },
    true,
  );
  const lines: Child[] = [];
  if (memory) {
    const to = highest ? Math.min(ridge, most) : most;
    const from = Math.max(least, lowest / memory);
    if (from < to) {
      lines.push(roofLine(x(from), y(from * memory), x(to), y(to * memory)));
      // Texts of peaks are at the other end.
      const at = from * (to / from) ** 0.35;
      const turn = (Math.atan2(y(to * memory) - y(from * memory), x(to) - x(from)) * 180) / Math.PI;
      lines.push(roofText(`memory ${prefixedText(memory)}B/s`, x(at), y(at * memory), "middle", turn));
    }
  }
  const texts: number[] = [];
  for (const peak of peaks) {
    const from = memory ? Math.max(least, peak.rate / memory) : least;
    if (from >= most) continue;
    const text = `${peak.name} ${prefixedText(peak.rate)}op/s`;
    lines.push(roofLine(x(from), y(peak.rate), x(most), y(peak.rate), text));
    // The text of a roof that is close below another one goes below its line. One that has no room is left out; its line has a title.
    const place = [y(peak.rate), y(peak.rate) + 19].find((at) =>
      texts.every((one) => Math.abs(one - at) >= 14) &&
      peaks.every(({ rate }) => y(rate) <= at - 18 || y(rate) >= at - 4)
    );
    if (place === undefined) continue;
    texts.push(place);
    lines.push(roofText(text, box.right, place, "end", 0));
  }
  return { x, y, frame: [frame, lines] };
}

function timePlot(box: Box, rows: readonly RoofRow[]): Plot {
  const [least, most] = extent(rows.map((row) => row.attainable!));
  const [lowest, top] = extent(rows.map((row) => row.duration!));
  // At least the upper end of the roof is seen.
  const bottom = Math.min(lowest, most / 10), ceiling = Math.max(top, most);
  const x = logScale(least, most, box.left, box.right), y = logScale(bottom, ceiling, box.bottom, box.top);
  const textOf = (value: number) => [value, timeText(value).replace(/\.0+ /, " ")] as const;
  const from = Math.max(least, bottom), to = Math.min(most, ceiling), at = Math.sqrt(from * to);
  const turn = (Math.atan2(y(to) - y(from), x(to) - x(from)) * 180) / Math.PI;
  return {
    x,
    y,
    frame: [
      axes(
        box,
        { label: "Attainable time per iteration", scale: x, ticks: logTicks(least, most, 8).map(textOf) },
        { label: "Measured time", scale: y, ticks: logTicks(bottom, ceiling, 6).map(textOf) },
        true,
      ),
      roofLine(x(from), y(from), x(to), y(to)),
      roofText("at its roof", x(at), y(at), "middle", turn),
    ],
  };
}

const roofLine = (x1: number, y1: number, x2: number, y2: number, name = ""): Child =>
  s("line", { x1, y1, x2, y2, class: "roof" }, name && s("title", {}, name));
const roofText = (text: string, x: number, y: number, anchor: string, turn: number): Child =>
  s(
    "text",
    { transform: `translate(${x} ${y}) rotate(${turn})`, y: -6, "text-anchor": anchor, class: "roof-name halo" },
    text,
  );

/** Where rows are in a plot. */
export function marksOf(rows: readonly RoofRow[], kind: PlotKind, { x, y }: Pick<Plot, "x" | "y">): Mark[] {
  return rows.map((row) =>
    kind === "rate" ? { x: x(row.intensity!), y: y(row.rate!) } : { x: x(row.attainable!), y: y(row.duration!) }
  );
}

/** The radius of a mark: its area is as its share of the longest time. */
export function radiusOf(row: RoofRow, longest: number): number {
  return 3.5 + 8.5 * Math.sqrt(Math.min(1, (row.duration ?? 0) / longest));
}
