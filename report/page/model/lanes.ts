/** Lanes of a timeline: which events are drawn above which others, and how to find those of a range quickly. */

import type { Integers } from "../data/decode.ts";
import { PackedIntegers } from "../data/packed_integers.ts";
import { type Events, RowGroups } from "./row_groups.ts";

/** Events by column: starts and durations in nanoseconds from the origin of the run, in order of start. */
export interface Spans {
  readonly start: PackedIntegers;
  readonly duration: Integers;
}

/** The end of an event. One of a negative duration ends where it starts. */
export function endOf({ start, duration }: Spans, event: number): number {
  const ns = duration[event]!;
  return start.at(event) + (ns > 0 ? ns : 0);
}

/** The base of an event: a number below 256 that stands for the colour that it is drawn in. */
export type BaseOf = (event: number) => number;

/** Events of a lane at one depth, in order of time. None overlaps another. */
export class Row implements Events {
  readonly spans: Spans;
  readonly length: number;
  readonly groups: RowGroups;
  readonly #events: PackedIntegers | null;
  readonly #baseOf: BaseOf;

  /** Of these events, which do not overlap and are in order of time; of all where `events` is null. */
  constructor(spans: Spans, events: ArrayLike<number> | null, baseOf: BaseOf) {
    this.spans = spans;
    this.length = events?.length ?? spans.start.length;
    this.#events = events === null ? null : new PackedIntegers(events.length, (position) => events[position]!);
    this.#baseOf = baseOf;
    this.groups = new RowGroups(this, (length) => spans.duration.slice(0, length));
  }

  /** The event at a position. */
  event(position: number): number {
    return this.#events === null ? position : this.#events.at(position);
  }

  startAt(position: number): number {
    return this.spans.start.at(this.event(position));
  }

  /** The duration of the event at a position, as the trace says; it may be negative. */
  nsAt(position: number): number {
    return this.spans.duration[this.event(position)]!;
  }

  baseAt(position: number): number {
    return this.#baseOf(this.event(position));
  }

  /** The position of an event; -1 if the row does not have it. */
  positionOf(event: number): number {
    for (let at = firstStartingAt(this, this.spans.start.at(event)); at < this.length; ++at) {
      if (this.event(at) === event) return at;
      if (this.event(at) > event) break;
    }
    return -1;
  }

  /** The events that pass a test. */
  filter(test: (event: number) => boolean): Row {
    const found: number[] = [];
    for (let at = 0; at < this.length; ++at) if (test(this.event(at))) found.push(this.event(at));
    return new Row(this.spans, found, this.#baseOf);
  }
}

/**
 * Rows of each lane, by depth. An event is one row below the innermost event of its lane that has not ended when it
 * starts. Linear, but for events of equal start, of which the longer one is outside.
 */
export function stackLanes(spans: Spans, laneOf: ArrayLike<number>, lanes: number, baseOf: BaseOf): Row[][] {
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
  return rows.map((lane) => lane.map((events) => new Row(spans, events, baseOf)));
}

/** The position of the first event of the row that ends after `ns`; the number of events if none does. */
export function firstEndingAfter(row: Row, ns: number): number {
  return firstWhere(row, (at) => endOf(row.spans, row.event(at)) > ns);
}

/** The position of the first event that starts at `ns` or later; the number of events if none does. */
export function firstStartingAt(row: Row, ns: number): number {
  return firstWhere(row, (at) => row.startAt(at) >= ns);
}

/** The first position at which a test that holds for all later ones holds. */
function firstWhere(row: Row, test: (position: number) => boolean): number {
  let low = 0;
  let high = row.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(middle)) high = middle;
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
