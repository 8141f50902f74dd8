/** Which bars of a row are drawn: events that are wider than a pixel one by one, others as one bar a pixel. */
import { endOf, firstEndingAfter, firstStartingAt, longestOf, type Row } from "../model/lanes.ts";

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

/**
 * Visits the bars of a row that have a part of the window, from left to right. Proportional to the number of pixels times
 * the logarithm of the number of events in each.
 */
export function visitBars(row: Row, window: Window, visit: VisitBar): void {
  const { events, spans, busyBefore } = row;
  const { from, to, scale } = window;
  let at = firstEndingAfter(row, from);
  // An event without a length that starts with the window ends with it, too.
  while (at > 0 && (spans.start[events[at - 1] ?? 0] ?? 0) >= from) --at;
  while (at < events.length) {
    const event = events[at] ?? 0;
    const start = spans.start[event] ?? 0;
    if (start >= to) return;
    const left = (start - from) * scale;
    const right = (endOf(spans, event) - from) * scale;
    if (right - left >= 1) {
      visit(left, right, at, 1, 1);
      ++at;
      continue;
    }
    const pixel = Math.floor(left);
    let next = firstStartingAt(row, from + (pixel + 1) / scale, at + 1);
    const last = events[next - 1] ?? 0;
    if (next - 1 > at && (endOf(spans, last) - (spans.start[last] ?? 0)) * scale >= 1) --next;
    const coverage = Math.min(1, ((busyBefore[next] ?? 0) - (busyBefore[at] ?? 0)) * scale);
    if (next === at + 1) visit(left, left + 1, at, 1, 1);
    else visit(pixel, pixel + 1, longestOf(row, at, next), next - at, coverage);
    at = next;
  }
}
