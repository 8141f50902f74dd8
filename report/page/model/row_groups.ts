/** What is known of the events of a row by group, so that a frame reads a few numbers of many events. */

import type { Integers } from "../data/decode.ts";
import { PackedIntegers } from "../data/packed_integers.ts";

/** Events of a group, and groups of one of the next level, as a power of two. */
const SHIFT = 3;
const GROUP = 1 << SHIFT;

/** Events that do not overlap, by position in order of time. */
export interface Events {
  readonly length: number;
  startAt(position: number): number;
  nsAt(position: number): number;
  /** The number below 256 that stands for the colour of the event. */
  baseAt(position: number): number;
}

/** Events of a row that follow one another. */
export interface Gathered {
  /** Of the longest. */
  base: number;
  /** The time of all. */
  busyNs: number;
  /** The start of the event after them, infinite if there is none; before they are gathered, the start of the first. */
  nextStart: number;
}

/** Groups that have the same number of events each. What a frame reads of neighbours is beside one another, because it waits for memory more than for anything else. */
interface Level {
  /** Events of a group, as a power of two. */
  readonly shift: number;
  /** The start of the first event. */
  readonly starts: PackedIntegers;
  /** The busy time before the group, for one more than there are full groups. */
  readonly busy: PackedIntegers;
  /** The duration and the base of the longest event. */
  readonly ns: Integers;
  readonly bases: Uint8Array;
}

/** Groups of the events of a row, of ever more events. */
export class RowGroups {
  readonly #events: Events;
  readonly #levels: Level[] = [];

  /** `arrayOf` makes an array that can hold any duration. */
  constructor(events: Events, arrayOf: (length: number) => Integers) {
    this.#events = events;
    do this.#levels.push(this.#levelAbove(this.#levels.at(-1), arrayOf)); while (
      this.#levels.at(-1)!.ns.length > GROUP
    );
  }

  #levelAbove(below: Level | undefined, arrayOf: (length: number) => Integers): Level {
    const events = this.#events;
    const size = below === undefined ? events.length : below.ns.length;
    const shift = SHIFT + (below?.shift ?? 0);
    const groups = Math.ceil(size / GROUP);
    const ns = arrayOf(groups), bases = new Uint8Array(groups);
    for (let group = 0; group < groups; ++group) {
      let longest = 0, longestNs = -Infinity;
      for (let at = group << SHIFT; at < Math.min(size, (group + 1) << SHIFT); ++at) {
        const itsNs = below === undefined ? events.nsAt(at) : below.ns[at]!;
        if (itsNs <= longestNs) continue;
        longest = at;
        longestNs = itsNs;
      }
      ns[group] = longestNs;
      bases[group] = below === undefined ? events.baseAt(longest) : below.bases[longest]!;
    }
    let busyNs = 0;
    return {
      shift,
      starts: new PackedIntegers(groups, (group) => below?.starts.at(group << SHIFT) ?? events.startAt(group << SHIFT)),
      busy: new PackedIntegers((events.length >> shift) + 1, (group) => {
        if (below !== undefined) return below.busy.at(group << SHIFT);
        for (let at = Math.max(0, (group - 1) << SHIFT); at < group << SHIFT; ++at) {
          busyNs += Math.max(0, events.nsAt(at));
        }
        return busyNs;
      }),
      ns,
      bases,
    };
  }

  /**
   * Gathers the events from the position `from` on that start before `ns`, up to the first one that is as long as `shortNs`,
   * and returns the position of the next event, which is `from` itself if that one is so long. Groups of events are taken
   * as one: some that start up to `slackNs` later may be among them. `guess` is about how many there are.
   */
  gather(from: number, ns: number, guess: number, slackNs: number, shortNs: number, into: Gathered): number {
    const events = this.#events, levels = this.#levels;
    const { length } = events;
    // A group of more than half of the events would mostly end too late. One of eight is tried from eight events on.
    let most = guess < GROUP ? -1 : 0;
    while (most >= 0 && most + 1 < levels.length && guess >= 2 << levels[most + 1]!.shift) ++most;
    let at = from, start = into.nextStart, steps = 0, longest = -1, longestNs = -Infinity, base = 0, busyNs = 0;
    do {
      let index = most;
      while (index >= 0 && (at & ((1 << levels[index]!.shift) - 1)) !== 0) --index;
      if (index < 0) {
        const itsNs = events.nsAt(at);
        if (itsNs >= shortNs) break;
        if (itsNs > 0) busyNs += itsNs;
        if (itsNs > longestNs) {
          longestNs = itsNs;
          longest = at;
        }
        ++at;
        start = at < length ? events.startAt(at) : Infinity;
      } else {
        const level = levels[index]!;
        const group = at >> level.shift;
        const next = at + (1 << level.shift);
        const nextStart = next < length ? level.starts.at(group + 1) : Infinity;
        const itsNs = level.ns[group]!;
        if (itsNs >= shortNs || nextStart > ns + slackNs) {
          most = index - 1;
          continue;
        }
        busyNs += level.busy.at(group + 1) - level.busy.at(group);
        if (itsNs > longestNs) {
          longestNs = itsNs;
          longest = -1;
          base = level.bases[group]!;
        }
        at = next;
        start = nextStart;
      }
      // There are more than was guessed.
      if (++steps % (2 * GROUP) === 0 && most + 1 < levels.length) ++most;
    } while (at === from || start < ns);
    into.base = longest < 0 ? base : events.baseAt(longest);
    into.busyNs = busyNs;
    into.nextStart = start;
    return at;
  }
}
