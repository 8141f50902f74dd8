/** What the user chose. Views write it and show what follows from it. */

import { type Signal, signal } from "./signals.ts";

/** Kinds of things that can be selected. Those of a run are numbers, the others names. */
export const SELECTION_KINDS = [
  "kernel",
  "event",
  "host",
  "node",
  "operator",
  "scope",
  "rule",
  "category",
  "stream",
] as const;
/** A kind of thing that can be selected. */
export type SelectionKind = typeof SELECTION_KINDS[number];

/** The one thing that is selected: a kernel by its id, an event by its place in its table, others by name. */
export interface Selection {
  readonly kind: SelectionKind;
  readonly run: number;
  readonly id: number | string;
}

/** What all tables show only rows of; null is everything. */
export interface Filters {
  readonly phase: string | null;
  readonly forward: string | null;
  readonly stream: string | null;
  readonly category: string | null;
}

/** No filter. */
export const NO_FILTERS: Filters = { phase: null, forward: null, stream: null, category: null };

/** A change to predict: a selector as `-what-if=` takes it, and its factor, new over old, as a fraction or a decimal, or its time as `1500ns`; null for a change without one. */
export interface Change {
  readonly selector: string;
  readonly factor: string | null;
}

/** The scheme of colours; `auto` is that of the system. */
export type Scheme = "auto" | "light" | "dark";

/** One object with all that the user chose. */
export interface State {
  readonly tab: Signal<string>;
  readonly run: Signal<number>;
  readonly selection: Signal<Selection | null>;
  readonly search: Signal<string>;
  readonly filters: Signal<Filters>;
  /** Visible part of the timeline, in nanoseconds from the origin of the run; null is all. */
  readonly range: Signal<readonly [number, number] | null>;
  readonly whatIf: Signal<readonly Change[]>;
  readonly scheme: Signal<Scheme>;
}

/** A state in which nothing is chosen. */
export function newState(): State {
  return {
    tab: signal("summary"),
    run: signal(0),
    selection: signal<Selection | null>(null),
    search: signal(""),
    filters: signal(NO_FILTERS),
    range: signal<readonly [number, number] | null>(null),
    whatIf: signal<readonly Change[]>([]),
    scheme: signal<Scheme>("auto"),
  };
}

/** Whether two selections are of the same thing. */
export function isSame(a: Selection | null, b: Selection | null): boolean {
  return a === b || (a !== null && b !== null && a.kind === b.kind && a.run === b.run && a.id === b.id);
}
