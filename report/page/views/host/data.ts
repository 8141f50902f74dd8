/** What the host costs, and what the device does meanwhile: rows of the report, and what the columns of events add. */

import type { IdlePiece, Overheads, PathPiece, ReportRun, Statistic, Stream } from "../../contract/report.ts";
import type { RunData } from "../../data/tables.ts";
import { visitNested } from "../../model/nesting.ts";
import { shownIterations } from "../../model/operators.ts";

/** Idle time of one cause and detail, per iteration. */
export interface IdleRow {
  readonly cause: string;
  readonly detail: string | null;
  readonly ns: number;
}

/** Sums of pieces, the longest first: of each cause, or of each cause and detail. */
export function idleRows(pieces: readonly IdlePiece[], withDetails: boolean): IdleRow[] {
  const rows = new Map<string, IdleRow>();
  for (const { cause, detail, ns } of pieces) {
    const key = withDetails ? JSON.stringify([cause, detail]) : cause;
    const row = rows.get(key);
    rows.set(key, { cause, detail: withDetails ? detail : null, ns: (row?.ns ?? 0) + ns });
  }
  return [...rows.values()].sort((a, b) => b.ns - a.ns);
}

/** A row of the path: all its time of one kind in one thing. */
export type PathRow = PathPiece & { share: number };

/** The pieces with their shares of the whole, the longest first. */
export function pathRows(pieces: readonly PathPiece[]): PathRow[] {
  const whole = pieces.reduce((sum, one) => sum + one.ns, 0);
  return pieces.map((one) => ({ ...one, share: whole > 0 ? one.ns / whole : 0 })).sort((a, b) => b.ns - a.ns);
}

/** What each overhead is of. */
export const OVERHEADS: readonly (readonly [id: string, meaning: string])[] = [
  ["T1", "gap between neighbouring top-level operators of a thread, below 200 us"],
  ["T2", "start of an operator to its first launch"],
  ["T3", "end of its last launch to its end"],
  ["T4", "a launch call"],
  ["T5", "between launches of an operator; all of one without a launch"],
];

/** One overhead of one name. */
export interface OverheadRow {
  readonly overhead: string;
  readonly name: string;
  readonly statistic: Statistic;
}

/** All overheads with samples. */
export function overheadRows(overheads: Overheads): OverheadRow[] {
  const rows: OverheadRow[] = [];
  const add = (overhead: string, name: string, statistic: Statistic | null) => {
    if (statistic && statistic.count > 0) rows.push({ overhead, name, statistic });
  };
  add("T1", "", overheads.t1);
  for (const [name, operator] of Object.entries(overheads.operators)) {
    add("T2", name, operator.t2);
    add("T3", name, operator.t3);
    add("T5", name, operator.t5);
  }
  for (const [name, statistic] of Object.entries(overheads.t4)) add("T4", name, statistic);
  return rows;
}

/** The sum of each overhead, over all selected iterations. */
export function overheadTotals(rows: readonly OverheadRow[]): { overhead: string; count: number; ns: number }[] {
  return OVERHEADS.map(([overhead]) => {
    const mine = rows.filter((row) => row.overhead === overhead);
    return {
      overhead,
      count: mine.reduce((sum, row) => sum + row.statistic.count, 0),
      ns: mine.reduce((sum, row) => sum + row.statistic.total_ns, 0),
    };
  });
}

/** The name of a stream among those of all devices. */
export const streamName = (stream: Stream): string => `${stream.device}/${stream.stream}`;

/** The name of the lanes of a stream to which the trace gives no name. */
export const laneName = (stream: Stream): string => `stream ${stream.stream}`;

/** Host events of one kind and name, per iteration that is shown. */
export interface HostRow {
  readonly kind: string;
  readonly name: string;
  readonly calls: number;
  /** Without the events inside of it; null of annotations, of which no event knows that it is inside. */
  readonly self: number | null;
  /** With the events inside of it. */
  readonly total: number;
}

/** Names of kinds of host events, by their numbers in the column `host.kind`. */
const KINDS: Readonly<Record<number, string>> = {
  3: "operator",
  4: "call",
  5: "annotation",
  6: "annotation",
  7: "frame",
  8: "module",
  9: "wait",
};

/** Host events by kind and name. The table of the host must be loaded; null if the run lacks it. */
export function hostRows(run: RunData): HostRow[] | null {
  const { host, hostFacts } = run;
  if (!host || !hostFacts) return null;
  const { indices, divisor } = shownIterations(run);
  const isShown = (at: number): boolean => indices.has(hostFacts.iteration[at]!);
  /** `open`: events of the row that are around the event. */
  interface Sum {
    kind: string;
    name: string;
    calls: number;
    self: number;
    total: number;
    open: number;
  }
  const sums = new Map<number, Sum>();
  const sumOf = (at: number): Sum => {
    const key = host.name[at]! * 256 + host.kind[at]!;
    let sum = sums.get(key);
    if (!sum) {
      const kind = KINDS[host.kind[at]!] ?? "other", name = run.strings.at(host.name[at]!);
      sums.set(key, sum = { kind, name, calls: 0, self: 0, total: 0, open: 0 });
    }
    return sum;
  };
  visitNested(hostFacts.parent, (at) => {
    const sum = sumOf(at), isOutermost = sum.open++ === 0;
    if (!isShown(at)) return;
    const duration = host.duration[at]!, parent = hostFacts.parent[at]!;
    sum.calls++;
    sum.self += duration;
    if (isOutermost) sum.total += duration;
    if (parent >= 0 && isShown(parent)) sumOf(parent).self -= duration;
  }, (at) => sumOf(at).open--);
  return [...sums.values()].filter((sum) => sum.calls > 0).map(({ open: _, ...row }) => ({
    ...row,
    calls: row.calls / divisor,
    self: row.kind === "annotation" ? null : row.self / divisor,
    total: row.total / divisor,
  }));
}

/** How many events of a stream were launched and had not started, over time; `ends` has one time more than `waiting`. */
export interface QueueSeries {
  readonly stream: string;
  readonly ends: number[];
  readonly waiting: number[];
  readonly most: number;
}

/**
 * Queues of the streams in the iteration whose times are those of the run, else in the first selected one. An event is in the queue
 * of its stream from the end of its launching call to its start. The tables of events and of the host must be loaded.
 */
export function queues(run: RunData): QueueSeries[] {
  const { event, eventFacts, host } = run;
  if (!event || !eventFacts || !host) return [];
  const iteration = [...shownIterations(run).indices][0] ?? -1;
  const extent = run.meta.iterations[iteration];
  if (!extent) return [];
  // A stream has a lane for each kind of its events, and one queue.
  const byStream = new Map<string, [time: number, change: number][]>();
  for (let i = 0; i < event.length; i++) {
    const call = eventFacts.call[i]!;
    if (eventFacts.iteration[i] !== iteration || call < 0) continue;
    const from = host.start.at(call) + host.duration[call]!, to = event.start.at(i);
    const stream = run.meta.lanes[event.lane[i]!]?.name ?? "";
    let changes = byStream.get(stream);
    if (!changes) byStream.set(stream, changes = []);
    if (from < to) changes.push([from, 1], [to, -1]);
  }
  const least = Math.min(extent.start_ns, ...firsts(byStream)), last = Math.max(extent.end_ns, ...lasts(byStream));
  return [...byStream].map(([stream, changes]) => {
    changes.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const ends = [least], waiting: number[] = [];
    let now = 0, most = 0;
    for (const [time, change] of changes) {
      if (time > ends.at(-1)!) {
        waiting.push(now);
        ends.push(time);
      }
      now += change;
      most = Math.max(most, now);
    }
    waiting.push(now);
    ends.push(Math.max(last, ends.at(-1)!));
    return { stream, ends, waiting, most };
  });
}

type Changes = ReadonlyMap<string, readonly (readonly [number, number])[]>;
const reduced = (changes: Changes, pick: (a: number, b: number) => number, first: number): number[] => {
  let found = first;
  for (const all of changes.values()) for (const [time] of all) found = pick(found, time);
  return Number.isFinite(found) ? [found] : [];
};
const firsts = (changes: Changes): number[] => reduced(changes, Math.min, Infinity);
const lasts = (changes: Changes): number[] => reduced(changes, Math.max, -Infinity);

/** The same series with at most so many steps: each has the largest value of its part of the time. */
export function thinned(series: QueueSeries, steps: number): QueueSeries {
  if (series.waiting.length <= steps) return series;
  const from = series.ends[0]!, size = (series.ends.at(-1)! - from) / steps;
  const waiting = new Array<number>(steps).fill(0);
  series.waiting.forEach((value, i) => {
    const first = Math.min(steps - 1, Math.max(0, Math.floor((series.ends[i]! - from) / size)));
    const last = Math.min(steps - 1, Math.max(first, Math.ceil((series.ends[i + 1]! - from) / size) - 1));
    for (let step = first; step <= last; step++) waiting[step] = Math.max(waiting[step]!, value);
  });
  return { ...series, waiting, ends: Array.from({ length: steps + 1 }, (_, i) => from + i * size) };
}

/** Whether the report tells anything of the host or of streams. */
export function tellsOfHost(run: ReportRun): boolean {
  return run.overheads !== null || run.streams !== null || (run.idle !== null && run.idle.length > 0) ||
    run.waits !== null;
}
