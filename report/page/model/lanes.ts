/** Lanes of a timeline: which events are drawn above which others, and how to find those of a range quickly. */

import type { Durations } from "../data/tables.ts";

/** Events by column: starts and durations in nanoseconds from the origin of the run, in order of start. */
export interface Spans {
  readonly start: Float64Array;
  readonly duration: Durations;
}

/** Each level of `Row.longest` stands for this number of entries of the level before. */
const RADIX = 8;

/** Events of a lane at one depth, in order of time. None overlaps another. */
export interface Row {
  readonly spans: Spans;
  /** Indices of the events. */
  readonly events: Uint32Array;
  /** Busy time before each event, and of all of them. */
  readonly busyBefore: Float64Array;
  /** By level: positions of the longest event of each group. */
  readonly longest: readonly Uint32Array[];
}

/** The end of an event. One of a negative duration ends where it starts. */
export function endOf(spans: Spans, event: number): number {
  return (spans.start[event] ?? 0) + Math.max(0, spans.duration[event] ?? 0);
}

/** A row of these events, which do not overlap and are in order of time. */
export function makeRow(spans: Spans, events: Uint32Array): Row {
  const busyBefore = new Float64Array(events.length + 1);
  events.forEach((event, at) => {
    busyBefore[at + 1] = (busyBefore[at] ?? 0) + Math.max(0, spans.duration[event] ?? 0);
  });
  const longest: Uint32Array[] = [];
  const durationAt = (at: number): number => spans.duration[events[at] ?? 0] ?? 0;
  for (let size = events.length; size > RADIX; size = Math.ceil(size / RADIX)) {
    const below = longest.at(-1);
    const level = new Uint32Array(Math.ceil(size / RADIX));
    for (let group = 0; group < level.length; ++group) {
      let best = -1;
      for (let i = group * RADIX; i < Math.min(size, (group + 1) * RADIX); ++i) {
        const at = below === undefined ? i : (below[i] ?? 0);
        if (best < 0 || durationAt(at) > durationAt(best)) best = at;
      }
      level[group] = best;
    }
    longest.push(level);
  }
  return { spans, events, busyBefore, longest };
}

/**
 * Rows of each lane, by depth. An event is one row below the innermost event of its lane that has not ended when it
 * starts. Linear, but for events of equal start, of which the longer one is outside.
 */
export function stackLanes(spans: Spans, laneOf: ArrayLike<number>, lanes: number): Row[][] {
  const count = spans.start.length;
  const first = new Uint32Array(lanes + 1);
  for (let event = 0; event < count; ++event) {
    const lane = laneOf[event] ?? 0;
    first[lane + 1] = (first[lane + 1] ?? 0) + 1;
  }
  for (let lane = 0; lane < lanes; ++lane) first[lane + 1] = (first[lane + 1] ?? 0) + (first[lane] ?? 0);
  const order = new Uint32Array(count);
  const next = first.slice();
  for (let event = 0; event < count; ++event) {
    const lane = laneOf[event] ?? 0;
    const at = next[lane] ?? 0;
    order[at] = event;
    next[lane] = at + 1;
  }
  const out: Row[][] = [];
  for (let lane = 0; lane < lanes; ++lane) out.push(stack(spans, order.subarray(first[lane], first[lane + 1])));
  return out;
}

function stack(spans: Spans, events: Uint32Array): Row[] {
  sortTies(spans, events);
  const depthOf = new Uint16Array(events.length);
  const sizes: number[] = [];
  const ends: number[] = [];
  events.forEach((event, at) => {
    const start = spans.start[event] ?? 0;
    while (ends.length > 0 && (ends.at(-1) ?? 0) <= start) ends.pop();
    const depth = ends.length;
    depthOf[at] = depth;
    sizes[depth] = (sizes[depth] ?? 0) + 1;
    ends.push(endOf(spans, event));
  });
  const rows = sizes.map((size) => new Uint32Array(size));
  const filled = sizes.map(() => 0);
  events.forEach((event, at) => {
    const depth = depthOf[at] ?? 0;
    const place = filled[depth] ?? 0;
    const row = rows[depth];
    if (row !== undefined) row[place] = event;
    filled[depth] = place + 1;
  });
  return rows.map((row) => makeRow(spans, row));
}

function sortTies(spans: Spans, events: Uint32Array): void {
  for (let from = 0; from < events.length;) {
    let to = from + 1;
    const start = spans.start[events[from] ?? 0];
    while (to < events.length && spans.start[events[to] ?? 0] === start) ++to;
    if (to - from > 1) events.subarray(from, to).sort((a, b) => endOf(spans, b) - endOf(spans, a) || a - b);
    from = to;
  }
}

/** The position of the first event of the row that ends after `ns`; the number of events if none does. */
export function firstEndingAfter(row: Row, ns: number): number {
  let low = 0;
  let high = row.events.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (endOf(row.spans, row.events[middle] ?? 0) > ns) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The position of the first event from `from` on that starts at `ns` or later. Quick if it is near. */
export function firstStartingAt(row: Row, ns: number, from: number = 0): number {
  const { events, spans } = row;
  let low = from;
  let step = 1;
  let high = from;
  while (high < events.length && (spans.start[events[high] ?? 0] ?? 0) < ns) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  high = Math.min(high, events.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans.start[events[middle] ?? 0] ?? 0) >= ns) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The longest of the events at the positions from `from` to `to`, which is later; its position. */
export function longestOf(row: Row, from: number, to: number): number {
  const { events, spans, longest } = row;
  let best = from;
  let bestNs = spans.duration[events[from] ?? 0] ?? 0;
  const consider = (at: number): void => {
    const ns = spans.duration[events[at] ?? 0] ?? 0;
    if (ns > bestNs) {
      best = at;
      bestNs = ns;
    }
  };
  let low = from;
  let high = to;
  for (let level = -1; low < high; ++level) {
    const entries = level < 0 ? undefined : longest[level];
    const isLast = level + 1 >= longest.length;
    const take = (at: number): void => consider(entries === undefined ? at : (entries[at] ?? 0));
    while (low < high && (isLast || low % RADIX !== 0)) take(low++);
    while (low < high && high % RADIX !== 0) take(--high);
    low /= RADIX;
    high /= RADIX;
  }
  return best;
}

/** The position of the event of the row that takes place at `ns`, or of the nearest one at most `slackNs` away; -1 for none. */
export function eventAt(row: Row, ns: number, slackNs: number): number {
  const { events, spans } = row;
  const after = firstEndingAfter(row, ns);
  let best = -1;
  let bestNs = Infinity;
  for (let at = Math.max(0, after - 1); at <= Math.min(events.length - 1, after + 1); ++at) {
    const event = events[at] ?? 0;
    const away = Math.max((spans.start[event] ?? 0) - ns, ns - endOf(spans, event), 0);
    if (away <= slackNs && away < bestNs) {
      best = at;
      bestNs = away;
    }
  }
  return best;
}
