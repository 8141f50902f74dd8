/** Changes of the visible range of time. All ranges are integers of nanoseconds. */

/** From a time to a later one. */
export type TimeRange = readonly [from: number, to: number];

/** No range is shorter. */
export const LEAST_NS = 20;

/** The range at its length, moved into `extent`; all of `extent` if it is longer. */
export function clampRange([from, to]: TimeRange, extent: TimeRange): TimeRange {
  const length = Math.max(LEAST_NS, Math.round(to - from));
  if (length >= extent[1] - extent[0]) return extent;
  const start = Math.round(Math.min(Math.max(from, extent[0]), extent[1] - length));
  return [start, start + length];
}

/** The range `factor` times as long; `at` stays where it is. */
export function zoomed(range: TimeRange, factor: number, at: number, extent: TimeRange): TimeRange {
  const length = Math.max(LEAST_NS, (range[1] - range[0]) * factor);
  const part = (at - range[0]) / (range[1] - range[0]);
  const from = at - part * length;
  return clampRange([from, from + length], extent);
}

/** The range moved by a part of its length. */
export function moved(range: TimeRange, part: number, extent: TimeRange): TimeRange {
  const by = (range[1] - range[0]) * part;
  return clampRange([range[0] + by, range[1] + by], extent);
}

/** The range that shows all of `inner` with some room around it. */
export function around(inner: TimeRange, extent: TimeRange): TimeRange {
  const room = Math.max(LEAST_NS / 2, (inner[1] - inner[0]) * 0.1);
  return clampRange([inner[0] - room, inner[1] + room], extent);
}

/** The range moved as little as possible to show `inner`, if it fits. */
export function including(range: TimeRange, inner: TimeRange, extent: TimeRange): TimeRange {
  if (inner[0] >= range[0] && inner[1] <= range[1]) return range;
  const length = range[1] - range[0];
  if (inner[1] - inner[0] > length) return around(inner, extent);
  const middle = (inner[0] + inner[1]) / 2;
  return clampRange([middle - length / 2, middle + length / 2], extent);
}
