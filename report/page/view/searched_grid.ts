/** Grids of sections: rows that the search filters, columns of times, and buttons. */

import { type CsvColumn, csvOf } from "../model/csv.ts";
import { matches } from "../model/sorting.ts";
import { computed, type Readable } from "../state/signals.ts";
import { section } from "./sections.ts";
import { type Child, h } from "./elements.ts";
import { type Grid, grid, type GridColumn, type GridOptions } from "./grid.ts";
import { gridActions } from "./grid_actions.ts";
import { formatCount, formatTimeIn, type TimeUnit } from "./number.ts";

/** What a grid with a search shows. */
export interface SearchedOptions<Row> extends GridOptions<Row> {
  /** What the search looks at. */
  textOf(row: Row): string;
  csv: readonly CsvColumn<Row>[];
}

/** A grid, and its buttons; its rows are copied in the order in which they are shown. */
export function searchedGrid<Row>(
  words: Readable<readonly string[]>,
  options: SearchedOptions<Row>,
): { grid: Grid<Row>; actions: HTMLElement[] } {
  const { rows, textOf, csv, ...others } = options;
  const made = grid<Row>({
    empty: "No row passes the search.",
    all: rows.peek(),
    ...others,
    rows: computed(() =>
      words.value.length === 0 ? rows.value : rows.value.filter((row) => matches(words.value, textOf(row)))
    ),
  });
  const copied = (): string => csvOf(csv, made.shown.peek());
  return { grid: made, actions: gridActions(made, copied) };
}

/** A section with a grid at its end. */
export function gridSection<Row>(
  title: string,
  about: Child,
  words: Readable<readonly string[]>,
  options: SearchedOptions<Row>,
  ...before: Child[]
): HTMLElement {
  const { grid, actions } = searchedGrid(words, options);
  return section(title, about, actions, ...before, grid.element);
}

/** A column of times in the unit of its table. */
export function timeColumn<Row>(
  id: string,
  title: string,
  unit: TimeUnit,
  value: (row: Row) => number | null,
  about?: string,
): GridColumn<Row> {
  return {
    id,
    title: `${title}, ${unit[0]}`,
    ...(about === undefined ? {} : { about }),
    align: "end",
    width: Math.max(116, 8 * title.length + 62),
    value,
    cell: (row) => {
      const ns = value(row);
      return ns === null ? "" : formatTimeIn(ns, unit);
    },
  };
}

/** A column of numbers of things. */
export function countColumn<Row>(
  id: string,
  title: string,
  value: (row: Row) => number | null,
  about?: string,
): GridColumn<Row> {
  return {
    id,
    title,
    ...(about === undefined ? {} : { about }),
    align: "end",
    width: Math.max(66, 9 * title.length + 30),
    value,
    cell: (row) => {
      const count = value(row);
      return count === null ? "" : formatCount(count);
    },
  };
}

/** A column of names, which show all of themselves when they are pointed at. */
export function nameColumn<Row>(
  id: string,
  title: string,
  value: (row: Row) => string | null,
  width = 180,
  grow = 1,
): GridColumn<Row> {
  return {
    id,
    title,
    width,
    grow,
    value,
    cell: (row) => {
      const name = value(row);
      return name === null ? "" : h("span", { title: name }, name);
    },
  };
}
