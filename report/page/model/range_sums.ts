/** Sums over a range of time, exact in nanoseconds. */
import { endOf, type Spans } from "./lanes.ts";

/** Times during which at least one event takes place: disjoint intervals in order, none of which touches the next. */
export interface Busy {
  readonly from: Float64Array;
  readonly to: Float64Array;
  /** Time before each interval, and of all of them. */
  readonly before: Float64Array;
}

/** The union of the events, which are in order of start. */
export function busyOf(spans: Spans): Busy {
  const from: number[] = [];
  const to: number[] = [];
  for (let event = 0; event < spans.start.length; ++event) {
    const start = spans.start[event] ?? 0;
    const end = endOf(spans, event);
    if (end <= start) continue;
    const last = to.length - 1;
    if (last >= 0 && start <= (to[last] ?? 0)) {
      to[last] = Math.max(to[last] ?? 0, end);
    } else {
      from.push(start);
      to.push(end);
    }
  }
  const before = new Float64Array(from.length + 1);
  for (let i = 0; i < from.length; ++i) before[i + 1] = (before[i] ?? 0) + (to[i] ?? 0) - (from[i] ?? 0);
  return { from: Float64Array.from(from), to: Float64Array.from(to), before };
}

/** Busy time before `ns`. */
export function busyBefore(busy: Busy, ns: number): number {
  let low = 0;
  let high = busy.from.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((busy.from[middle] ?? 0) >= ns) high = middle;
    else low = middle + 1;
  }
  if (low === 0) return 0;
  return (busy.before[low - 1] ?? 0) + Math.min(busy.to[low - 1] ?? 0, ns) - (busy.from[low - 1] ?? 0);
}

/** What happens on the device from `from` to `to`. */
export interface RangeSums {
  readonly from: number;
  readonly to: number;
  /** Time during which an event takes place. */
  readonly busyNs: number;
  /** Events that have a part of the range, or start in it if they have no length. */
  readonly events: number;
  /** Time of events within the range by group; events that overlap count twice. */
  readonly byGroup: Float64Array;
  /** Idle time within the range by cause. */
  readonly idleByCause: Float64Array;
  /** What is neither busy nor has a known cause. */
  readonly otherNs: number;
}

/** The columns that the sums are of. */
export interface RangeColumns {
  readonly events: Spans;
  /** Ends of the events or of any event before them, whichever is later. */
  readonly latestEnd: Float64Array;
  readonly busy: Busy;
  readonly groupOf: (event: number) => number;
  readonly groups: number;
  /** Disjoint pieces of idle time in order, with the number of each one's cause; none where causes are not known. */
  readonly idle: (Spans & { readonly cause: Uint8Array }) | undefined;
  readonly causes: number;
}

/** Prepares columns for `sumsOf`. Linear. */
export function rangeColumns(from: Omit<RangeColumns, "latestEnd" | "busy">): RangeColumns {
  const latestEnd = new Float64Array(from.events.start.length);
  let latest = -Infinity;
  for (let event = 0; event < latestEnd.length; ++event) {
    latest = Math.max(latest, endOf(from.events, event));
    latestEnd[event] = latest;
  }
  return { ...from, latestEnd, busy: busyOf(from.events) };
}

/** The first index of an ascending column whose value is `least` or more. */
export function lowerBound(column: Float64Array, least: number): number {
  let low = 0;
  let high = column.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((column[middle] ?? 0) >= least) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Linear in the number of events from the first one that reaches into the range to its end. */
export function sumsOf(columns: RangeColumns, from: number, to: number): RangeSums {
  const byGroup = new Float64Array(columns.groups);
  const idleByCause = new Float64Array(columns.causes);
  let events = 0;
  const { start } = columns.events;
  // An event that ends at `from` has no part of the range; one without a length that starts there has.
  for (let event = lowerBound(columns.latestEnd, from); event < start.length; ++event) {
    const begin = start[event] ?? 0;
    if (begin >= to) break;
    const end = endOf(columns.events, event);
    if (end < from || (end === from && begin < from)) continue;
    ++events;
    const group = columns.groupOf(event);
    byGroup[group] = (byGroup[group] ?? 0) + Math.min(end, to) - Math.max(begin, from);
  }
  const busyNs = busyBefore(columns.busy, to) - busyBefore(columns.busy, from);
  let idleNs = 0;
  const { idle } = columns;
  if (idle !== undefined) {
    for (let piece = Math.max(0, lowerBound(idle.start, from) - 1); piece < idle.start.length; ++piece) {
      const begin = idle.start[piece] ?? 0;
      if (begin >= to) break;
      const ns = Math.min(endOf(idle, piece), to) - Math.max(begin, from);
      if (ns <= 0) continue;
      const cause = idle.cause[piece] ?? 0;
      idleByCause[cause] = (idleByCause[cause] ?? 0) + ns;
      idleNs += ns;
    }
  }
  return { from, to, busyNs, events, byGroup, idleByCause, otherNs: to - from - busyNs - idleNs };
}
