/** The search and the filters that views share, applied to rows. */

import type { RunData } from "../data/tables.ts";
import { searchWords } from "../model/sorting.ts";
import { computed, effect, onCleanup, type Readable, scope } from "../state/signals.ts";
import type { Filters } from "../state/state.ts";
import { h } from "./elements.ts";
import type { Mounted, ViewContext } from "./view.ts";

/** The run that is chosen. */
export function chosenRun(context: ViewContext): Readable<RunData> {
  return computed(() => context.page.runs[context.state.run.value] ?? context.page.runs[0]!);
}

/** A view of the chosen run. It is made again when another run is chosen, and what was made before ends then. */
export function viewOfRun(context: ViewContext, name: string, contents: (run: RunData) => readonly Node[]): Mounted {
  const run = chosenRun(context);
  const element = h("div", { class: `view ${name}` });
  effect(() => {
    const chosen = run.value;
    const [parts, end] = scope(() => contents(chosen));
    onCleanup(end);
    element.replaceChildren(...parts);
  });
  return { element };
}

/** The words of the search. */
export function chosenWords(context: ViewContext): Readable<readonly string[]> {
  return computed(() => searchWords(context.state.search.value));
}

/** Rows that pass a search; how long it takes is the measure `amdahlc:search`. */
export function searched<Row>(
  rows: Readable<readonly Row[]>,
  words: Readable<readonly string[]>,
  search: (rows: readonly Row[], words: readonly string[]) => readonly Row[],
): Readable<readonly Row[]> {
  return computed(() => {
    const all = rows.value, wanted = words.value;
    if (wanted.length === 0) return all;
    const start = performance.now();
    const found = search(all, wanted);
    performance.measure("amdahlc:search", { start, end: performance.now() });
    return found;
  });
}

/** Whether something with these properties passes the filters. A property that is not known passes none. */
export function passes(
  filters: Filters,
  of: {
    phase?: string | null;
    forwards?: Iterable<string>;
    category?: string | null;
    streams?: readonly string[];
  },
): boolean {
  return (filters.phase === null || of.phase === filters.phase) &&
    (filters.forward === null || [...(of.forwards ?? [])].includes(filters.forward)) &&
    (filters.category === null || of.category === filters.category) &&
    (filters.stream === null || (of.streams ?? []).includes(filters.stream));
}
