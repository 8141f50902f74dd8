/** Runs against each other: pairs with what is beyond noise, and all of them by segments of the model. */

import { timeText } from "../../view/number.ts";
import type { Cell, Compare, Comparison, Report, Segment } from "../../contract/report.ts";

/** A row of a comparison. */
export type Difference = Comparison["kernels"][number];

/** Two runs that are compared. */
export interface Pair {
  readonly id: string;
  readonly title: string;
  readonly comparison: Comparison;
  /** Place of the later run in the report; -1 if it is not there. */
  readonly run: number;
}

/** All pairs of the report, in its order. */
export function pairsOf(report: Report): Pair[] {
  return (report.comparisons ?? []).map((comparison, index) => ({
    id: `pair-${index}`,
    title: `${comparison.before}${
      comparison.baseline === null ? "" : ` of ${comparison.baseline}`
    } → ${comparison.after}`,
    comparison,
    run: report.runs.findIndex((run) => run.label === comparison.after),
  }));
}

/** The tables of a pair. */
export type TableId = "kernels" | "categories" | "scopes";

/** A row of a pair. */
export interface PairRow {
  readonly key: number;
  readonly of: Difference;
  /** After less before; a side that is missing counts 0. Null where a side is not known. */
  readonly difference: number | null;
  /** The difference over before; null without a time on both sides. */
  readonly relative: number | null;
  readonly isBeyond: boolean;
}

/** Rows in the order of the report. */
export function pairRows(differences: readonly Difference[]): PairRow[] {
  return differences.map((of, key) => ({
    key,
    of,
    difference: of.change === "unknown" ? null : (of.after_ns ?? 0) - (of.before_ns ?? 0),
    relative: of.before_ns && of.after_ns !== null && of.change !== "unknown"
      ? (of.after_ns - of.before_ns) / of.before_ns
      : null,
    isBeyond: isBeyond(of.change),
  }));
}

/** Whether a difference is more than noise. */
export function isBeyond(change: Difference["change"]): boolean {
  return change === "faster" || change === "slower" || change === "new" || change === "gone";
}

/** A row of all runs: what the first takes, and its difference to each other one; null where a pair has no such row. A pair may have put more kernels of the first together. */
export interface SideRow {
  readonly key: string;
  readonly name: string;
  readonly first: number;
  readonly others: readonly (Difference | null)[];
}

/** The rows of comparisons that share their first run, those with the most time in it first. */
export function sideRows(comparisons: readonly Comparison[], table: TableId): SideRow[] {
  const rows = new Map<string, { name: string; first: number; others: (Difference | null)[] }>();
  comparisons.forEach((comparison, at) => {
    for (const one of comparison[table]) {
      // Pairs put kernels together in sets of their own: the first kernel names a set.
      const name = one.node ?? one.name, key = JSON.stringify([name, one.scope]);
      let row = rows.get(key);
      if (!row) rows.set(key, row = { name, first: one.before_ns ?? 0, others: comparisons.map(() => null) });
      row.others[at] = one;
    }
  });
  return [...rows].map(([key, row]) => ({ key, ...row })).sort((a, b) => b.first - a.first);
}

/** What a mark says of a row. */
export const MEANINGS: Readonly<Record<string, string>> = {
  faster: "Faster, beyond noise",
  slower: "Slower, beyond noise",
  new: "Only the later run has time here, beyond noise",
  gone: "Only the earlier run has time here, beyond noise",
  "within-noise": "Chance explains the difference",
  unknown: "Work of the row may be inside of unexplained time of a run",
  "noise-unknown": "A side has fewer than three iterations, or only means",
  best: "The shortest time",
};

/** What is said of a change, and why. `runs` are the names of both. */
export function judged(of: Difference, runs: readonly [string, string]): [text: string, why: string] {
  const { change, ratio_low: low, ratio_high: high } = of;
  if (change === "unknown") {
    const parts = ([of.before_unexplained_ns, of.after_unexplained_ns] as const).flatMap((ns, side) =>
      ns === null ? [] : [`${timeText(ns)} of unexplained time of ${runs[side]}`]
    );
    return ["not known", `Work of the row may be inside of ${parts.join(" and ")}`];
  }
  if (change === "within-noise" && low !== null && high !== null && (low > 1 || high < 1)) {
    return of.before_ns && of.after_ns &&
        20 * Math.abs(of.after_ns - of.before_ns) <= Math.min(of.before_ns, of.after_ns)
      ? [
        "below 5 %",
        "Beyond its interval, but with fewer than three recordings of each run at most 5 % count as drift",
      ]
      : ["within noise", "Of so many rows, some lie beyond their interval by chance"];
  }
  return [change?.replace("-", " ") ?? "", MEANINGS[change ?? ""] ?? ""];
}

/** How many rows are beyond noise, by what they are. */
export function countsOf(rows: readonly PairRow[]): { faster: number; slower: number; new: number; gone: number } {
  const counts = { faster: 0, slower: 0, new: 0, gone: 0 };
  for (const { of } of rows) {
    if (of.change && of.change in counts) counts[of.change as keyof typeof counts]++;
  }
  return counts;
}

/** A segment in all runs. */
export interface SegmentRow {
  readonly segment: Segment;
  /** Whether a run is slower than the best beyond noise. */
  readonly isBeyond: boolean;
  /** The longest time over the shortest one of those that are complete; null with fewer than two. */
  readonly spread: number | null;
}

/** The segments in the order of the model. */
export function segmentRows(compare: Compare): SegmentRow[] {
  return compare.segments.map((segment) => {
    const factors = Object.values(segment.cells).map((cell) => cell.times_best).filter((one) => one !== null);
    return {
      segment,
      isBeyond: Object.values(segment.cells).some((cell) => cell.against_best === "slower"),
      spread: factors.length > 1 ? Math.max(...factors) : null,
    };
  });
}

/** Whether the time of a cell may be less than all of it. */
export const isIncomplete = (cell: Cell): boolean => cell.kernels_without_events > 0 || (cell.failures ?? 0) > 0;
