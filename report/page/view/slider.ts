/** A slider with a box for exact values beside it. */

import type { Readable } from "../state/signals.ts";
import { effect } from "../state/signals.ts";
import { h } from "./elements.ts";

/** What a slider shows. Positions are integers from 0 to `last`. */
export interface SliderOptions {
  label: string;
  last: number;
  position: Readable<number>;
  text: Readable<string>;
  onMove(position: number): void;
  /** The label of the box for exact values, and what is to be done with what is written; false if it is no value. */
  boxLabel: string;
  onText(text: string): boolean;
}

/** Makes a slider and its box. */
export function slider(options: SliderOptions): { range: HTMLInputElement; box: HTMLInputElement } {
  const range: HTMLInputElement = h("input", {
    type: "range",
    class: "slider",
    min: 0,
    max: options.last,
    step: 1,
    "aria-label": options.label,
    "aria-valuetext": () => options.text.value,
    oninput: () => options.onMove(range.valueAsNumber),
  });
  const box: HTMLInputElement = h("input", {
    type: "text",
    class: "factor",
    "aria-label": options.boxLabel,
    inputmode: "decimal",
    autocomplete: "off",
    spellcheck: "false",
    onchange: () => {
      const isValue = options.onText(box.value.trim());
      box.setAttribute("aria-invalid", String(!isValue));
    },
  });
  effect(() => {
    range.value = String(options.position.value);
    range.style.setProperty("--at", `${(100 * options.position.value) / options.last}%`);
  });
  effect(() => {
    box.value = options.text.value;
    box.removeAttribute("aria-invalid");
  });
  return { range, box };
}
