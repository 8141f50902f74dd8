/**
 * Predicts a run under changes by the replay of the command, which is a WebAssembly module of the document. It is given
 * the columns of the run, and predicts what `amdahlc -what-if=` does, number for number.
 */

import type { Trace } from "../contract/report.ts";
import type { RunData } from "../data/tables.ts";

/** New time / old time: a speed-up of 2x is 1/2. */
export interface Factor {
  numerator: bigint;
  denominator: bigint;
}

/** What a change is about; their order is that of the column `change.subject`. */
export const SUBJECTS = [
  "kernels",
  "device",
  "phase",
  "forward",
  "host",
  "launches",
  "host-op",
  "batch",
  "fused",
  "copies",
  "all-launches",
  "wait",
] as const;
export type Subject = typeof SUBJECTS[number];

/** How something is changed; their order is that in which changes are made. */
export const MANNERS = ["time", "batch", "remove", "fuse", "overlap-copies", "move", "cuda-graph"] as const;
export type Manner = typeof MANNERS[number];

/** A change that the document has the columns of. */
export interface OfferedChange {
  index: number;
  subject: Subject;
  text: string; // as options take it, without the new time: `rule:linear`, `batch(2x)`
  manners: readonly Manner[]; // the ways in which it can be changed, the usual one first
  kernels: readonly number[]; // of `kernels`, their ids
}

/** A change of a scenario. */
export interface ChosenChange {
  index: number;
  manner: Manner;
  factor?: Factor; // of the manner `time`
  ns?: number; // instead of the factor: the time of each of the kernels, per iteration
  stream?: number; // of the manner `move`; a new one without
}

/** A curve as `-curve=` has it, but for the path. Places are those of `Replay.groups`. */
export interface Curve {
  points: { factor: Factor; times: PredictedTimes }[];
  knee: Factor | null;
  next: number | null; // the group that limits beyond the knee
  rest: number | null; // the group that would save most if this one cost nothing
  flat: string | null; // why a faster one saves next to nothing
  caution: typeof CAUTIONS[number];
  isComplete: boolean;
}

/** Speed-ups with which a goal is reached, each of a group, in thousandths; above 1000000 it takes no time. */
export interface GoalSolution {
  times: PredictedTimes;
  changes: { group: number; thousandths: number }[];
}

/** What `-goal=` finds. */
export interface Goal {
  isMet: boolean;
  isReachable: boolean;
  isCut: boolean; // the number of predictions ended the search
  isCutToSingles: boolean;
  predictions: number;
  target: number;
  floor: PredictedTimes; // with all groups taking no time
  solutions: GoalSolution[];
}

/** A search that goes on while the page is used, until it is done or somebody stops it. */
export interface Search {
  isStopped: boolean;
}

/** A search makes new predictions for so long before the page is asked for what it has to do. */
const SLICE_MS = 30;

const FLAT: readonly ((share: number) => string | null)[] = [
  () => null,
  () => "the host spends its time with other work",
  () => "the device is the limit: the host has its calls ready in time",
  () => "it has no time in this run",
  (share) => `it has ${(share * 100).toFixed(1)} % of the time`,
  () => "the host is the limit: the device waits for it",
  () => "other work goes on meanwhile, so that it is not on the path of the run",
];

/** Why the prediction is worth little; the order is that of the module. */
export const CAUTIONS = ["none", "within-error", "unexplained", "inexact", "host-ahead", "before-recording"] as const;

/** The same in the words of the command. */
export const CAUTION_TEXTS: Readonly<Record<typeof CAUTIONS[number], string | null>> = {
  none: null,
  "within-error": "the change is smaller than the error of the replay",
  unexplained: "more than 5 % of wall are waits that the trace does not explain",
  inexact: "the replay of the unchanged run is more than 5 % off",
  "host-ahead":
    "the host no longer waits for the device: in a loop, an iteration takes at least the busy time, not the window",
  "before-recording":
    "most of wall is waiting for work that was launched before the recording: the prediction says little of other iterations",
};

/** How times are predicted. */
export const MODEL_TEXTS: Readonly<Record<PredictedTimes["model"], string>> = {
  replay: "replay of the run from its calls",
  "idle-constant": "arithmetic: idle time stays",
  unknown: "arithmetic of busy time, because wall time is not known",
};

/** Predicted times of an iteration, in nanoseconds; null is unknown. */
export interface PredictedTimes {
  model: "idle-constant" | "replay" | "unknown"; // how wall time is predicted
  busy: number;
  wall: number | null;
  window: number | null;
  caution: typeof CAUTIONS[number];
}

/** The times, or why there are none. */
export type Prediction = { times: PredictedTimes } | { conflict: string };

/** What the replay reads of a run. */
export type ReplaySource = Pick<RunData, "column" | "report">;

/** Iterations that the times of a run are of: means are of all that are selected, other times of one. At least 1. */
export function reportedIterations(trace: Trace | null): number {
  if (trace?.statistic !== "mean") return 1;
  return Math.max(1, trace.steps.filter((step) => step.selected).length);
}

/** The quotient of a total that is not negative, rounded half to even, as the command divides. */
export function divideHalfEven(total: bigint, count: bigint): bigint {
  const quotient = total / count, twice = 2n * (total % count);
  return twice > count || (twice === count && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

const CONFLICTS = [
  "",
  "two changes fuse one kernel: the page does not know what the larger kernel takes",
  "two changes of the batch: choose one",
  "a time could be more than 2^61 ns",
  "a change makes one kernel of several of which the others leave none, or one",
  "the run has no such stream",
];

const MODELS = ["idle-constant", "replay", "unknown"] as const;

/**
 * What a subject takes. Kernels that several selectors select together have no new time. In the parentheses of a change
 * a comma separates selectors, so that a selector with one has no such change.
 */
function mannersOf(subject: Subject, text: string, isReplayed: boolean, isOfSeveral: boolean): Manner[] {
  const times: Manner[] = isOfSeveral ? [] : ["time"];
  switch (subject) {
    case "kernels":
      if (!isOfSeveral && text.includes(",")) return times;
      return isReplayed ? [...times, "remove", "cuda-graph", "move"] : [...times, "remove"];
    case "batch":
      return ["batch"];
    case "fused":
      return ["fuse"];
    case "copies":
      return ["overlap-copies"];
    case "all-launches":
      return ["cuda-graph"];
    default:
      return ["time"];
  }
}

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  columns(): number;
  columnName(column: number): number;
  column(column: number, length: number): number;
  load(): number;
  clear(keepsIdle: number): void;
  choose(change: number, order: number, numerator: bigint, denominator: bigint, number: bigint): number;
  predict(): number;
  base(): void;
  beginCurve(change: number): number;
  curve(most: number): number;
  goal(numerator: bigint, denominator: bigint, most: number): number;
  effects(most: number): number;
  results(): number;
  resultCount(): number;
}

/** A run that is ready to be predicted. One module holds one run. */
export class Replay {
  readonly #exports: Exports;
  readonly #iterations: bigint;
  /** What the document offers, in the order of kernels, rules, categories, operator types, scopes, and then others. */
  readonly offered: readonly OfferedChange[];
  /** Places in `offered` of what goals and tornados look at: labels of kernels, then those of the host. */
  readonly groups: readonly number[];
  /** The streams of the run, by number. */
  readonly streams: readonly number[];
  /** What predictions start from. */
  readonly base: PredictedTimes;
  #curve: Search | null = null;

  private constructor(exports: Exports, iterations: number, texts: string[], columns: Map<string, ArrayLike<number>>) {
    this.#exports = exports;
    this.#iterations = BigInt(iterations);
    this.base = this.baseOf(false);
    const isReplayed = this.base.model === "replay";
    const subjects = columns.get("change.subject") ?? [], values = columns.get("change.value") ?? [];
    const kernels = listsOf(columns.get("change.kernels"), columns.get("change.kernels.end"));
    this.offered = texts.map((text, index) => {
      const subject = SUBJECTS[subjects[index]!]!;
      const manners = mannersOf(subject, text, isReplayed, subject === "kernels" && values[index] === 1);
      return { index, subject, text, manners, kernels: kernels[index]! };
    });
    this.groups = Array.from(columns.get("groups") ?? []);
    this.streams = isReplayed ? streamsOf(columns) : [];
  }

  /**
   * Loads a run into a new instance of the module. Null if the document has no columns of a replay. Rejects if the
   * columns are damaged, or are of another version than the module.
   */
  static async load(module: WebAssembly.Module, source: ReplaySource): Promise<Replay | null> {
    const changes = await source.column("replay.changes");
    const ends = await source.column("replay.changes.end");
    if (!changes || !ends) return null;
    const instance = await WebAssembly.instantiate(module, {});
    const exports = instance.exports as unknown as Exports;
    exports._initialize();
    const named = new Map<string, ArrayLike<number>>();
    for (let column = 0; column < exports.columns(); column++) {
      const name = textAt(exports.memory, exports.columnName(column));
      const values = await source.column(`replay.${name}`);
      if (!values) continue;
      named.set(name, values);
      const at = exports.column(column, values.length);
      new Float64Array(exports.memory.buffer, at, values.length).set(values);
    }
    if (!exports.load()) throw new Error("the columns of the replay are damaged, or of another version");
    return new Replay(exports, reportedIterations(source.report.trace), textsOf(changes, ends), named);
  }

  /** What predictions start from; with `keepsIdle` by arithmetic, also of a run that is replayed. */
  baseOf(keepsIdle: boolean): PredictedTimes {
    this.#exports.clear(Number(keepsIdle));
    this.#exports.base();
    return this.#times(this.#results());
  }

  /** Predicts the run with these changes. Where two give one kernel a new time, the later one counts. */
  predict(changes: readonly ChosenChange[], keepsIdle = false): Prediction {
    const wrong = this.#choose(changes, keepsIdle);
    if (wrong !== null) return { conflict: wrong };
    const conflict = this.#exports.predict();
    return conflict === 0 ? { times: this.#times(this.#results()) } : { conflict: CONFLICTS[conflict] ?? "not known" };
  }

  #choose(changes: readonly ChosenChange[], keepsIdle: boolean): string | null {
    const exports = this.#exports;
    exports.clear(Number(keepsIdle));
    for (const { index, manner, factor, ns, stream } of changes) {
      const { numerator, denominator } = factor ?? { numerator: 1n, denominator: 1n };
      const number = BigInt((manner === "move" ? stream : ns) ?? -1);
      const text = this.offered[index]?.text ?? String(index);
      if (keepsIdle && this.#isOfReplay(index, manner)) return `${text}: only a replay knows what this changes`;
      if (!exports.choose(index, MANNERS.indexOf(manner), numerator, denominator, number)) {
        return `the page cannot make this change: ${text}`;
      }
    }
    return null;
  }

  /** Whether only a replay tells what a change does. */
  #isOfReplay(index: number, manner: Manner): boolean {
    const subject = this.offered[index]?.subject;
    if (manner === "overlap-copies" || manner === "move" || manner === "cuda-graph") return true;
    return this.base.model === "replay" &&
      (subject === "host" || subject === "launches" || subject === "host-op" || subject === "wait");
  }

  /** The curve of a change beside others; null if the search is stopped, or the change has no new time. */
  async curve(index: number, beside: readonly ChosenChange[], search: Search): Promise<Curve | null> {
    if (this.#curve) this.#curve.isStopped = true;
    this.#curve = search;
    if (this.#choose(beside, false) !== null || !this.#exports.beginCurve(index)) return null;
    const values = await this.#search((most) => this.#exports.curve(most), search);
    if (!values) return null;
    const [isComplete, numerator, denominator, next, rest, flat, share, caution] = values;
    const points = [];
    for (let i = 8; i + 7 <= values.length; i += 7) {
      points.push({
        factor: { numerator: values[i]!, denominator: values[i + 1]! },
        times: this.#times(values, i + 2),
      });
    }
    const placeOf = (value: bigint) => value < 0n ? null : Number(value);
    return {
      points,
      knee: denominator === 0n ? null : { numerator: numerator!, denominator: denominator! },
      next: placeOf(next!),
      rest: placeOf(rest!),
      flat: FLAT[Number(flat)]?.(Number(share) / 1e6) ?? null,
      caution: CAUTIONS[Number(caution)]!,
      isComplete: isComplete === 1n,
    };
  }

  /** The smallest speed-ups with which an iteration takes so many ns, or is so many times as fast; null if stopped. */
  async goal(goal: { ns: number } | { speedUp: Factor }, search: Search): Promise<Goal | null> {
    const [numerator, denominator] = "ns" in goal
      ? [BigInt(goal.ns), 0n]
      : [goal.speedUp.denominator, goal.speedUp.numerator];
    const values = await this.#search((most) => this.#exports.goal(numerator, denominator, most), search);
    if (!values) return null;
    const solutions: GoalSolution[] = [];
    for (let i = 11; i < values.length;) {
      const times = this.#times(values, i);
      const count = Number(values[i + 5]!);
      i += 6;
      const changes = Array.from({ length: count }, (_, k) => ({
        group: Number(values[i + 2 * k]!),
        thousandths: Number(values[i + 2 * k + 1]!),
      }));
      solutions.push({ times, changes });
      i += 2 * count;
    }
    return {
      isMet: values[0] === 1n,
      isReachable: values[1] === 1n,
      isCut: values[2] === 1n,
      isCutToSingles: values[3] === 1n,
      predictions: Number(values[4]!),
      target: Number(values[5]!),
      floor: this.#times(values, 6),
      solutions,
    };
  }

  /** For each of `groups` the times with it twice as fast, and without it; null if stopped. */
  async effects(search: Search): Promise<{ twice: PredictedTimes; free: PredictedTimes }[] | null> {
    const values = await this.#search((most) => this.#exports.effects(most), search);
    if (!values) return null;
    return this.groups.map((_, i) => ({ twice: this.#times(values, 10 * i), free: this.#times(values, 10 * i + 5) }));
  }

  /** Lets a search go on in slices, so that the page answers meanwhile. */
  async #search(step: (most: number) => number, search: Search): Promise<BigInt64Array | null> {
    for (let most = 1; !search.isStopped;) {
      const start = performance.now();
      if (step(most)) return this.#results();
      const ms = performance.now() - start;
      most = Math.max(1, Math.min(most * 4, Math.round(most * SLICE_MS / Math.max(ms, 0.1))));
      await new Promise((resolve) => setTimeout(resolve));
    }
    return null;
  }

  #results(): BigInt64Array {
    const { memory, results, resultCount } = this.#exports;
    return new BigInt64Array(memory.buffer, results(), resultCount()).slice();
  }

  /** The value of `-what-if=` that predicts the same; empty without changes. */
  option(changes: readonly ChosenChange[], keepsIdle = false): string {
    if (changes.length === 0) return "";
    return (keepsIdle ? "<idle-constant>" : "") + changes.map((change) => this.#textOf(change)).join(";");
  }

  #textOf({ index, manner, factor, ns, stream }: ChosenChange): string {
    const { text, subject } = this.offered[index]!;
    if (manner === "time") {
      return `${text}=${ns !== undefined ? fixedTimeText(ns) : factor ? newTimeText(factor) : "1x"}`;
    }
    if (subject !== "kernels") return text;
    return manner === "move" && stream !== undefined ? `move(${text}, stream=${stream})` : `${manner}(${text})`;
  }

  #times(values: BigInt64Array, at = 0): PredictedTimes {
    const [model, busy, wall, window, caution] = values.subarray(at, at + 5);
    // The module's times are sums over the reported iterations; a negative one is unknown.
    const known = (ns: bigint) => ns < 0n ? null : Number(divideHalfEven(ns, this.#iterations));
    return {
      model: MODELS[Number(model)]!,
      busy: Number(divideHalfEven(busy!, this.#iterations)),
      wall: known(wall!),
      window: known(window!),
      caution: CAUTIONS[Number(caution)]!,
    };
  }
}

/** Wall time, or busy time of a run without it. */
export const limitOf = (times: PredictedTimes): number => times.wall ?? times.busy;

/** The new time as options take it: `2x`, `1.67x`, `4/3x` where no short decimal is exact, or `0` where the work takes no time. */
export function newTimeText({ numerator, denominator }: Factor): string {
  if (numerator === 0n) return "0";
  for (let digits = 0, scaled = denominator; digits < 7; digits++, scaled *= 10n) {
    if (scaled % numerator !== 0n) continue;
    const text = `${scaled / numerator}`.padStart(digits + 1, "0"), end = text.length - digits;
    return `${text.slice(0, end)}${digits > 0 ? "." : ""}${text.slice(end)}x`;
  }
  return `${denominator}/${numerator}x`;
}

/** A fixed time as options take it. */
export const fixedTimeText = (ns: number): string => ns === 0 ? "0" : `${ns}ns`;

/** A time that a person writes, in whole nanoseconds: `1.5ms`, `10us`. Null for other texts. */
export function parseTime(text: string): number | null {
  const found = /^(\d{1,12})(?:\.(\d{1,9}))?\s*(ns|us|µs|ms|s)$/.exec(text.trim());
  if (!found) return null;
  const scale = { ns: 0, us: 3, "µs": 3, ms: 6, s: 9 }[found[3] as "ns" | "us" | "µs" | "ms" | "s"];
  const decimals = found[2] ?? "";
  if (decimals.length > scale) return null;
  const ns = Number(found[1]! + decimals.padEnd(scale, "0"));
  return Number.isSafeInteger(ns) ? ns : null;
}

/** The factor of a speed-up that a person writes: `2`, `1.5x`, `3/2x`; `0` is no time at all. Null for other texts. */
export function parseSpeedUp(text: string): Factor | null {
  const found = /^(\d{1,9})(?:\.(\d{1,9})|\/(\d{1,9}))?x?$/.exec(text.trim());
  if (!found) return null;
  const [, whole, decimals, divisor] = found;
  const scale = divisor !== undefined ? BigInt(divisor) : 10n ** BigInt(decimals?.length ?? 0);
  const times = BigInt(whole! + (decimals ?? ""));
  if (times === 0n) return scale === 1n ? { numerator: 0n, denominator: 1n } : null;
  return scale === 0n ? null : reduced(scale, times);
}

function reduced(numerator: bigint, denominator: bigint): Factor {
  let a = numerator, b = denominator;
  while (b !== 0n) [a, b] = [b, a % b];
  return { numerator: numerator / a, denominator: denominator / a };
}

/** Lists of which each ends where the next one begins. */
function listsOf(all: ArrayLike<number> = [], ends: ArrayLike<number> = []): number[][] {
  return Array.from(ends, (end, i) => {
    const list: number[] = [];
    for (let at = i === 0 ? 0 : ends[i - 1]!; at < end; at++) list.push(all[at]!);
    return list;
  });
}

/** The numbers of the tracks of device events; ascending. */
function streamsOf(columns: ReadonlyMap<string, ArrayLike<number>>): number[] {
  const tracks = columns.get("tracks") ?? [], names = new Set<number>();
  const texts = listsOf(columns.get("texts"), columns.get("texts.end"));
  for (const track of new Set(Array.from(columns.get("event.track") ?? []))) {
    const text = String.fromCharCode(...(texts[tracks[track]!] ?? []));
    if (/^\d{1,15}$/.test(text)) names.add(Number(text));
  }
  return [...names].sort((a, b) => a - b);
}

function textsOf(bytes: ArrayLike<number>, ends: ArrayLike<number>): string[] {
  const decoder = new TextDecoder();
  const all = Uint8Array.from(bytes);
  return Array.from(ends, (end, i) => decoder.decode(all.subarray(i === 0 ? 0 : ends[i - 1]! + 1, end)));
}

function textAt(memory: WebAssembly.Memory, at: number): string {
  const bytes = new Uint8Array(memory.buffer, at);
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
}
