/** What can be done with a grid: show the columns that there is no room for, and copy all of them. */

import { copyButton } from "./controls.ts";
import { button } from "./elements.ts";
import type { Grid } from "./grid.ts";

/** Buttons beside the title of a grid. What is copied has all columns. */
export function gridActions<Row>(grid: Grid<Row>, csv: () => string): HTMLElement[] {
  const more = button(
    () =>
      grid.showsAll.value
        ? "Fewer columns"
        : grid.omitted.value === 1
        ? "1 more column"
        : `${grid.omitted.value} more columns`,
    () => grid.showsAll.value = !grid.showsAll.peek(),
    { class: "quiet more-columns", hidden: () => grid.omitted.value === 0 && !grid.showsAll.value },
  );
  return [more, copyButton("Copy as CSV", csv)];
}
