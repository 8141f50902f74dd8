/** Bars that are divided into parts, with their legend. */

import "./sections.css";
import { type Child, h } from "./elements.ts";
import { swatch } from "./marks.ts";

/** A part of a bar. */
export interface Part {
  name: string;
  value: number;
  /** The value as text with its exact number. */
  shown: Child;
  /** A colour of CSS. */
  colour: string;
  hatched?: boolean;
}

/** A bar; its full width is `total`. Parts of nothing are left out. */
export function dividedBar(label: string, parts: readonly Part[], total: number): HTMLElement {
  const seen = parts.filter((part) => part.value > 0);
  const said = seen.map((part) => `${part.name} ${percent(part.value, total)}`).join(", ");
  return h(
    "div",
    { class: "divided", role: "img", "aria-label": `${label}: ${said || "nothing"}` },
    seen.map((part) =>
      h("span", {
        class: part.hatched ? "part hatched" : "part",
        title: `${part.name}, ${percent(part.value, total)}`,
        style: { width: `${total > 0 ? Math.min(100, (100 * part.value) / total) : 0}%`, "--hue": part.colour },
      })
    ),
  );
}

const percent = (value: number, total: number): string => `${total > 0 ? ((100 * value) / total).toFixed(1) : "0.0"} %`;

/** Names and values of parts beside their colours. */
export function colourKey(parts: readonly Part[]): HTMLElement {
  return h(
    "ul",
    { class: "key" },
    parts.map((part) =>
      h("li", null, [
        swatch(part.colour, part.hatched),
        h("span", { class: "key-name" }, part.name),
        part.shown === null ? null : h("span", { class: "key-value" }, part.shown),
      ])
    ),
  );
}

/** A part of a view with its title, a sentence about it, and what can be done with it. */
export function section(title: string, about: Child, actions: Child, ...children: Child[]): HTMLElement {
  return h(
    "section",
    { class: "section", "aria-label": title },
    h(
      "div",
      { class: "view-head" },
      h("h2", null, title),
      about ? h("p", { class: "soft" }, about) : null,
      actions ? h("span", { class: "end" }, actions) : null,
    ),
    children,
  );
}

/** Numbers that are read first, each with its name below. */
export function figures(entries: readonly (readonly [name: string, value: Child])[]): HTMLElement {
  return h(
    "dl",
    { class: "figures" },
    entries.filter(([, value]) => value !== null && value !== undefined).map(([name, value]) =>
      h("div", null, h("dt", null, name), h("dd", null, value))
    ),
  );
}
