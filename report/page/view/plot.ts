/** Charts of few marks as SVG: a plot that is as wide as its place, with axes. */

import "./sections.css";
import type { Scale } from "../draw/scales.ts";
import { onCleanup, signal } from "../state/signals.ts";
import { type Child, h, s } from "./elements.ts";

/** The plot inside of its axes, in pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** An axis. */
export interface Axis {
  readonly label: string;
  readonly scale: Scale;
  readonly ticks: readonly (readonly [value: number, text: string])[];
}

/** What a chart shows. */
export interface ChartOptions {
  /** Says what is seen, for those who do not see it. */
  label: string;
  height: number;
  /** Room for the texts at the left, 56 pixels without it, and at the right. */
  left?: number;
  right?: number;
  /** Room below the plot, 38 pixels without it. */
  below?: number;
  /** Drawn again when the width or what it reads has changed. */
  draw(box: Box): Child;
  /** The pointer is at a place of the plot; null: it has left. */
  onPoint?(place: readonly [x: number, y: number] | null): void;
  onChoose?(place: readonly [x: number, y: number]): void;
}

/** Makes a chart. Its effects end with the scope around. */
export function chart(options: ChartOptions): HTMLElement {
  const width = signal(0);
  const placeOf = (event: MouseEvent): readonly [number, number] => {
    const at = svg.getBoundingClientRect();
    return [event.clientX - at.left, event.clientY - at.top];
  };
  const svg: SVGSVGElement = s("svg", {
    role: "img",
    "aria-label": options.label,
    height: options.height,
    viewBox: () => `0 0 ${Math.max(1, width.value)} ${options.height}`,
    preserveAspectRatio: "xMinYMin meet",
    onpointermove: (event: PointerEvent) => options.onPoint?.(placeOf(event)),
    onpointerleave: () => options.onPoint?.(null),
    onclick: (event: MouseEvent) => options.onChoose?.(placeOf(event)),
  }, () => {
    const left = options.left ?? 64, right = width.value - (options.right ?? 12);
    if (right <= left) return null;
    return options.draw({ left, top: 10, right, bottom: options.height - (options.below ?? 38) });
  });
  const element = h("div", { class: options.onChoose ? "chart choosable" : "chart" }, svg);
  const observer = new ResizeObserver(() => width.value = element.clientWidth);
  observer.observe(element);
  onCleanup(() => observer.disconnect());
  return element;
}

/** Both axes of a plot, with lines through it at the ticks of the vertical one and, if it has `grid`, of the other. */
export function axes(box: Box, x: Axis, y: Axis, grid = false): Child {
  const middle = (box.left + box.right) / 2;
  return s(
    "g",
    { class: "axes" },
    y.ticks.map(([value, text]) => [
      s("line", { x1: box.left, x2: box.right, y1: y.scale(value), y2: y.scale(value), class: "rule" }),
      s("text", { x: box.left - 8, y: y.scale(value), "text-anchor": "end", "dominant-baseline": "central" }, text),
    ]),
    x.ticks.map(([value, text]) => [
      grid ? s("line", { x1: x.scale(value), x2: x.scale(value), y1: box.top, y2: box.bottom, class: "rule" }) : null,
      s("text", { x: x.scale(value), y: box.bottom + 16, "text-anchor": "middle" }, text),
    ]),
    s("line", { x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom, class: "base" }),
    x.label === ""
      ? null
      : s("text", { x: middle, y: box.bottom + 33, "text-anchor": "middle", class: "title" }, x.label),
    y.label === "" ? null : s("text", {
      x: 0,
      y: 0,
      transform: `translate(12 ${(box.top + box.bottom) / 2}) rotate(-90)`,
      "text-anchor": "middle",
      class: "title",
    }, y.label),
  );
}

/** The outline of values that each hold until the next one begins, as a path. `ends` has one entry more than `values`. */
export function stepPath(
  ends: ArrayLike<number>,
  values: ArrayLike<number>,
  x: Scale,
  y: Scale,
  ground: number | null,
): string {
  if (values.length === 0) return "";
  let path = `M${x(ends[0]!).toFixed(1)} ${(ground ?? y(values[0]!)).toFixed(1)}`;
  for (let i = 0; i < values.length; i++) path += `V${y(values[i]!).toFixed(1)}H${x(ends[i + 1]!).toFixed(1)}`;
  return ground === null ? path : `${path}V${ground.toFixed(1)}Z`;
}
