/** What is selected, in words, beside every view, with ways to the other views. */

import { h } from "../view/elements.ts";
import type { ViewContext } from "../view/view.ts";

/** The panel. It is hidden without a selection. */
export function selectionPanel(context: ViewContext, views: ReadonlySet<string>): HTMLElement {
  void views;
  return h("aside", {
    class: "selection",
    "aria-label": "Selection",
    hidden: () => context.state.selection.value === null,
  });
}
