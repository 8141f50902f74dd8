/** Scales of axes, from values to pixels and back, and their ticks. */

/** Places values on an axis. */
export interface Scale {
  /** The pixel of a value. */
  (value: number): number;
  /** The value at a pixel. */
  at(pixel: number): number;
}

/** Places `from` at pixel `start` and `to` at `end`. With equal values all are at `start`. */
export function linearScale(from: number, to: number, start: number, end: number): Scale {
  const size = to - from;
  const scale = (value: number) => size === 0 ? start : start + ((value - from) / size) * (end - start);
  const at = (pixel: number) => start === end ? from : from + ((pixel - start) / (end - start)) * size;
  return Object.assign(scale, { at });
}

/** The same by logarithms; all values are above 0. */
export function logScale(from: number, to: number, start: number, end: number): Scale {
  const linear = linearScale(Math.log10(from), Math.log10(to), start, end);
  return Object.assign((value: number) => linear(Math.log10(value)), { at: (pixel: number) => 10 ** linear.at(pixel) });
}

/** At most about `count` multiples of 1, 2 or 5 times a power of `base`, from `from` to `to`. */
export function linearTicks(from: number, to: number, count: number, base: 10 | 1024 = 10): number[] {
  if (!(to > from)) return [from];
  const least = (to - from) / Math.max(1, count);
  const power = base ** Math.floor(Math.log(least) / Math.log(base));
  const factors = base === 10 ? [1, 2, 5, 10] : [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
  const step = power * (factors.find((one) => one * power >= least * (1 - 1e-9)) ?? base);
  const ticks: number[] = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to * (1 + 1e-9); i++) ticks.push(i * step + 0);
  return ticks;
}

/** At most about `count` powers of ten from `from` to `to`, both above 0. */
export function logTicks(from: number, to: number, count: number): number[] {
  const first = Math.ceil(Math.log10(from) - 1e-9), last = Math.floor(Math.log10(to) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, count)));
  const ticks: number[] = [];
  for (let power = Math.ceil(first / step) * step; power <= last; power += step) ticks.push(Number(`1e${power}`));
  return ticks;
}

const PREFIXES: readonly (readonly [number, string])[] = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

/** A number with a prefix of its unit, such as `989 T`; in a column `1.00 T`, with as many digits as the others. */
export function prefixedText(value: number, isInColumn = false): string {
  const size = Math.abs(value);
  const found = PREFIXES.find(([least]) => size >= least * 0.9995);
  if (!found) return `${Number(value.toPrecision(3))} `;
  const text = (value / found[0]).toPrecision(3);
  return `${isInColumn ? text : Number(text)} ${found[1]}`;
}
