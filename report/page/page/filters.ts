/** The filters that views share. A menu is there where it has a choice, and where the view that is shown takes it into account. */

import type { Page } from "../data/tables.ts";
import { filterChoices } from "../model/filter_choices.ts";
import { computed, effect } from "../state/signals.ts";
import { type Filters, NO_FILTERS, type State } from "../state/state.ts";
import { button, h } from "../view/elements.ts";
import { menu } from "../view/controls.ts";
import { timeText } from "../view/number.ts";
import type { View } from "../view/view.ts";

const MENUS: readonly (readonly [keyof Filters, label: string, all: string])[] = [
  ["phase", "Phase", "All phases"],
  ["forward", "Forwards", "All forwards"],
  ["category", "Category", "All categories"],
  ["stream", "Stream", "All streams"],
];

/** The bar of filters, which is hidden where it has no menu. */
export function filterBar(page: Page, state: State, views: readonly View[]): HTMLElement {
  const bar = h("div", { class: "filters", role: "group", "aria-label": "Filters" });
  effect(() => {
    const run = page.runs[state.run.value];
    const applied = views.find((view) => view.id === state.tab.value)?.filters ?? [];
    const choices = run && filterChoices(run);
    const shown = MENUS.filter(([key]) => applied.includes(key) && (choices?.[key].length ?? 0) > 1);
    bar.hidden = shown.length === 0;
    bar.replaceChildren(
      ...shown.map(([key, label, all]) =>
        menu(
          label,
          all,
          choices![key].map((value) => {
            const phase = key === "phase" ? run!.report.phases?.find((one) => one.name === value) : undefined;
            return [value, phase ? `${value}, ${timeText(phase.duration_ns)}` : value] as const;
          }),
          computed(() => state.filters.value[key]),
          (value) => {
            state.filters.value = { ...state.filters.value, [key]: value };
          },
        )
      ),
      button("Clear filters", () => state.filters.value = NO_FILTERS, {
        class: "quiet",
        hidden: () => shown.every(([key]) => state.filters.value[key] === null),
      }),
    );
  });
  return bar;
}
