/** Sums over a range of time, exact in nanoseconds. */
import type { Integers } from "../data/decode.ts";
import { PackedIntegers } from "../data/packed_integers.ts";
import { endOf, type Spans } from "./lanes.ts";

/** Times during which at least one event takes place: disjoint intervals in order, none of which touches the next. */
export interface Busy {
  readonly from: Float64Array;
  readonly to: Float64Array;
  /** Time before each interval, and of all of them. */
  readonly before: Float64Array;
}

/** Visits the union of the events, which are in order of start. */
export function visitBusy(spans: Spans, visit: (from: number, to: number) => void): void {
  let from = 0, to = -Infinity;
  for (let event = 0; event < spans.start.length; ++event) {
    const start = spans.start.at(event);
    const end = endOf(spans, event);
    if (end <= start) continue;
    if (start > to) {
      if (to > from) visit(from, to);
      from = start;
      to = end;
    } else if (end > to) to = end;
  }
  if (to > from) visit(from, to);
}

/** The union of the events, which are in order of start. */
export function busyOf(spans: Spans): Busy {
  const from: number[] = [];
  const to: number[] = [];
  visitBusy(spans, (start, end) => {
    from.push(start);
    to.push(end);
  });
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
  /** Time within selected iterations that is neither busy nor has a known cause. */
  readonly unknownNs: number;
  /** Time outside of selected iterations that is not busy. */
  readonly otherNs: number;
}

/** The columns that the sums are of. */
export interface RangeColumns {
  readonly events: Spans;
  /** Ends of the events or of any event before them, whichever is later. */
  readonly latestEnd: Float64Array;
  /** The same of the pieces of idle time. */
  readonly latestIdleEnd: Float64Array;
  readonly busy: Busy;
  readonly groupOf: (event: number) => number;
  readonly groups: number;
  /** The selected iterations, in order of start. */
  readonly selected: Spans;
  /** Times of the selected iterations. */
  readonly covered: Busy;
  /** Pieces of idle time in order of start, with the number of each one's cause; none where causes are not known. Those of iterations that overlap may overlap. */
  readonly idle: (Spans & { readonly cause: Integers }) | undefined;
  readonly causes: number;
}

/** Prepares columns for `sumsOf`. Pieces of idle time may be in any order. n log n. */
export function rangeColumns(
  from: Omit<RangeColumns, "latestEnd" | "latestIdleEnd" | "busy" | "covered">,
): RangeColumns {
  const idle = from.idle && inOrder(from.idle);
  return {
    ...from,
    idle,
    latestEnd: latestEnds(from.events),
    latestIdleEnd: idle ? latestEnds(idle) : new Float64Array(0),
    busy: busyOf(from.events),
    covered: busyOf(from.selected),
  };
}

/** Places of spans in order of start; null if they are in it. */
export function placesByStart({ start }: Spans): Uint32Array | null {
  let at = 1;
  while (at < start.length && start.at(at) >= start.at(at - 1)) ++at;
  if (at >= start.length) return null;
  return Uint32Array.from({ length: start.length }, (_, place) => place).sort((a, b) =>
    start.at(a) - start.at(b) || a - b
  );
}

function inOrder(idle: Spans & { readonly cause: Integers }): Spans & { readonly cause: Integers } {
  const places = placesByStart(idle);
  if (places === null) return idle;
  return {
    start: new PackedIntegers(places.length, (piece) => idle.start.at(places[piece]!)),
    duration: Float64Array.from(places, (piece) => idle.duration[piece]!),
    cause: Uint8Array.from(places, (piece) => idle.cause[piece]!),
  };
}

function latestEnds(spans: Spans): Float64Array {
  let latest = -Infinity;
  const ends = new Float64Array(spans.start.length);
  for (let event = 0; event < ends.length; ++event) ends[event] = latest = Math.max(latest, endOf(spans, event));
  return ends;
}

/** Time from `from` to `to` in which the device is busy and no selected iteration takes place. */
function busyOutside({ busy, covered }: RangeColumns, from: number, to: number): number {
  let ns = 0;
  let at = from;
  const busyIn = (begin: number, end: number) => end > begin ? busyBefore(busy, end) - busyBefore(busy, begin) : 0;
  for (let i = 0; i < covered.from.length && at < to; ++i) {
    ns += busyIn(at, Math.min(covered.from[i] ?? 0, to));
    at = Math.max(at, covered.to[i] ?? 0);
  }
  return ns + busyIn(at, to);
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
    const begin = start.at(event);
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
    // Each moment counts once, and as busy where another iteration computes in it.
    let counted = from;
    for (let piece = lowerBound(columns.latestIdleEnd, from); piece < idle.start.length; ++piece) {
      const begin = Math.max(idle.start.at(piece), counted);
      if (begin >= to) break;
      const end = Math.min(endOf(idle, piece), to);
      if (end <= begin) continue;
      counted = end;
      const ns = end - begin - (busyBefore(columns.busy, end) - busyBefore(columns.busy, begin));
      const cause = idle.cause[piece] ?? 0;
      idleByCause[cause] = (idleByCause[cause] ?? 0) + ns;
      idleNs += ns;
    }
  }
  const outside = to - from - (busyBefore(columns.covered, to) - busyBefore(columns.covered, from));
  const idleOutside = outside - busyOutside(columns, from, to);
  // No piece of idle time is outside of its iteration, but for what rounding adds.
  const unknownNs = Math.max(0, to - from - busyNs - idleNs - idleOutside);
  return {
    from,
    to,
    busyNs,
    events,
    byGroup,
    idleByCause,
    unknownNs,
    otherNs: to - from - busyNs - idleNs - unknownNs,
  };
}
