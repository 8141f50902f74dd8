/** Small controls: search, menus, switches, status lines, and buttons that copy. */

import type { Signal } from "../state/signals.ts";
import { effect, type Readable } from "../state/signals.ts";
import { breakable, button, type Child, h, newId } from "./elements.ts";

/** A box that writes a search as it is typed. */
export function searchBox(label: string, search: Signal<string>): HTMLElement {
  const input = h("input", {
    type: "search",
    class: "search",
    "aria-label": label,
    placeholder: label,
    autocomplete: "off",
    spellcheck: "false",
    oninput: () => search.value = input.value,
  });
  effect(() => {
    if (input.value !== search.value) input.value = search.value;
  });
  return input;
}

/** A menu of one of several values; null is the first entry, `all`. */
export function menu(
  label: string,
  all: string,
  values: readonly (readonly [value: string, text: string])[],
  chosen: Readable<string | null>,
  onChoose: (value: string | null) => void,
): HTMLElement {
  const select: HTMLSelectElement = h(
    "select",
    {
      "aria-label": label,
      onchange: () => onChoose(select.value === "" ? null : select.value),
    },
    h("option", { value: "" }, all),
    values.map(([value, text]) => h("option", { value }, text)),
  );
  effect(() => {
    select.value = chosen.value ?? "";
    select.classList.toggle("chosen", chosen.value !== null);
  });
  return select;
}

/** A choice of few values that are all visible. */
export function choice<Value extends string>(
  label: string,
  values: readonly (readonly [value: Value, text: string])[],
  chosen: Readable<Value>,
  onChoose: (value: Value) => void,
): HTMLElement {
  const name = newId("choice");
  return h(
    "div",
    { role: "radiogroup", class: "choice", "aria-label": label },
    values.map(([value, text]) => {
      const input = h("input", { type: "radio", name, value, onchange: () => onChoose(value) });
      effect(() => void (input.checked = chosen.value === value));
      return h("label", null, input, h("span", null, text));
    }),
  );
}

/** A switch that is on or off. */
export function toggle(
  text: Child,
  on: Readable<boolean>,
  onChange: (on: boolean) => void,
  props: Record<string, string> = {},
): HTMLElement {
  const input: HTMLInputElement = h("input", {
    type: "checkbox",
    role: "switch",
    onchange: () => onChange(input.checked),
    ...props,
  });
  effect(() => void (input.checked = on.value));
  return h("label", { class: "toggle" }, input, h("span", null, text));
}

/** A line that is read out when it changes. */
export function status(label: string, text: () => Child): HTMLElement {
  return h("div", { role: "status", class: "status", "aria-label": label }, text);
}

/** A button that copies what `text` gives, and says so. Where there is no clipboard the text is shown, to be copied by hand. */
export function copyButton(title: string, text: () => string): HTMLElement {
  const said = h("span", { role: "status", class: "said" });
  const copy = async () => {
    const value = text();
    try {
      await navigator.clipboard.writeText(value);
      said.textContent = "copied";
      setTimeout(() => said.textContent = "", 2000);
    } catch {
      showText(title, value);
    }
  };
  return h("span", { class: "copy" }, button(title, () => void copy(), { class: "quiet" }), said);
}

/** Shows text in a dialog, selected. */
export function showText(title: string, text: string): void {
  const area = h("textarea", { readonly: true, "aria-label": title, rows: 16 });
  area.value = text;
  const dialog: HTMLDialogElement = h(
    "dialog",
    {
      class: "dialog",
      "aria-label": title,
      onclose: () => dialog.remove(),
    },
    h("p", null, "The browser has no clipboard here. Copy the text by hand:"),
    area,
    button("Close", () => dialog.close()),
  );
  document.body.append(dialog);
  dialog.showModal();
  area.select();
}

/** A link to another view, as a button, because it does not leave the page. */
export function link(text: Child, onclick: () => void): HTMLElement {
  return button(typeof text === "string" ? breakable(text) : text, onclick, { class: "link" });
}

/** A list of names and values. Entries without a value are left out. */
export function facts(entries: readonly (readonly [name: string, value: Child])[]): HTMLElement {
  return h(
    "dl",
    { class: "facts" },
    entries.filter(([, value]) => value !== null && value !== undefined && value !== "").map(([name, value]) =>
      h("div", null, h("dt", null, name), h("dd", null, typeof value === "string" ? breakable(value) : value))
    ),
  );
}
