/** Data for unit tests. */
import { PackedIntegers } from "../data/packed_integers.ts";
import type { Spans } from "./lanes.ts";

/** Numbers from 0 to `below`, the same in each run. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Events of these starts and durations. */
export function spansOf(...events: [start: number, duration: number][]): Spans {
  return {
    start: PackedIntegers.of(...events.map(([start]) => start)),
    duration: Float64Array.from(events.map(([, d]) => d)),
  };
}

/** Throws unless a condition holds. */
export function holds(condition: boolean, what = "a condition"): asserts condition {
  if (!condition) throw new Error(`expected: ${what}`);
}
