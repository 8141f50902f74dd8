/** Ticks of a time axis and exact times as text. All numbers are integers of nanoseconds; no text is made of a fraction. */

interface Unit {
  readonly name: string;
  readonly ns: number;
}

const UNITS: readonly Unit[] = [
  { name: "s", ns: 1e9 },
  { name: "ms", ns: 1e6 },
  { name: "us", ns: 1e3 },
  { name: "ns", ns: 1 },
];
const NANOSECOND: Unit = { name: "ns", ns: 1 };

function unitOf(ns: number): Unit {
  const size = Math.abs(ns);
  return UNITS.find((unit) => size >= unit.ns) ?? NANOSECOND;
}

/** `value` / `divisor` with this number of decimals, rounded half to even; all three are integers. */
export function decimalText(value: number, divisor: number, decimals: number): string {
  const scale = 10 ** decimals;
  const size = Math.abs(value);
  let whole = Math.floor(size / divisor);
  // What remains is less than 1e9, times at most 1e6: exact.
  const rest = (size % divisor) * scale;
  let part = Math.floor(rest / divisor);
  const twice = 2 * (rest % divisor);
  const lastDigit = decimals === 0 ? whole : part;
  if (twice > divisor || (twice === divisor && lastDigit % 2 === 1)) ++part;
  if (part === scale) {
    ++whole;
    part = 0;
  }
  const sign = value < 0 && (whole > 0 || part > 0) ? "-" : "";
  return decimals === 0 ? `${sign}${whole}` : `${sign}${whole}.${String(part).padStart(decimals, "0")}`;
}

/** A time of the trace: `originNs` is a decimal integer that may exceed 2^53. */
export function absoluteNs(originNs: string, ns: number): string {
  return String(BigInt(originNs) + BigInt(ns));
}

/** A line of the axis. */
export interface Tick {
  readonly ns: number;
  readonly text: string;
}

/** 1, 2 or 5 times a power of ten, in nanoseconds, at least 1 and at least `leastNs`. */
export function tickStep(leastNs: number): number {
  let power = 1;
  for (;;) {
    for (const factor of [1, 2, 5]) if (factor * power >= leastNs) return factor * power;
    power *= 10;
  }
}

/** Ticks from `fromNs` to `toNs` that are at least `leastPixels` apart on an axis of `pixels`. */
export function ticksOf(fromNs: number, toNs: number, pixels: number, leastPixels: number): Tick[] {
  if (!(toNs > fromNs) || pixels <= 0) return [];
  const step = tickStep(((toNs - fromNs) * leastPixels) / pixels);
  const unit = unitOf(Math.max(Math.abs(fromNs), Math.abs(toNs)));
  let decimals = 0;
  while (unit.ns / 10 ** decimals > step && (step * 10 ** decimals) % unit.ns !== 0) ++decimals;
  const ticks: Tick[] = [];
  for (let ns = Math.ceil(fromNs / step) * step; ns <= toNs; ns += step) {
    ticks.push({ ns: ns + 0, text: `${decimalText(ns, unit.ns, decimals)} ${unit.name}` });
  }
  return ticks;
}
