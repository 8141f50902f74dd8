/** Sets of changes that are tried at once: advice, and the scenarios of the command. */

import type { Advice } from "../../contract/report.ts";
import type { RunData } from "../../data/tables.ts";
import { limitOf, type PredictedTimes, type Replay } from "../../model/replay.ts";
import { changesOfOption, chosenChanges, likelySaving, type WrittenChange } from "../../model/what_if.ts";
import type { Signal } from "../../state/signals.ts";
import { button, capitalised, type Child, h, prose } from "../../view/elements.ts";
import { formatTime, timeText } from "../../view/number.ts";

const isOn = (now: readonly WrittenChange[], changes: readonly WrittenChange[]) =>
  changes.every((one) => now.some((other) => other.selector === one.selector && other.factor === one.factor));

/** Adds the changes to those that are chosen, or takes them away. */
function tryButton(name: string, changes: readonly WrittenChange[], whatIf: Signal<readonly WrittenChange[]>): Child {
  return button(() => isOn(whatIf.value, changes) ? "Undo" : "Try", () => {
    const now = whatIf.peek();
    const others = now.filter((one) => !changes.some((other) => other.selector === one.selector));
    whatIf.value = isOn(now, changes) ? others : [...others, ...changes];
  }, { "aria-label": `Try: ${name}` });
}

/** The time of an iteration, as advice has it: the longer one of wall and window. */
export const iterationOf = (times: PredictedTimes): number => Math.max(limitOf(times), times.window ?? 0);

/** How many times as large the batch is with the changes; 1 without a change of it. */
export function batchOf(changes: readonly { readonly selector: string }[]): number {
  for (const { selector } of changes) {
    const [, size] = /^batch\((\d+(?:\.\d+)?)x\)$/.exec(selector) ?? [];
    if (Number(size) > 0) return Number(size);
  }
  return 1;
}

/** What a set of changes saves of the time of an iteration by itself, with a larger batch for as many items as now; null where it cannot be predicted. */
export function predictedSaving(replay: Replay, changes: readonly WrittenChange[]): number | null {
  const { chosen, unknown } = chosenChanges(changes, replay.offered);
  if (unknown > 0) return null;
  const result = replay.predict(chosen);
  return "times" in result ? iterationOf(replay.base) - iterationOf(result.times) / batchOf(changes) : null;
}

/** Whether a click saves what advice says, as far as it is shown. */
export const isAsAdvised = ({ saves_ns: { likely } }: Pick<Advice, "saves_ns">, predicted: number): boolean =>
  Math.abs(predicted - likely) <= 1 || timeText(predicted) === timeText(likely);

/** How sure it is, where more or less than what is likely may be saved. */
function certaintyOf({ saves_ns: { certain, likely, at_most } }: Advice): Child[] {
  if (certain === likely && at_most === likely) return [];
  if (certain <= 0) return ["None of it is certain; at most it is ", formatTime(at_most), ". "];
  return ["Certain are ", formatTime(certain), ", at most ", formatTime(at_most), ". "];
}

const assumptionOf = ({ assumes }: Advice): Child => assumes ? `It assumes that ${assumes}.` : null;

/** What to do first, each with what it saves. */
export function adviceList(run: RunData, replay: Replay, whatIf: Signal<readonly WrittenChange[]>): Child {
  const advice = (run.report.advice ?? []).filter((one) => one.kind === "change");
  if (advice.length === 0) return null;
  const row = (one: Advice) => {
    const ns = likelySaving(one);
    const changes = one.selector === null ? null : changesOfOption(one.selector, replay.offered);
    const predicted = changes && predictedSaving(replay, changes);
    return h(
      "li",
      null,
      changes ? tryButton(one.change, changes, whatIf) : h("span", null),
      h(
        "span",
        null,
        prose(capitalised(one.change)),
        h("span", { class: "soft" }, ": ", prose(one.why), ". ", ...certaintyOf(one), assumptionOf(one)),
        predicted === null || isAsAdvised(one, predicted) ? null : h(
          "span",
          { class: "soft" },
          " Try ",
          predicted < 0 ? ["makes it ", formatTime(-predicted), " slower"] : ["saves ", formatTime(predicted)],
          batchOf(changes!) === 1
            ? ": it gives all kernels of the change one speed-up, and the advice gives each kernel or pause its own."
            : " for as many items as now: it counts what of the window is outside of wall once for the batch, and the advice counts it for each item.",
        ),
        changes ? null : h("span", { class: "soft" }, " No option says this, and so the page cannot try it."),
      ),
      ns === null
        ? h("span", { class: "soft" }, "helps only after those before it")
        : h("span", { class: "saving" }, "−", formatTime(ns)),
    );
  };
  const base = run.report.advice_limit?.base_ns ?? null;
  return [
    h("h2", null, "What to do first"),
    h(
      "p",
      { class: "soft" },
      "What each likely saves by itself of the time of an iteration, the longer one of wall and window",
      base === null ? "." : [": ", formatTime(base), "."],
    ),
    h("ol", { class: "tries" }, advice.map(row)),
  ];
}

/** The scenarios that the command was asked for, with what it predicted. */
export function scenarioList(run: RunData, replay: Replay, whatIf: Signal<readonly WrittenChange[]>): Child {
  const scenarios = run.report.what_if ?? [];
  if (scenarios.length === 0) return null;
  return [
    h("h2", null, "Asked for with -what-if"),
    h(
      "ol",
      { class: "tries" },
      scenarios.map((one) => {
        const changes = changesOfOption(one.name, replay.offered);
        const ns = one.wall_ns ?? one.busy_ns;
        return h(
          "li",
          null,
          changes ? tryButton(one.name, changes, whatIf) : h("span", null),
          h("span", { class: "mono" }, one.name),
          h("span", { class: "saving" }, "→ ", formatTime(ns)),
        );
      }),
    ),
  ];
}
