/** Kernels of a run as rows: what the report says of each, and what its device events say. */

import type { Kernel, Trace, Unbound } from "../contract/report.ts";
import type { RunData } from "../data/tables.ts";
import { forwardsOfKernels, PART_COLUMNS } from "./parts.ts";
import { csvOf } from "./csv.ts";
import { matches } from "./sorting.ts";

/** Columns that rows of kernels use where they are: parts of the run, and launches, each different one once. */
export const LAUNCH_COLUMNS = [
  ...PART_COLUMNS,
  "event.launch",
  "launch.grid_x",
  "launch.grid_y",
  "launch.grid_z",
  "launch.block_x",
  "launch.block_y",
  "launch.block_z",
  "launch.registers",
] as const;

/** How a kernel was launched: as its first event in the run was. */
export interface Launch {
  readonly name: string; // of the device kernel
  readonly grid: readonly [number, number, number] | null;
  readonly block: readonly [number, number, number] | null;
  readonly registers: number | null;
}

/** A kernel as a row. */
export interface KernelRow {
  readonly kernel: Kernel;
  readonly nodes: string;
  /** How many times faster the run were if the kernel took its attainable time; null without one. */
  readonly attainable: number | null;
  readonly launch: Launch | null;
  /** Names of the lanes of its events. */
  readonly streams: readonly string[];
  /** Groups of forwards in which it has events. */
  readonly forwards: ReadonlySet<string>;
  readonly text: string;
}

/** Busy time that all shares are of; null without a trace. */
export function busyOf(trace: Trace | null): number | null {
  return trace?.undisturbed_busy_ns ?? trace?.busy_ns ?? null;
}

/** The speed-up of `base` if a part of it took `to` instead of `from`; infinite if nothing is left. */
export function speedupOf(base: number, from: number, to: number): number {
  const left = base - from + to;
  return left > 0 ? base / left : Infinity;
}

/** All kernels of a run, in the order of their ids. The tables of events are used if they are loaded. */
export function kernelRows(run: RunData): KernelRow[] {
  const busy = busyOf(run.report.trace);
  const events = eventsByKernel(run);
  const forwards = forwardsOfKernels(run);
  return run.report.kernels.map((kernel, place) => {
    const attainable = kernel.roofline?.attainable_ns ?? null;
    const mine = events?.get(kernel.id) ?? [];
    const launch = launchOf(run, mine);
    const nodes = kernel.nodes.join(";");
    return {
      kernel,
      nodes,
      attainable: busy === null || attainable === null || kernel.duration_ns === null || kernel.duration_ns === 0
        ? null
        : speedupOf(busy, kernel.duration_ns, Math.min(attainable, kernel.duration_ns)),
      launch,
      streams: streamsOf(run, mine),
      forwards: forwards[place]!,
      text: [kernel.label, kernel.rule, kernel.category, nodes, kernel.scope, kernel.operator, launch?.name].filter(
        Boolean,
      )
        .join(" ").toLowerCase(),
    };
  });
}

/** Rows with all words of a search. Their texts are in lower case already, as the words are. */
export function searchRows<Row extends { readonly text: string }>(
  rows: readonly Row[],
  words: readonly string[],
): readonly Row[] {
  return words.length === 0 ? rows : rows.filter((row) => words.every((word) => row.text.includes(word)));
}

/** Events without a kernel that a search finds. */
export function searchUnbound(unbound: readonly Unbound[], words: readonly string[]): readonly Unbound[] {
  return unbound.filter((one) => matches(words, `${one.name} ${one.class} ${one.reason}`));
}

function eventsByKernel(run: RunData): Map<number, number[]> | null {
  const events = run.event;
  if (!events) return null;
  const found = new Map<number, number[]>();
  for (let i = 0; i < events.length; i++) {
    const kernel = events.kernel[i]!;
    const id = run.report.kernels[kernel]?.id;
    if (id === undefined) continue;
    const mine = found.get(id);
    if (mine) mine.push(i);
    else found.set(id, [i]);
  }
  return found;
}

function launchOf(run: RunData, events: readonly number[]): Launch | null {
  const first = events[0];
  if (first === undefined || !run.event) return null;
  const launch = run.loaded("event.launch")?.[first] ?? -1;
  // A value that the trace does not have is negative.
  const value = (name: string): number | null => {
    const found = run.loaded(`launch.${name}`)?.[launch] ?? -1;
    return found < 0 ? null : found;
  };
  const size = (prefix: string): readonly [number, number, number] | null => {
    const x = value(`${prefix}_x`), y = value(`${prefix}_y`), z = value(`${prefix}_z`);
    return x !== null && y !== null && z !== null ? [x, y, z] : null;
  };
  return {
    name: run.strings.at(run.event.name[first]!),
    grid: size("grid"),
    block: size("block"),
    registers: value("registers"),
  };
}

function streamsOf(run: RunData, events: readonly number[]): string[] {
  if (!run.event) return [];
  const lanes = new Set<number>();
  for (const at of events) lanes.add(run.event.lane[at]!);
  // A stream has a lane for each kind of its events.
  return [...new Set([...lanes].sort((a, b) => a - b).map((lane) => run.meta.lanes[lane]?.name ?? String(lane)))];
}

/** Kernels as the command's output `csv` writes them. */
export function kernelsCsv(run: RunData, kernels: readonly Kernel[]): string {
  const { binding, trace } = run.report;
  const fit = !trace
    ? null
    : binding?.names_only
    ? "untested"
    : binding?.fits === false
    ? "differs"
    : binding
    ? "fits"
    : null;
  return csvOf<Kernel>([
    ["run", () => run.label],
    "id",
    "label",
    "rule",
    "category",
    ["nodes", (one) => one.nodes.join(";")],
    "scope",
    "events",
    "duration_ns",
    "duration_ns_total",
    "duration_ns_stddev",
    "duration_ns_mean",
    "ratio",
    "max_speedup",
    "max_speedup_wall",
    "critical",
    "slack_ns",
    ["fit", () => fit],
  ], kernels);
}
