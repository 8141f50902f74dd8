/** The whole run in a strip: how busy the device is, and which part of it the lanes show. */
import type { Palette } from "../../draw/colours.ts";
import type { Renderer } from "../../draw/renderer.ts";
import { ticksOf } from "../../draw/time_axis.ts";
import { type Busy, busyBefore } from "../../model/range_sums.ts";
import type { TimeRange } from "./axis.ts";

/** Height of the strip. */
export const OVERVIEW_HEIGHT = 44;
const BUSY_TOP = 16;

/** Draws the strip. Proportional to its width times the logarithm of the number of busy intervals. */
export function drawOverview(out: Renderer, palette: Palette, busy: Busy | null, extent: TimeRange, visible: TimeRange): void {
  const scale = out.width / (extent[1] - extent[0]);
  out.clear(palette.background);
  out.fill(palette.band, 0, BUSY_TOP, out.width, OVERVIEW_HEIGHT - BUSY_TOP);
  if (busy !== null) {
    let before = busyBefore(busy, extent[0]);
    const height = OVERVIEW_HEIGHT - BUSY_TOP - 2;
    for (let x = 0; x < out.width; ++x) {
      const after = busyBefore(busy, extent[0] + (x + 1) / scale);
      const part = Math.min(1, (after - before) * scale);
      before = after;
      if (part > 0) out.fill(palette.accent, x, OVERVIEW_HEIGHT - Math.max(1, part * height), 1, Math.max(1, part * height));
    }
  }
  for (const tick of ticksOf(extent[0], extent[1], out.width, 120)) {
    const x = Math.round((tick.ns - extent[0]) * scale);
    if (x + 40 < out.width) out.text(palette.muted, tick.text, x + 3, BUSY_TOP / 2, 100);
  }
  const left = Math.round((visible[0] - extent[0]) * scale);
  const right = Math.max(left + 3, Math.round((visible[1] - extent[0]) * scale));
  out.veil(palette.background, 0.65, 0, BUSY_TOP, left, OVERVIEW_HEIGHT);
  out.veil(palette.background, 0.65, right, BUSY_TOP, out.width - right, OVERVIEW_HEIGHT);
  out.outline(palette.text, 1.5, left, BUSY_TOP, right - left, OVERVIEW_HEIGHT - BUSY_TOP);
}
