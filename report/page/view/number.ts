/** Numbers as people read them. Each keeps its exact value in a `data` element. */

import { h } from "./elements.ts";

const TIME_UNITS = [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9]] as const;
/** A unit of time of a whole table, and the nanoseconds in it. */
export type TimeUnit = (typeof TIME_UNITS)[number];

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];
const grouped = [0, 1, 2, 3].map((digits) =>
  new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })
);

/** A number with so many decimals, 0 to 3, and commas between thousands. */
export function decimal(value: number, digits: 0 | 1 | 2 | 3): string {
  return grouped[digits]!.format(value).replace("-", "−");
}

/** A time in the unit that suits it, such as `1.234 ms`. */
export function timeText(ns: number): string {
  const size = Math.abs(ns);
  const unit = size < 1e3 ? TIME_UNITS[0] : size < 1e6 ? TIME_UNITS[1] : size < 1e9 ? TIME_UNITS[2] : TIME_UNITS[3];
  return `${decimal(ns / unit[1], unit[1] === 1 ? (Number.isInteger(ns) ? 0 : 1) : 3)} ${unit[0]}`;
}

/** The unit for a table with such times: microseconds, in which three decimals are exact, unless they were wide: from `wide` nanoseconds on. */
export function tableUnit(largest: number, wide = 1e9): TimeUnit {
  return largest < wide ? TIME_UNITS[1] : TIME_UNITS[2];
}

/** A share such as `12.3 %`. */
export function shareText(ratio: number): string {
  // What is rounded to zero has no sign.
  return `${decimal(ratio * 100, 1).replace(/^−0\.0$/, "0.0")} %`;
}

/** A size such as `1.5 MiB`. */
export function bytesText(bytes: number): string {
  const unit = bytes < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${decimal(bytes / 2 ** (10 * unit), unit === 0 ? 0 : 1)} ${BYTE_UNITS[unit]}`;
}

/** A speed-up such as `2x`, `1.25x`; infinity is `∞`. */
export function factorText(factor: number): string {
  return Number.isFinite(factor) ? `${String(Number(factor.toPrecision(factor < 100 ? 3 : 4)))}x` : "∞";
}

/** A speed-up in a column, with the decimals of all others. */
export function formatFactorIn(factor: number | null): HTMLDataElement {
  const text = factor === null || !Number.isFinite(factor) ? "∞" : `${decimal(factor, factor < 100 ? 2 : 0)}x`;
  return valued(factor ?? "inf", text);
}

/** A text with the exact value behind it. */
export function valued(value: number | string | boolean, text: string): HTMLDataElement {
  return h("data", { value: String(value) }, text);
}

/** A time with its exact nanoseconds. */
export const formatTime = (ns: number): HTMLDataElement => valued(ns, timeText(ns));
/** A time in a given unit, without its name, for tables. */
export const formatTimeIn = (ns: number, unit: TimeUnit): HTMLDataElement => valued(ns, decimal(ns / unit[1], 3));
/** A number of things. */
export const formatCount = (count: number): HTMLDataElement => valued(count, decimal(count, 0));
/** A share, as a ratio. */
export const formatShare = (ratio: number): HTMLDataElement => valued(ratio, shareText(ratio));
/** A size in bytes. */
export const formatBytes = (bytes: number): HTMLDataElement => valued(bytes, bytesText(bytes));
/** A speed-up; null is an infinite one. */
export const formatFactor = (factor: number | null): HTMLDataElement =>
  valued(factor ?? "inf", factorText(factor ?? Infinity));
