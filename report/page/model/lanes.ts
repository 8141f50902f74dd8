/** Lanes of a timeline: which events are drawn above which others, and how to find those of a range quickly. */

import type { Integers } from "../data/decode.ts";
import type { Times } from "../data/times.ts";

/** Events by column: starts and durations in nanoseconds from the origin of the run, in order of start. */
export interface Spans {
  readonly start: Times;
  readonly duration: Integers;
}

/** Each level of what is known of a row stands for so many entries of the level before, as a power of two. */
const SHIFT = 5;
const GROUP = 1 << SHIFT;

/** The longest event of each group of a row, and its duration. */
interface Level {
  readonly position: Uint32Array;
  readonly ns: Integers;
}

/** What a row has between two positions: the longest event's position, and the time of all. */
export interface Gathered {
  longest: number;
  busyNs: number;
}

/** The end of an event. One of a negative duration ends where it starts. */
export function endOf({ start, duration }: Spans, event: number): number {
  const ns = duration[event]!;
  return start.at(event) + (ns > 0 ? ns : 0);
}

/** Events of a lane at one depth, in order of time. None overlaps another. */
export class Row {
  readonly spans: Spans;
  readonly length: number;
  readonly #events: Uint32Array | null;
  readonly #levels: Level[] = [];
  /** By group of events its first start, and the busy time before it. */
  readonly #starts: Float64Array;
  readonly #busy: Float64Array;

  /** Of these events, which do not overlap and are in order of time; of all where `events` is null. */
  constructor(spans: Spans, events: Uint32Array | null) {
    this.spans = spans;
    this.#events = events;
    this.length = events?.length ?? spans.start.length;
    this.#starts = new Float64Array(Math.ceil(this.length / GROUP));
    this.#busy = new Float64Array((this.length >> SHIFT) + 1);
    let busy = 0;
    for (let at = 0; at < this.length; ++at) {
      const event = this.event(at);
      if (at % GROUP === 0) {
        this.#starts[at >> SHIFT] = spans.start.at(event);
        this.#busy[at >> SHIFT] = busy;
      }
      busy += Math.max(0, spans.duration[event]!);
    }
    if (this.length % GROUP === 0) this.#busy[this.length >> SHIFT] = busy;
    for (let size = this.length; size > GROUP; size = Math.ceil(size / GROUP)) {
      const below = this.#levels.at(-1);
      const groups = Math.ceil(size / GROUP);
      const level: Level = { position: new Uint32Array(groups), ns: spans.duration.slice(0, groups) };
      for (let i = 0; i < size; ++i) {
        const ns = below === undefined ? this.#nsAt(i) : below.ns[i]!;
        if (i % GROUP !== 0 && !(ns > level.ns[i >> SHIFT]!)) continue;
        level.ns[i >> SHIFT] = ns;
        level.position[i >> SHIFT] = below === undefined ? i : below.position[i]!;
      }
      this.#levels.push(level);
    }
  }

  /** The event at a position. */
  event(position: number): number {
    return this.#events === null ? position : this.#events[position]!;
  }

  /** The position of an event; -1 if the row does not have it. */
  positionOf(event: number): number {
    for (let at = firstStartingAt(this, this.spans.start.at(event)); at < this.length; ++at) {
      if (this.event(at) === event) return at;
      if (this.event(at) > event) break;
    }
    return -1;
  }

  #nsAt(position: number): number {
    return this.spans.duration[this.event(position)]!;
  }

  /** The events that pass a test. */
  filter(test: (event: number) => boolean): Row {
    const found: number[] = [];
    for (let at = 0; at < this.length; ++at) if (test(this.event(at))) found.push(this.event(at));
    return new Row(this.spans, Uint32Array.from(found));
  }

  /** The start of the event at a position with which a group begins; none at others, and if the group has an event of `shortNs` or longer. */
  startOfGroup(position: number, shortNs: number): number | undefined {
    const group = position >> SHIFT;
    return position % GROUP === 0 && this.#levels[0]!.ns[group]! < shortNs ? this.#starts[group] : undefined;
  }

  /**
   * As `firstStartingAt`, or up to a group of positions later, if the events between start at most `slackNs` later and are
   * shorter than `shortNs`; -1 if there is no such position. It reads one number of each group.
   */
  firstGroupStartingAt(ns: number, from: number, guess: number, slackNs: number, shortNs: number): number {
    const starts = this.#starts;
    const group = firstAtLeast(starts.length, (at) => starts[at]!, ns, from + GROUP - 1 >> SHIFT, guess >> SHIFT);
    if (!(starts[group]! <= ns + slackNs) || !(this.#levels[0]?.ns[group - 1]! < shortNs)) return -1;
    return group << SHIFT;
  }

  /** Gathers the events at the positions from `from` to `to`, which is later. */
  gather(from: number, to: number, into: Gathered): void {
    into.longest = from;
    into.busyNs = 0;
    let low = (from + GROUP - 1) >> SHIFT;
    let high = to >> SHIFT;
    if (low >= high || this.#levels.length === 0) {
      this.#gatherEvents(from, to, -Infinity, into);
      return;
    }
    let longestNs = this.#gatherEvents(from, low << SHIFT, -Infinity, into);
    longestNs = this.#gatherEvents(high << SHIFT, to, longestNs, into);
    into.busyNs += this.#busy[high]! - this.#busy[low]!;
    for (let at = 0; low < high; ++at) {
      const level = this.#levels[at]!;
      const inner = (low + GROUP - 1) >> SHIFT, outer = high >> SHIFT;
      if (inner >= outer || at + 1 >= this.#levels.length) {
        longestOf(level, low, high, longestNs, into);
        break;
      }
      longestNs = longestOf(level, low, inner << SHIFT, longestNs, into);
      longestNs = longestOf(level, outer << SHIFT, high, longestNs, into);
      low = inner;
      high = outer;
    }
  }

  #gatherEvents(from: number, to: number, longestNs: number, into: Gathered): number {
    const { duration } = this.spans;
    for (let at = from; at < to; ++at) {
      const ns = duration[this.event(at)]!;
      if (ns > 0) into.busyNs += ns;
      if (ns <= longestNs) continue;
      into.longest = at;
      longestNs = ns;
    }
    return longestNs;
  }
}

function longestOf({ ns, position }: Level, from: number, to: number, longestNs: number, into: Gathered): number {
  for (let at = from; at < to; ++at) {
    if (ns[at]! <= longestNs) continue;
    into.longest = position[at]!;
    longestNs = ns[at]!;
  }
  return longestNs;
}

/**
 * Rows of each lane, by depth. An event is one row below the innermost event of its lane that has not ended when it
 * starts. Linear, but for events of equal start, of which the longer one is outside.
 */
export function stackLanes(spans: Spans, laneOf: ArrayLike<number>, lanes: number): Row[][] {
  const count = spans.start.length;
  const depthOf = new Uint16Array(count);
  /** By lane the ends of the events that are open, and by depth the number of events. */
  const ends: number[][] = Array.from({ length: lanes }, () => []);
  const sizes: number[][] = Array.from({ length: lanes }, () => []);
  const add = (event: number, start: number): void => {
    const open = ends[laneOf[event]!]!, size = sizes[laneOf[event]!]!;
    while (open.length > 0 && open[open.length - 1]! <= start) open.pop();
    const depth = open.length;
    depthOf[event] = depth;
    if (depth === size.length) size.push(0);
    ++size[depth]!;
    open.push(endOf(spans, event));
  };
  for (let from = 0; from < count;) {
    const start = spans.start.at(from);
    let to = from + 1;
    while (to < count && spans.start.at(to) === start) ++to;
    if (to === from + 1) add(from, start);
    else {
      const tied = Uint32Array.from({ length: to - from }, (_, i) => from + i);
      for (const event of tied.sort((a, b) => endOf(spans, b) - endOf(spans, a) || a - b)) add(event, start);
    }
    from = to;
  }
  const rows = sizes.map((size) => size.map((events) => new Uint32Array(events)));
  for (const size of sizes) size.fill(0);
  for (let event = 0; event < count; ++event) {
    const lane = laneOf[event]!, depth = depthOf[event]!;
    rows[lane]![depth]![sizes[lane]![depth]!++] = event;
  }
  return rows.map((lane) => lane.map((events) => new Row(spans, events)));
}

/** The position of the first event of the row that ends after `ns`; the number of events if none does. */
export function firstEndingAfter(row: Row, ns: number): number {
  let low = 0;
  let high = row.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (endOf(row.spans, row.event(middle)) > ns) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The position of the first event from `from` on that starts at `ns` or later; the number of events if none does. Quick if
 * it is about `guess` positions later.
 */
export function firstStartingAt(row: Row, ns: number, from: number = 0, guess: number = 0): number {
  return firstAtLeast(row.length, (at) => row.spans.start.at(row.event(at)), ns, from, guess);
}

/** The same of ascending values, of which there are `count`. */
function firstAtLeast(
  count: number,
  valueAt: (position: number) => number,
  least: number,
  from: number,
  guess: number,
): number {
  let low = from;
  let high = Math.min(from + guess, count);
  let step = 1 + (guess >> 4);
  if (high < count && valueAt(high) < least) {
    do {
      low = high + 1;
      high += step;
      step *= 2;
    } while (high < count && valueAt(high) < least);
    high = Math.min(high, count);
  } else {
    for (let at = high - step; at > low; at -= step) {
      if (valueAt(at) < least) {
        low = at + 1;
        break;
      }
      high = at;
      step *= 2;
    }
  }
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (valueAt(middle) >= least) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The position of the event of the row that takes place at `ns`, or of the nearest one at most `slackNs` away; -1 for none. */
export function eventAt(row: Row, ns: number, slackNs: number): number {
  const { spans } = row;
  const after = firstEndingAfter(row, ns);
  let best = -1;
  let bestNs = Infinity;
  for (let at = Math.max(0, after - 1); at <= Math.min(row.length - 1, after + 1); ++at) {
    const event = row.event(at);
    const away = Math.max(spans.start.at(event) - ns, ns - endOf(spans, event), 0);
    if (away <= slackNs && away < bestNs) {
      best = at;
      bestNs = away;
    }
  }
  return best;
}
