/** The whole run in a strip: how busy the device is, and which part of it the lanes show. */
import type { Palette } from "../../draw/colours.ts";
import type { Renderer } from "../../draw/renderer.ts";
import type { Spans } from "../../model/lanes.ts";
import { visitBusy } from "../../model/range_sums.ts";
import { setStyle } from "../../view/elements.ts";
import { clampRange, type TimeRange } from "./axis.ts";

/** Height of the strip. */
export const OVERVIEW_HEIGHT = 30;

/** Draws how busy the device is. Proportional to the width and the number of events. */
export function drawOverview(out: Renderer, palette: Palette, events: Spans | undefined, extent: TimeRange): void {
  const scale = out.width / (extent[1] - extent[0]);
  out.clear(palette.band);
  if (events === undefined) return;
  /** The busy part of each pixel. */
  const parts = new Float64Array(Math.ceil(out.width));
  visitBusy(events, (from, to) => {
    const left = (from - extent[0]) * scale, right = (to - extent[0]) * scale;
    for (let x = Math.floor(left); x < Math.min(right, parts.length); ++x) {
      parts[x]! += Math.min(x + 1, right) - Math.max(x, left);
    }
  });
  const height = OVERVIEW_HEIGHT - 2;
  parts.forEach((part, x) => {
    const high = Math.max(1, Math.min(1, part) * height);
    if (part > 0) out.fill(palette.accent, x, OVERVIEW_HEIGHT - high, 1, high);
  });
}

/** Places the frame around the visible part of the strip, which is `width` pixels wide. */
export function placeWindow(frame: HTMLElement, width: number, extent: TimeRange, visible: TimeRange): void {
  const scale = width / (extent[1] - extent[0]);
  const left = (visible[0] - extent[0]) * scale;
  const size = Math.max(4, (visible[1] - visible[0]) * scale);
  setStyle(frame, { left: `${Math.min(left, width - size)}px`, width: `${size}px` });
}

/** Moves the visible range by the pointer. A press outside of it brings its middle there. */
export function listenToOverview(
  overview: HTMLElement,
  extentOf: () => TimeRange,
  rangeOf: () => TimeRange,
  setRange: (range: TimeRange) => void,
): void {
  // The part of the visible range that is before the pointer.
  let grip: number | null = null;
  const timeAt = (event: PointerEvent): number => {
    const box = overview.getBoundingClientRect();
    const [from, to] = extentOf();
    return from + ((event.clientX - box.left) / Math.max(1, box.width)) * (to - from);
  };
  const move = (event: PointerEvent): void => {
    if (grip === null) return;
    const [from, to] = rangeOf();
    const start = timeAt(event) - grip * (to - from);
    setRange(clampRange([start, start + to - from], extentOf()));
  };
  overview.addEventListener("pointerdown", (event) => {
    const [from, to] = rangeOf();
    const part = (timeAt(event) - from) / (to - from);
    grip = part >= 0 && part <= 1 ? part : 0.5;
    overview.setPointerCapture(event.pointerId);
    move(event);
  });
  overview.addEventListener("pointermove", move);
  overview.addEventListener("pointerup", () => grip = null);
  overview.addEventListener("pointercancel", () => grip = null);
}
