/** Beside the search: in which tabs its words occur, because a tab shows only what it has. */

import type { Page } from "../data/tables.ts";
import { matches, searchWords } from "../model/sorting.ts";
import type { State } from "../state/state.ts";
import { link } from "../view/controls.ts";
import { h } from "../view/elements.ts";
import type { View } from "../view/view.ts";

/** The numbers of kernels and modules of the chosen run that the search finds, with ways to them. */
export function foundLine(page: Page, state: State, views: readonly View[]): HTMLElement {
  return h("span", { class: "soft found", role: "status", "aria-label": "Found" }, () => {
    const words = searchWords(state.search.value), report = page.runs[state.run.value]?.report;
    if (words.length === 0 || !report) return null;
    const texts: Record<string, string[]> = {
      kernels: report.kernels.map((one) =>
        [one.label, one.rule, one.category, one.nodes.join(";"), one.scope, one.operator].join(" ")
      ),
      modules: (report.aggregates?.scope ?? []).map((one) => one.name),
    };
    return views.filter(({ id }) => texts[id]).map(({ id, title }) => [
      " ",
      link(
        `${texts[id]!.filter((text) => matches(words, text)).length} in ${title}`,
        () => state.tab.value = id,
      ),
    ]);
  });
}
