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
 * the logarithm of the number of events in each. Where a pixel has eight events and more, some may be visited up to half a
 * pixel before their place.
 */
export function visitBars(row: Row, window: Window, visit: VisitBar): void {
  const { length } = row;
  const { from, to, scale, origin } = window;
  let at = firstEndingAfter(row, from);
  // An event without a length that starts with the window ends with it, too.
  while (at > 0 && row.startAt(at - 1) >= from) --at;
  const pixelNs = 1 / scale, slackNs = pixelNs / 2;
  const found: Gathered = { base: 0, busyNs: 0, nextStart: at < length ? row.startAt(at) : Infinity };
  // Pixels beside one another have about as many events.
  let guess = 0;
  // Up to where the bars so far have all events.
  let doneNs = -Infinity;
  while (found.nextStart < to) {
    const start = found.nextStart;
    const left = (start - from) * scale;
    const pixel = Math.floor(left);
    const border = from + (pixel + 1) * pixelNs;
    const next = row.groups.gather(at, border, guess, slackNs, pixelNs, found);
    const count = next - at;
    if (count > 0) guess = count;
    if (count > 1) {
      const fromNs = Math.max(doneNs, border - pixelNs);
      doneNs = found.nextStart <= border + slackNs ? Math.max(border, found.nextStart) : border;
      const coverage = Math.min(1, found.busyNs / (doneNs - fromNs));
      visit(origin + pixel, origin + pixel + 1, at, found.base, count, coverage);
      at = next;
      continue;
    }
    // The same sum as for the start of the next event, so that events which touch are bars which touch.
    const right = count === 1 ? left + 1 : (start + row.nsAt(at) - from) * scale;
    visit(origin + left, origin + right, at, row.baseAt(at), 1, 1);
    if (count === 0) found.nextStart = at + 1 < length ? row.startAt(at + 1) : Infinity;
    ++at;
  }
}
