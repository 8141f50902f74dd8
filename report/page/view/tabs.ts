/** Tabs: the ARIA pattern `tablist` with one panel. */

import { effect, type Signal } from "../state/signals.ts";
import { h, newId } from "./elements.ts";

/** A tab. */
export interface Tab {
  id: string;
  title: string;
}

/** A list of tabs that shows and writes which one is chosen. `panel` becomes the panel of the chosen tab. */
export function tabs(label: string, list: readonly Tab[], chosen: Signal<string>, panel: HTMLElement): HTMLElement {
  const prefix = newId("tab");
  panel.id ||= newId("panel");
  panel.setAttribute("role", "tabpanel");
  const buttons = list.map((tab) =>
    h("button", {
      type: "button",
      role: "tab",
      id: `${prefix}-${tab.id}`,
      "aria-controls": panel.id,
      "aria-selected": () => chosen.value === tab.id,
      tabindex: () => chosen.value === tab.id ? 0 : -1,
      onclick: () => chosen.value = tab.id,
      "data-title": tab.title,
    }, tab.title)
  );
  const move = (event: KeyboardEvent) => {
    const at = list.findIndex((tab) => tab.id === chosen.peek());
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: list.length - 1 }[event.key];
    if (to === undefined) return;
    const index = (to + list.length) % list.length;
    event.preventDefault();
    chosen.value = list[index]!.id;
    buttons[index]!.focus();
  };
  // A narrow window shows the chosen tab also if an address chose it.
  effect(() => {
    const at = list.findIndex((tab) => tab.id === chosen.value);
    requestAnimationFrame(() => buttons[at]?.scrollIntoView({ block: "nearest", inline: "center" }));
  });
  return h("div", {
    role: "tablist",
    class: "tabs",
    "aria-label": label,
    onkeydown: move,
  }, buttons);
}

/** The id of a tab's element in a list that `tabs` made. */
export function tabElementId(list: HTMLElement, tabs: readonly Tab[], id: string): string | null {
  const index = tabs.findIndex((tab) => tab.id === id);
  return list.children[index]?.id ?? null;
}
