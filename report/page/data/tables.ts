/** The columns of a run as typed tables. A table is there once it was loaded, and stays as it is. */

import type { Integers } from "./decode.ts";
import type { PackedIntegers } from "./packed_integers.ts";
import type { PageMeta, Report, ReportRun, RunMeta } from "../contract/contract.ts";

/** Classes of device events, in the order of the column `event.class`. */
export const EVENT_CLASSES = [
  "bound",
  "ambiguous",
  "runtime-only",
  "foreign",
  "unknown",
  "in no selected iteration",
] as const;

/** Texts that columns refer to by index. A text is decoded when it is first asked for. */
export class Texts {
  readonly #bytes: Uint8Array;
  readonly #ends: Integers;
  readonly #texts: (string | undefined)[];
  readonly #decoder = new TextDecoder();

  /** `ends` has the end of each text in `bytes`, without the NUL that follows it. */
  constructor(bytes: Uint8Array, ends: Integers) {
    this.#bytes = bytes;
    this.#ends = ends;
    this.#texts = new Array(ends.length);
  }

  get length(): number {
    return this.#ends.length;
  }

  /** The text at `index`, or an empty one out of range. */
  at(index: number): string {
    const end = this.#ends[index];
    if (end === undefined) return "";
    const start = index === 0 ? 0 : this.#ends[index - 1]! + 1;
    return this.#texts[index] ??= this.#decoder.decode(this.#bytes.subarray(start, end));
  }
}

/** Device events in order of start; of a CPU run, stretches of the operators' own time. -1 is none. */
export interface EventTable {
  length: number;
  start: PackedIntegers;
  duration: Integers;
  name: Integers;
  lane: Integers;
  kernel: Integers; // place in `kernels` of the report
}

/** What else is known of device events. */
export interface EventFacts {
  length: number;
  iteration: Integers;
  call: Integers; // the host event that launched it
  operator: Integers; // the innermost operator, a host event
  class: Integers;
}

/** Host events in order of start. */
export interface HostTable {
  length: number;
  start: PackedIntegers;
  duration: Integers;
  name: Integers;
  lane: Integers;
  kind: Integers;
}

/** What else is known of host events. */
export interface HostFacts {
  length: number;
  parent: Integers;
  iteration: Integers;
}

/** Idle time of the device in the selected iterations; `cause` is a place in `causes` of the run. */
export interface IdleTable {
  length: number;
  start: PackedIntegers;
  duration: Integers;
  cause: Integers;
}

/** The path of the run. */
export interface PathTable {
  length: number;
  start: PackedIntegers;
  duration: Integers;
  kind: Integers;
  event: Integers;
  host: Integers;
}

/** Bytes that are in use, from each time on. */
export interface MemoryTable {
  length: number;
  time: Float64Array;
  bytes: Float64Array;
}

/** The tables of a run, by name. */
export interface Tables {
  event: EventTable;
  eventFacts: EventFacts;
  host: HostTable;
  hostFacts: HostFacts;
  idle: IdleTable;
  path: PathTable;
  memory: MemoryTable;
}

/** A name of a table. */
export type TableName = keyof Tables;

/** The columns that a table needs, by prefix. Others of the same prefix are extras, which `column` gives. */
export const TABLE_COLUMNS: {
  [Name in TableName]: readonly [prefix: string, columns: readonly (keyof Tables[Name] & string)[]];
} = {
  event: ["event", ["start", "duration", "name", "lane", "kernel"]],
  eventFacts: ["event", ["iteration", "call", "operator", "class"]],
  host: ["host", ["start", "duration", "name", "lane", "kind"]],
  hostFacts: ["host", ["parent", "iteration"]],
  idle: ["idle", ["start", "duration", "cause"]],
  path: ["path", ["start", "duration", "kind", "event", "host"]],
  memory: ["memory", ["time", "bytes"]],
};

/** One run: its part of the report, and its tables. */
export interface RunData extends Partial<Tables> {
  readonly index: number;
  readonly label: string;
  readonly report: ReportRun;
  readonly meta: RunMeta;
  /** Empty until a table is loaded. */
  strings: Texts;
  /** Whether the document has the table. */
  has(table: TableName): boolean;
  /** Whether the document has a column, such as `event.registers`. */
  hasColumn(name: string): boolean;
  /** How many rows a table of the document has, before it is loaded. */
  rowsOf(table: TableName): number;
  /** Loads tables of which the document has all columns, and the strings. Rejects if one is damaged. */
  load(...tables: TableName[]): Promise<void>;
  /** A column by its name without the run; null if there is none. Rejects if it is damaged. */
  column(name: string): Promise<Integers | null>;
  /** A column that was loaded before; null otherwise. */
  loaded(name: string): Integers | null;
}

/** All that the document holds. */
export interface Page {
  readonly meta: PageMeta;
  readonly report: Report;
  readonly runs: readonly RunData[];
  /** The inflated bytes of an element that is embedded as base64, such as `replay`; null if there is none. */
  readonly embedded?: (id: string) => Promise<Uint8Array<ArrayBuffer>> | null;
}
