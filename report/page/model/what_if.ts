/** What is chosen to be predicted, between the state of the page and the replay. */

import type { Advice } from "../contract/report.ts";
import { type ChosenChange, type Factor, type Manner, newTimeText, type OfferedChange } from "./replay.ts";

/** Speed-ups of a slider: from 1x by 0.1 to 4x, then by 0.5 to 20x, and last no time at all. */
export const SPEED_UPS: readonly Factor[] = [
  ...Array.from({ length: 31 }, (_, i) => fraction(10n, BigInt(10 + i))),
  ...Array.from({ length: 32 }, (_, i) => fraction(2n, BigInt(9 + i))),
  { numerator: 0n, denominator: 1n },
];

function fraction(numerator: bigint, denominator: bigint): Factor {
  let a = numerator, b = denominator;
  while (b !== 0n) [a, b] = [b, a % b];
  return { numerator: numerator / a, denominator: denominator / a };
}

/** Old time / new time as a number; infinite for no time at all. */
export function speedUpOf({ numerator, denominator }: Factor): number {
  return numerator === 0n ? Infinity : Number(denominator) / Number(numerator);
}

/** The position of a slider that is nearest to a factor. */
export function positionOf(factor: Factor): number {
  const wanted = speedUpOf(factor);
  if (wanted === Infinity) return SPEED_UPS.length - 1;
  let best = 0;
  for (let i = 0; i + 1 < SPEED_UPS.length; i++) {
    if (Math.abs(speedUpOf(SPEED_UPS[i]!) - wanted) < Math.abs(speedUpOf(SPEED_UPS[best]!) - wanted)) best = i;
  }
  return best;
}

/** A speed-up as people read it: `2x`, `1.5x`, `∞`; exact, with a fraction where a decimal would not be. */
export function speedUpText(factor: Factor): string {
  const value = speedUpOf(factor);
  if (value === Infinity) return "∞";
  return (factor.denominator * 100n) % factor.numerator === 0n ? `${Number(value.toFixed(2))}x` : newTimeText(factor);
}

/** New time / old time as the state keeps it. */
export const factorAsText = ({ numerator, denominator }: Factor): string =>
  denominator === 1n ? `${numerator}` : `${numerator}/${denominator}`;

/** The factor that the state keeps as text; null if it is none. */
export function factorFromText(text: string): Factor | null {
  const found = /^(\d{1,18})(?:\/(\d{1,18})|\.(\d{1,9}))?$/.exec(text);
  if (!found) return null;
  const [, whole, divisor, decimals = ""] = found;
  const denominator = divisor === undefined ? 10n ** BigInt(decimals.length) : BigInt(divisor);
  return denominator === 0n ? null : fraction(BigInt(whole! + decimals), denominator);
}

/** What a change likely saves of the time of an iteration by itself; null if it only helps after those before it. */
export const likelySaving = ({ saves_ns }: Pick<Advice, "saves_ns">): number | null =>
  saves_ns.likely > 0 ? saves_ns.likely : null;

/** How a change is written in the state. */
export interface WrittenChange {
  readonly selector: string;
  readonly factor: string | null;
}

/** What the replay is to do for changes of the state. Those that the document does not offer are left out and counted. */
export function chosenChanges(
  written: readonly WrittenChange[],
  offered: readonly OfferedChange[],
): { chosen: ChosenChange[]; unknown: number } {
  const byText = new Map(offered.map((one) => [one.text, one]));
  const chosen: ChosenChange[] = [];
  for (const { selector, factor } of written) {
    const whole = byText.get(selector);
    if (factor !== null) {
      const time = factorFromText(factor);
      if (whole && time && whole.manners.includes("time")) {
        chosen.push({ index: whole.index, manner: "time", factor: time });
      }
      continue;
    }
    if (whole && whole.manners[0] !== "time") {
      chosen.push({ index: whole.index, manner: whole.manners[0]! });
      continue;
    }
    const [, name, inner] = /^([a-z-]+)\((.*)\)$/s.exec(selector) ?? [];
    const inside = inner === undefined ? undefined : byText.get(inner);
    const manner = inside?.manners.find((one): one is Manner => one === name);
    if (inside && manner) chosen.push({ index: inside.index, manner });
  }
  return { chosen, unknown: written.length - chosen.length };
}

/** The changes with one more, or with another factor of one; without one for 1x and null. */
export function withChange(
  written: readonly WrittenChange[],
  selector: string,
  factor: Factor | null | undefined,
): WrittenChange[] {
  const others = written.filter((one) => one.selector !== selector);
  if (factor === undefined || (factor && factor.numerator === factor.denominator)) return others;
  const made = { selector, factor: factor === null ? null : factorAsText(factor) };
  const place = written.findIndex((one) => one.selector === selector);
  // A slider that moves keeps its place, because the later one of two changes of one kernel counts.
  return place < 0 ? [...others, made] : written.map((one, i) => i === place ? made : one);
}
