/** What the document holds beside the report: the element `page`, which describes the columns, and names of elements. */

import type { Report, ReportRun } from "./report.ts";

export type { Report, ReportRun };

/** The version of the element `page`. A page of another version has other columns. */
export const PAGE_VERSION = 1;

/** Element types of a column. Values of `f64` are integers, so that they are exact up to 2^53. */
export type ColumnType = "u8" | "u16" | "u32" | "i32" | "f64" | "text";

/**
 * How the bytes of a column are ordered: byte planes of values; of zigzag differences to the value before; of those to the
 * sum of the value before and that of another column.
 */
export type ColumnEncoding = "planes" | "delta" | "after";

/** One column: an inert script element of the document with base64 as its text. */
export interface ColumnMeta {
  id: string; // of the element
  name: string; // `RUN/NAME`
  type: ColumnType;
  length: number; // values; of `text` bytes
  encoding: ColumnEncoding;
  planes: number; // bytes of a value; higher ones are 0
  deflated: boolean;
  after?: string; // name of the other column of the encoding `after`
}

/** A column whose values are those of another one, in all its rows or in those where the column `rows` is not 0. */
export interface DerivedMeta {
  name: string;
  of: string;
  rows?: string;
  plus?: number; // is added to each
}

/** The sections of the timeline, in the order in which they are shown. */
export type Section = "process" | "control" | "execution" | "transfer";

/** A lane of the timeline; columns refer to it by its place in `lanes`. */
export interface LaneMeta {
  section: Section;
  name: string;
  kind: string;
  device: boolean;
}

/** An iteration of a run, in nanoseconds from the origin of the run. */
export interface IterationMeta {
  name: string;
  start_ns: number;
  end_ns: number;
  selected: boolean;
}

/** What the columns of a run refer to. */
export interface RunMeta {
  label: string;
  origin_ns: string; // decimal; the time of the first event
  lanes: LaneMeta[];
  iterations: IterationMeta[];
  causes: string[]; // names of causes of idle time
  restricted: string | null; // why not all events have columns
  has_selected: boolean; // whether all events of the selected iterations have columns
  not_replayed: string | null; // why changes are not predicted; null also without kernel times
  not_compared: string | null; // why the run is not compared with the baseline; null if it is, or without one
}

/** The element `page`. */
export interface PageMeta {
  version: number;
  tool: string;
  columns: (ColumnMeta | DerivedMeta)[];
  runs: RunMeta[];
}
