/** Which bars of a row are drawn: events that are wider than a pixel one by one, others as one bar a pixel. */
import { endOf, firstEndingAfter, firstStartingAt, type Gathered, type Row } from "../model/lanes.ts";

/** A range of time on an axis of pixels. */
export interface Window {
  readonly from: number;
  readonly to: number;
  /** Pixels per nanosecond. */
  readonly scale: number;
}

/**
 * Is called for each bar from `left` to `right`, in pixels from the start of the window. `position` is that of the event
 * in the row; of several in one pixel, of the longest, and `coverage` is the part of the pixel that they take.
 */
export type VisitBar = (left: number, right: number, position: number, count: number, coverage: number) => void;

/** Where a pixel has so many events, a few of them may be drawn a quarter of a pixel before their place. */
const MANY = 128;

/**
 * Visits the bars of a row that have a part of the window, from left to right. Proportional to the number of pixels times
 * the logarithm of the number of events in each.
 */
export function visitBars(row: Row, window: Window, visit: VisitBar): void {
  const { spans, length } = row;
  const { from, to, scale } = window;
  let at = firstEndingAfter(row, from);
  // An event without a length that starts with the window ends with it, too.
  while (at > 0 && spans.start.at(row.event(at - 1)) >= from) --at;
  // Pixels beside one another have about as many events.
  let count = 0;
  const found: Gathered = { longest: 0, busyNs: 0 };
  const pixelNs = 1 / scale;
  while (at < length) {
    const startOfGroup = count < MANY ? undefined : row.startOfGroup(at, pixelNs);
    const start = startOfGroup ?? spans.start.at(row.event(at));
    if (start >= to) return;
    const left = (start - from) * scale;
    if (startOfGroup === undefined) {
      const right = (endOf(spans, row.event(at)) - from) * scale;
      if (right - left >= 1) {
        visit(left, right, at, 1, 1);
        ++at;
        continue;
      }
    }
    const pixel = Math.floor(left);
    const border = from + (pixel + 1) * pixelNs;
    let next = count < MANY ? -1 : row.firstGroupStartingAt(border, at, count, pixelNs / 4, pixelNs);
    if (next <= at) {
      next = firstStartingAt(row, border, at + 1, count);
      const last = row.event(next - 1);
      if (next - 1 > at && (endOf(spans, last) - spans.start.at(last)) * scale >= 1) --next;
    }
    count = next - at;
    if (count === 1) visit(left, left + 1, at, 1, 1);
    else {
      row.gather(at, next, found);
      visit(pixel, pixel + 1, found.longest, count, Math.min(1, found.busyNs * scale));
    }
    at = next;
  }
}
