/** Which bars of a row are drawn: events that are wider than a pixel one by one, others as one bar a pixel. */
import { firstEndingAfter, type Row } from "../model/lanes.ts";
import type { Gathered } from "../model/row_groups.ts";

/** A range of time on an axis of pixels. */
export interface Window {
  readonly from: number;
  readonly to: number;
  /** Pixels per nanosecond. */
  readonly scale: number;
  /** The pixel that `from` has. */
  readonly origin: number;
}

/**
 * Is called for each bar from `left` to `right`, in pixels. `position` is that of the first
 * event in the row, `base` the base of the longest, and `coverage` the part of their pixel that several events take.
 */
export type VisitBar = (
  left: number,
  right: number,
  position: number,
  base: number,
  count: number,
  coverage: number,
) => void;

/**
 * Visits the bars of a row that have a part of the window, from left to right. Proportional to the number of pixels times
 * the logarithm of the number of events in each. Where a pixel has many, a few of them may be visited half a
 * pixel before their place.
 */
export function visitBars(row: Row, window: Window, visit: VisitBar): void {
  const { length } = row;
  const { from, to, scale, origin } = window;
  let at = firstEndingAfter(row, from);
  // An event without a length that starts with the window ends with it, too.
  while (at > 0 && row.startAt(at - 1) >= from) --at;
  const pixelNs = 1 / scale;
  const found: Gathered = { base: 0, busyNs: 0, nextStart: at < length ? row.startAt(at) : Infinity };
  // Pixels beside one another have about as many events.
  let count = 0;
  while (found.nextStart < to) {
    const start = found.nextStart;
    const left = (start - from) * scale;
    const pixel = Math.floor(left);
    const next = row.groups.gather(at, from + (pixel + 1) * pixelNs, count, pixelNs / 2, pixelNs, found);
    count = next - at;
    if (count > 1) {
      visit(origin + pixel, origin + pixel + 1, at, found.base, count, Math.min(1, found.busyNs * scale));
      at = next;
      continue;
    }
    const right = count === 1 ? left + 1 : left + row.nsAt(at) * scale;
    visit(origin + left, origin + right, at, row.baseAt(at), 1, 1);
    if (count === 0) found.nextStart = at + 1 < length ? row.startAt(at + 1) : Infinity;
    ++at;
  }
}
