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
] as const;
export type Subject = typeof SUBJECTS[number];

/** How something is changed; their order is that in which changes are made. The replay of a page moves nothing. */
const MANNERS = ["time", "batch", "remove", "fuse", "overlap-copies", "move", "cuda-graph"] as const;
export type Manner = Exclude<typeof MANNERS[number], "move">;

/** A change that the document has the columns of. */
export interface OfferedChange {
  index: number;
  subject: Subject;
  text: string; // as options take it, without the new time: `rule:linear`, `batch(2x)`
  manners: readonly Manner[]; // the ways in which it can be changed, the usual one first
  kernels: readonly number[]; // of `kernels`, their ids
}

/** A change of a scenario. `factor` is of the manner `time`. */
export interface ChosenChange {
  index: number;
  manner: Manner;
  factor?: Factor;
}

/** Why the prediction is worth little; the order is that of the module. */
export const CAUTIONS = ["none", "within-error", "unexplained", "inexact", "host-ahead"] as const;

/** The same in the words of the command. */
export const CAUTION_TEXTS: Readonly<Record<typeof CAUTIONS[number], string | null>> = {
  none: null,
  "within-error": "the change is smaller than the error of the replay",
  unexplained: "more than 5 % of wall are waits that the trace does not explain",
  inexact: "the replay of the unchanged run is more than 5 % off",
  "host-ahead":
    "the host no longer waits for the device: in a loop, an iteration takes at least the busy time, not the window",
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
];

const MODELS = ["idle-constant", "replay", "unknown"] as const;

/** What a subject takes. */
function mannersOf(subject: Subject, isReplayed: boolean): Manner[] {
  switch (subject) {
    case "kernels":
      return isReplayed ? ["time", "remove", "cuda-graph"] : ["time", "remove"];
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
  clear(): void;
  choose(change: number, order: number, numerator: bigint, denominator: bigint): number;
  predict(): number;
  base(): void;
  results(): number;
}

/** A run that is ready to be predicted. One module holds one run. */
export class Replay {
  readonly #exports: Exports;
  readonly #iterations: bigint;
  /** What the document offers, in the order of kernels, rules, categories, operator types, scopes, and then others. */
  readonly offered: readonly OfferedChange[];
  /** What predictions start from. */
  readonly base: PredictedTimes;

  private constructor(
    exports: Exports,
    iterations: number,
    texts: string[],
    subjects: ArrayLike<number>,
    kernels: number[][],
  ) {
    this.#exports = exports;
    this.#iterations = BigInt(iterations);
    exports.base();
    this.base = this.#times();
    const isReplayed = this.base.model === "replay";
    this.offered = texts.map((text, index) => {
      const subject = SUBJECTS[subjects[index]!]!;
      return { index, subject, text, manners: mannersOf(subject, isReplayed), kernels: kernels[index]! };
    });
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
    const lists: number[][] = [];
    const all = named.get("change.kernels") ?? [], listEnds = named.get("change.kernels.end") ?? [];
    for (let list = 0, at = 0; list < listEnds.length; list++) {
      const kernels: number[] = [];
      for (; at < listEnds[list]!; at++) kernels.push(all[at]!);
      lists.push(kernels);
    }
    const iterations = reportedIterations(source.report.trace);
    return new Replay(exports, iterations, textsOf(changes, ends), named.get("change.subject") ?? [], lists);
  }

  /** Predicts the run with these changes. Where two give one kernel a new time, the later one counts. */
  predict(changes: readonly ChosenChange[]): Prediction {
    const exports = this.#exports;
    exports.clear();
    for (const { index, manner, factor } of changes) {
      const { numerator, denominator } = factor ?? { numerator: 1n, denominator: 1n };
      if (!exports.choose(index, MANNERS.indexOf(manner), numerator, denominator)) {
        return { conflict: `the page cannot make this change: ${this.offered[index]?.text ?? index}` };
      }
    }
    const conflict = exports.predict();
    return conflict === 0 ? { times: this.#times() } : { conflict: CONFLICTS[conflict] ?? "not known" };
  }

  /** The predictions with each of the factors for one change, beside others. */
  curve(index: number, factors: readonly Factor[], beside: readonly ChosenChange[] = []): Prediction[] {
    const others = beside.filter((one) => one.index !== index);
    return factors.map((factor) => this.predict([...others, { index, manner: "time", factor }]));
  }

  /** The value of `-what-if=` that predicts the same; empty without changes. */
  option(changes: readonly ChosenChange[]): string {
    return changes.map((change) => this.#textOf(change)).join(";");
  }

  #textOf({ index, manner, factor }: ChosenChange): string {
    const { text, subject } = this.offered[index]!;
    if (manner === "time") return `${text}=${factor ? newTimeText(factor) : "1x"}`;
    return subject === "kernels" ? `${manner}(${text})` : text;
  }

  #times(): PredictedTimes {
    const [model, busy, wall, window, caution] = new BigInt64Array(
      this.#exports.memory.buffer,
      this.#exports.results(),
      5,
    );
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

/** The new time as options take it: `2x`, `3/2x`, or `0` where the work takes no time. */
export function newTimeText({ numerator, denominator }: Factor): string {
  if (numerator === 0n) return "0";
  return numerator === 1n ? `${denominator}x` : `${denominator}/${numerator}x`;
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

function textsOf(bytes: ArrayLike<number>, ends: ArrayLike<number>): string[] {
  const decoder = new TextDecoder();
  const all = Uint8Array.from(bytes);
  return Array.from(ends, (end, i) => decoder.decode(all.subarray(i === 0 ? 0 : ends[i - 1]! + 1, end)));
}

function textAt(memory: WebAssembly.Memory, at: number): string {
  const bytes = new Uint8Array(memory.buffer, at);
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
}
