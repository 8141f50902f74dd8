/** Charts of few marks: bars with names, and a ring. */

import { type Child, h, s } from "./elements.ts";
import { swatch } from "./marks.ts";

/** A part of a whole. */
export interface Part {
  readonly name: string;
  readonly value: number;
  readonly colour: string;
  /** What stands beside it, such as a time. */
  readonly text: Child;
  readonly onSelect?: () => void;
}

/** Parts of `total` beyond the first `most`, as one more part. */
export function withRest(
  parts: readonly Part[],
  most: number,
  restText: (count: number, value: number) => Child,
): Part[] {
  if (parts.length <= most + 1) return [...parts];
  const rest = parts.slice(most);
  const value = rest.reduce((sum, one) => sum + one.value, 0);
  return [...parts.slice(0, most), {
    name: `${rest.length} others`,
    value,
    colour: "var(--faint)",
    text: restText(rest.length, value),
  }];
}

/** A bar for each part, on one scale. */
export function bars(label: string, parts: readonly Part[]): HTMLElement {
  const largest = Math.max(0, ...parts.map((one) => one.value));
  return h(
    "ul",
    { class: "bars", "aria-label": label },
    parts.map((one) =>
      h(
        "li",
        { style: { "--share": `${largest > 0 ? (100 * one.value) / largest : 0}%`, "--hue": one.colour } },
        one.onSelect
          ? h("button", { type: "button", class: "link bar-name", title: one.name, onclick: one.onSelect }, one.name)
          : h("span", { class: "bar-name", title: one.name }, one.name),
        h("span", { class: "bar", "aria-hidden": true }),
        h("span", { class: "bar-text" }, one.text),
      )
    ),
  );
}

/** A ring with a legend, of parts that together are the whole. */
export function ring(label: string, parts: readonly Part[]): HTMLElement {
  const total = parts.reduce((sum, one) => sum + one.value, 0);
  let angle = 0;
  const arcs = parts.filter((one) => one.value > 0).map((one) => {
    const from = angle;
    angle += one.value / total;
    return s(
      "path",
      { d: arc(from, Math.min(angle, from + 0.99999)), style: { fill: one.colour } },
      s("title", null, `${one.name}: ${(100 * one.value / total).toFixed(1)} %`),
    );
  });
  const svg = s("svg", { viewBox: "-50 -50 100 100", class: "ring", role: "img", "aria-label": label }, arcs);
  const legend = h(
    "ul",
    { class: "legend" },
    parts.map((one) =>
      h(
        "li",
        null,
        swatch(one.colour),
        one.onSelect
          ? h("button", { type: "button", class: "link bar-name", title: one.name, onclick: one.onSelect }, one.name)
          : h("span", { class: "bar-name" }, one.name),
        h("span", { class: "bar-text" }, one.text),
      )
    ),
  );
  return h("div", { class: "ring-chart" }, svg, legend);
}

/** The outline of a part of a ring between two shares of the full turn, from the top clockwise. */
function arc(from: number, to: number): string {
  const point = (share: number, radius: number): string =>
    `${(Math.sin(2 * Math.PI * share) * radius).toFixed(3)} ${(-Math.cos(2 * Math.PI * share) * radius).toFixed(3)}`;
  const large = to - from > 0.5 ? 1 : 0;
  return `M${point(from, 48)}A48 48 0 ${large} 1 ${point(to, 48)}L${point(to, 28)}A28 28 0 ${large} 0 ${
    point(from, 28)
  }Z`;
}
