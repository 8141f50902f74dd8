/** Small marks of tables: the colour of a category, and a bar for a share. */

import { hueOf } from "../draw/colours.ts";
import { type Child, h } from "./elements.ts";
import { formatShare } from "./number.ts";

/** The colour of a category as a property of the style. */
export const categoryHue = (category: string): string => `var(--hue-${hueOf(category)})`;

/** A square of the colour of a category. */
export function swatch(category: string): HTMLElement {
  return h("span", { class: "swatch", "aria-hidden": true, style: { "--hue": categoryHue(category) } });
}

/** A share as a bar and a number; `largest` is the share of a full bar. */
export function meter(ratio: number | null, largest: number): Child {
  if (ratio === null) return "";
  const share = largest > 0 ? Math.min(1, ratio / largest) : 0;
  return h(
    "div",
    { class: "meter", style: { "--share": `${(100 * share).toFixed(2)}%` } },
    h("span", { "aria-hidden": true }),
    formatShare(ratio),
  );
}
