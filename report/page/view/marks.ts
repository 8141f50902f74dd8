/** Small marks of tables: the colour of a category, and a bar for a share. */

import { hueOf } from "../draw/colours.ts";
import { type Child, h } from "./elements.ts";
import { formatShare } from "./number.ts";

/** A hue as a colour of the style. */
export const hueColour = (hue: string): string => `var(--hue-${hue})`;
/** The colour of a category. */
export const categoryHue = (category: string): string => hueColour(hueOf(category));

/** A square of a colour; what is idle is hatched. */
export function swatch(colour: string, isHatched = false): HTMLElement {
  const kind = isHatched ? "swatch hatched" : "swatch";
  return h("span", { class: kind, "aria-hidden": true, style: { "--hue": colour } });
}

/** A square of the colour of a category. */
export const categorySwatch = (category: string): HTMLElement => swatch(categoryHue(category));

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
