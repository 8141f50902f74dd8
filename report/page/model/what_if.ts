/** What is chosen to be predicted, between the state of the page and the replay. */

import type { Advice } from "../contract/report.ts";
import {
  type ChosenChange,
  type Factor,
  type Manner,
  newTimeText,
  type OfferedChange,
  parseSpeedUp,
  parseTime,
} from "./replay.ts";

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
  return factor.numerator === 0n ? "∞" : newTimeText(factor);
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

/** How the state asks for arithmetic that keeps idle time; options begin with it. */
export const KEEPS_IDLE = "<idle-constant>";

/** What the state has chosen. */
export interface Choice {
  chosen: ChosenChange[];
  unknown: number; // changes that the document does not offer
  keepsIdle: boolean;
}

/** What the replay is to do for changes of the state. Those that the document does not offer are left out and counted. */
export function chosenChanges(written: readonly WrittenChange[], offered: readonly OfferedChange[]): Choice {
  const byText = new Map(offered.map((one) => [one.text, one]));
  const choice: Choice = { chosen: [], unknown: 0, keepsIdle: false };
  for (const one of written) {
    if (one.selector === KEEPS_IDLE) {
      choice.keepsIdle = true;
      continue;
    }
    const found = chosenChange(one, byText);
    if (found) choice.chosen.push(found);
    else choice.unknown++;
  }
  return choice;
}

function chosenChange(
  { selector, factor }: WrittenChange,
  byText: ReadonlyMap<string, OfferedChange>,
): ChosenChange | null {
  const whole = byText.get(selector);
  if (factor !== null) {
    if (!whole?.manners.includes("time")) return null;
    const ns = parseTime(factor);
    if (ns !== null) return whole.subject === "kernels" ? { index: whole.index, manner: "time", ns } : null;
    const time = factorFromText(factor);
    return time && { index: whole.index, manner: "time", factor: time };
  }
  if (whole && whole.subject !== "kernels" && whole.manners[0] !== "time") {
    return { index: whole.index, manner: whole.manners[0]! };
  }
  const [, name, inner, stream] = /^([a-z-]+)\((.*?)(?:, stream=(\d{1,15}))?\)$/s.exec(selector) ?? [];
  const inside = inner === undefined ? undefined : byText.get(inner);
  const manner = inside?.manners.find((one): one is Manner => one !== "time" && one === name);
  if (!inside || !manner || (stream !== undefined && manner !== "move")) return null;
  return stream === undefined
    ? { index: inside.index, manner }
    : { index: inside.index, manner, stream: Number(stream) };
}

/** The changes of a value of `-what-if=`; null if the document does not offer all of them. */
export function changesOfOption(text: string, offered: readonly OfferedChange[]): WrittenChange[] | null {
  const byText = new Map(offered.map((one) => [one.text, one]));
  const spelled = (selector: string) =>
    byText.has(selector)
      ? selector
      : ["rule:", "category:", "op:", "scope:"].map((kind) =>
        offered.find((one) => one.text.toLowerCase() === (kind + selector).toLowerCase())
      ).find((one) => one !== undefined)?.text ?? selector;
  const changes: WrittenChange[] = [];
  let rest = text;
  if (rest.startsWith(KEEPS_IDLE)) {
    changes.push({ selector: KEEPS_IDLE, factor: null });
    rest = rest.slice(KEEPS_IDLE.length);
  }
  let part = "";
  for (const piece of rest.split(";")) {
    part += (part && ";") + piece;
    const [, selector, newTime] = /^(.+)=([^=]+)$/s.exec(part.trim()) ?? [];
    const time = newTime === undefined ? null : parseSpeedUp(newTime), ns = parseTime(newTime ?? "");
    const change = time
      ? { selector: spelled(selector!), factor: factorAsText(time) }
      : ns !== null
      ? { selector: spelled(selector!), factor: `${ns}ns` }
      : { selector: withSpelling(part.trim(), spelled), factor: null };
    // A name may have a semicolon.
    if (!chosenChange(change, byText)) continue;
    changes.push(change);
    part = "";
  }
  return part === "" ? changes : null;
}

/** `remove(linear)` with the selector as the document spells it. */
function withSpelling(text: string, spelled: (selector: string) => string): string {
  const [, name, inner, stream = ""] = /^([a-z-]+)\((.*?)(, stream=\d{1,15})?\)$/s.exec(text) ?? [];
  return inner === undefined || name === "fuse" || name === "batch" ? text : `${name}(${spelled(inner)}${stream})`;
}

/** The changes with one more, or with another factor of one, or a time in ns; without one for 1x and undefined. */
export function withChange(
  written: readonly WrittenChange[],
  selector: string,
  factor: Factor | number | null | undefined,
): WrittenChange[] {
  const others = written.filter((one) => one.selector !== selector);
  const isFactor = typeof factor === "object" && factor !== null;
  if (factor === undefined || (isFactor && factor.numerator === factor.denominator)) return others;
  const made = { selector, factor: isFactor ? factorAsText(factor) : factor === null ? null : `${factor}ns` };
  const place = written.findIndex((one) => one.selector === selector);
  // A slider that moves keeps its place, because the later one of two changes of one kernel counts.
  return place < 0 ? [...others, made] : written.map((one, i) => i === place ? made : one);
}
