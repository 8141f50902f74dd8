/** Kernels and rules against the roofs of their device. */

import type { Kernel, ReportRun, Roofline } from "../../contract/report.ts";

/** Bounds by which rows are counted, in the order in which they are shown. */
export type Bound = "memory" | "compute" | "cache";

/** A kernel, or all kernels of a rule. Bytes and operations are of one run of a kernel, and of an iteration of a rule. */
export interface RoofRow {
  readonly key: number | string;
  readonly name: string;
  readonly category: string;
  readonly scope: string;
  readonly kernels: number;
  readonly bytes: number | null;
  readonly flops: number | null;
  readonly runs: number | null;
  /** Per iteration; null without a measured time, or with none. */
  readonly duration: number | null;
  readonly attainable: number | null;
  readonly bound: Bound | null;
  readonly atRoof: boolean;
  readonly abovePeak: boolean;
  /** Operations for each byte; null without bytes. */
  readonly intensity: number | null;
  /** Operations in a second; null without a time. */
  readonly rate: number | null;
  /** How many times longer than attainable it takes. */
  readonly distance: number | null;
  /** Time above what is attainable. */
  readonly excess: number | null;
  /** Why no attainable time is known. */
  readonly unknown: string | null;
  readonly text: string;
}

/** Kernels with work, and those of which it is not known, by their ids. */
export function kernelRoofs(run: ReportRun): RoofRow[] {
  const reasons = new Map((run.roofline?.unknown ?? []).flatMap((one) => one.kernels.map((id) => [id, one.reason])));
  return run.kernels.filter((kernel) => hasWork(kernel) || reasons.has(kernel.id)).map((kernel) => {
    const roof = kernel.roofline;
    return rowOf({
      key: kernel.id,
      name: kernel.label,
      category: kernel.category,
      scope: kernel.scope,
      kernels: 1,
      bytes: roof?.bytes ?? null,
      flops: roof?.flops ?? null,
      runs: roof?.runs ?? null,
      duration: kernel.duration_ns || null,
      attainable: roof?.attainable_ns ?? null,
      bound: roof?.bound ?? null,
      atRoof: roof?.at_roof ?? false,
      abovePeak: roof?.above_peak ?? false,
      unknown: reasons.get(kernel.id) ?? null,
    });
  });
}

const hasWork = (kernel: Kernel): boolean =>
  kernel.roofline !== null && (kernel.roofline.bytes > 0 || kernel.roofline.flops > 0);

/** Sums over the kernels of each rule whose time and attainable time are known, in the order of their first kernels. */
export function ruleRoofs(run: ReportRun): RoofRow[] {
  const groups = new Map<string, Kernel[]>();
  for (const kernel of run.kernels) {
    if (!hasWork(kernel) || !kernel.duration_ns || kernel.roofline!.attainable_ns === null) continue;
    const group = groups.get(kernel.label);
    if (group) group.push(kernel);
    else groups.set(kernel.label, [kernel]);
  }
  return [...groups].map(([label, kernels]) => {
    const sum = (of: (kernel: Kernel) => number): number => kernels.reduce((total, kernel) => total + of(kernel), 0);
    const bounds = new Set(kernels.map((kernel) => kernel.roofline!.bound));
    return rowOf({
      key: label,
      name: label,
      category: kernels[0]!.category,
      scope: "",
      kernels: kernels.length,
      bytes: sum((one) => one.roofline!.bytes * (one.roofline!.runs ?? 1)),
      flops: sum((one) => one.roofline!.flops * (one.roofline!.runs ?? 1)),
      runs: 1,
      duration: sum((one) => one.duration_ns!),
      attainable: sum((one) => one.roofline!.attainable_ns!),
      bound: bounds.size === 1 ? [...bounds][0]! : null,
      atRoof: kernels.every((one) => one.roofline!.at_roof),
      abovePeak: kernels.some((one) => one.roofline!.above_peak),
      unknown: null,
    });
  });
}

function rowOf(row: Omit<RoofRow, "intensity" | "rate" | "distance" | "excess" | "text">): RoofRow {
  const { bytes, flops, runs, duration, attainable } = row;
  return {
    ...row,
    intensity: bytes && flops !== null ? flops / bytes : null,
    rate: duration && flops !== null && runs !== null ? (flops * runs * 1e9) / duration : null,
    distance: duration && attainable ? duration / attainable : null,
    excess: duration && attainable !== null ? duration - attainable : null,
    text: `${row.name} ${row.category} ${row.scope} ${row.bound ?? ""} ${row.unknown ?? ""}`.toLowerCase(),
  };
}

/** A horizontal roof: operations in a second. */
export interface Peak {
  readonly name: string;
  readonly rate: number;
}

/** The units and types in which kernels that are measured do most of their operations, such as `matrix bfloat16`. */
function usedTypes(kernels: readonly Kernel[]): Set<string> {
  const used = new Set<string>();
  for (const { roofline, duration_ns } of kernels) {
    if (!roofline || !duration_ns) continue;
    const all = [
      ...Object.entries(roofline.matrix_flops).map(([type, flops]) => [`matrix ${type}`, flops] as const),
      ...Object.entries(roofline.vector_flops).map(([type, flops]) => [`vector ${type}`, flops] as const),
    ].filter(([, flops]) => flops > 0);
    if (all.length > 0) used.add(all.reduce((most, one) => one[1] > most[1] ? one : most)[0]);
  }
  return used;
}

/** The roofs of the types in which kernels compute, the highest first; several of one height have one line. */
export function peaksOf(roofline: Roofline, kernels: readonly Kernel[]): Peak[] {
  const names = new Map<number, string[]>();
  const used = usedTypes(kernels);
  const add = (peaks: Record<string, number>, unit: string) => {
    for (const [type, rate] of Object.entries(peaks)) {
      if (!used.has(`${unit} ${type}`)) continue;
      const name = `${unit} ${
        type === "float32" && unit === "matrix" && roofline.float32 === "tf32" ? "float32 as TF32" : type
      }`;
      const known = names.get(rate);
      if (known) known.push(name);
      else names.set(rate, [name]);
    }
  };
  add(roofline.matrix_peaks, "matrix");
  add(roofline.vector_peaks, "vector");
  return [...names].map(([rate, all]) => ({ name: all.join(", "), rate })).sort((a, b) => b.rate - a.rate);
}

/** How many rows have each bound, are at their roofs, above their peaks, or not known. */
export function countsOf(rows: readonly RoofRow[]): Record<Bound | "atRoof" | "abovePeak" | "unknown", number> {
  const counts = { memory: 0, compute: 0, cache: 0, atRoof: 0, abovePeak: 0, unknown: 0 };
  for (const row of rows) {
    if (row.bound) counts[row.bound]++;
    if (row.atRoof) counts.atRoof++;
    if (row.abovePeak) counts.abovePeak++;
    if (row.unknown !== null) counts.unknown++;
  }
  return counts;
}

/** A place in a plot. */
export interface Mark {
  readonly x: number;
  readonly y: number;
}

/** The nearest mark within so many pixels; -1 without one. */
export function nearestMark(marks: readonly Mark[], x: number, y: number, within: number): number {
  let best = -1, least = within * within;
  marks.forEach((mark, index) => {
    const distance = (mark.x - x) ** 2 + (mark.y - y) ** 2;
    if (distance <= least) [best, least] = [index, distance];
  });
  return best;
}

/** What is on the axes. */
export type PlotKind = "rate" | "time";

/** Rows that have a place in a plot. */
export function placeable(rows: readonly RoofRow[], kind: PlotKind): RoofRow[] {
  return rows.filter((row) =>
    kind === "rate"
      ? (row.intensity ?? 0) > 0 && (row.rate ?? 0) > 0
      : (row.duration ?? 0) > 0 && (row.attainable ?? 0) > 0
  );
}

/** Why rows have no place in a plot, with how many there are of each kind. */
export function whyAbsent(rows: readonly RoofRow[], placed: readonly RoofRow[], kind: PlotKind): string {
  const here = new Set(placed), absent = rows.filter((row) => !here.has(row));
  const unknown = absent.filter((row) => row.unknown !== null).length;
  const untimed = absent.filter((row) => row.unknown === null && row.duration === null).length;
  const others = absent.length - unknown - untimed;
  return [
    unknown > 0 ? `the work of ${unknown} is not known` : "",
    untimed > 0 ? `${untimed} ${untimed === 1 ? "has" : "have"} no time` : "",
    others === 0
      ? ""
      : kind === "rate"
      ? `${others} ${others === 1 ? "computes" : "compute"} nothing`
      : `${others} ${others === 1 ? "has" : "have"} no attainable time`,
  ].filter((one) => one !== "").join(", ");
}

/** Marks of one size and colour as one path, whose line ends are round. */
export function dotsPath(marks: readonly Mark[]): string {
  return marks.map((mark) => `M${mark.x.toFixed(1)} ${mark.y.toFixed(1)}h0`).join("");
}
