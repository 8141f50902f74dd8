/** The filters that all tables share. A menu is there where it has a choice. */

import type { Page } from "../data/tables.ts";
import { computed, effect } from "../state/signals.ts";
import { type Filters, NO_FILTERS, type State } from "../state/state.ts";
import { button, h } from "../view/elements.ts";
import { menu } from "../view/controls.ts";

/** The bar of filters. */
export function filterBar(page: Page, state: State): HTMLElement {
  const bar = h("div", { class: "filters", role: "group", "aria-label": "Filters" });
  effect(() => {
    const run = page.runs[state.run.value]?.report;
    const menus: [keyof Filters, string, string, string[]][] = [
      ["phase", "Phase", "All phases", (run?.phases ?? []).map((one) => one.name)],
      [
        "forwardGroup",
        "Forwards",
        "All forwards",
        run?.phases && (run.forward_groups?.length ?? 0) > 1 ? run.forward_groups!.map((one) => one.name) : [],
      ],
      ["category", "Category", "All categories", (run?.aggregates?.category ?? []).map((one) => one.name)],
      ["stream", "Stream", "All streams", (run?.streams ?? []).map((one) => `${one.device}/${one.stream}`)],
    ];
    const shown = menus.filter(([, , , values]) => values.length > 1);
    bar.replaceChildren(
      ...shown.map(([key, label, all, values]) =>
        menu(
          label,
          all,
          values.map((value) => [value, value] as const),
          computed(() => state.filters.value[key]),
          (value) => {
            state.filters.value = { ...state.filters.value, [key]: value };
          },
        )
      ),
    );
    if (shown.length === 0) return;
    bar.append(button("Clear filters", () => state.filters.value = NO_FILTERS, {
      class: "quiet",
      hidden: () => Object.values(state.filters.value).every((value) => value === null),
    }));
  });
  return bar;
}
