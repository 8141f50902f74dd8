/** The goal: with which speed-ups an iteration takes a time. */

import type { Advice } from "../../contract/report.ts";
import type { RunData } from "../../data/tables.ts";
import { type Goal, type GoalSolution, limitOf, parseSpeedUp, parseTime, type Replay } from "../../model/replay.ts";
import { changesOfOption, chosenChanges, type WrittenChange } from "../../model/what_if.ts";
import { onCleanup, type Signal, signal } from "../../state/signals.ts";
import { status } from "../../view/controls.ts";
import { button, capitalised, type Child, h, prose } from "../../view/elements.ts";
import { formatTime, timeText } from "../../view/number.ts";
import { batchOf } from "./scenarios.ts";

/** A speed-up in thousandths as new time / old time. */
export const factorOfThousandths = (thousandths: number) =>
  thousandths > 1_000_000
    ? { numerator: 0n, denominator: 1n }
    : parseSpeedUp(`${Math.trunc(thousandths / 1000)}.${String(thousandths % 1000).padStart(3, "0")}`)!;

/** A box for a time or a speed-up, and the smallest speed-ups that reach it, each of which can be tried. */
export function goalPart(run: RunData, replay: Replay, whatIf: Signal<readonly WrittenChange[]>): HTMLElement {
  const said = signal<Child>(null);
  let search = { isStopped: true };
  onCleanup(() => search.isStopped = true);
  const box = h("input", {
    type: "text",
    class: "goal",
    "aria-label": "Goal",
    placeholder: "8ms or 1.5x",
    autocomplete: "off",
    spellcheck: "false",
  });
  const find = async () => {
    const ns = parseTime(box.value), speedUp = ns === null ? parseSpeedUp(box.value) : null;
    const isGoal = ns !== null || (speedUp !== null && speedUp.numerator > 0n);
    box.setAttribute("aria-invalid", String(!isGoal));
    search.isStopped = true;
    if (!isGoal) return said.value = "A goal is a time such as 8ms, or a speed-up such as 1.5x.";
    const own = search = { isStopped: false };
    said.value = "searching …";
    const goal = await replay.goal(ns !== null ? { ns } : { speedUp: speedUp! }, own);
    if (goal && !own.isStopped) said.value = answer(run, replay, goal, whatIf);
  };
  return h(
    "form",
    {
      class: "goal-part",
      onsubmit: (event: Event) => {
        event.preventDefault();
        void find();
      },
    },
    h("h2", null, "What does it take to reach a time?"),
    h("div", { class: "goal-row" }, box, button("Find", () => void find())),
    status("Goal", () => said.value),
  );
}

function answer(run: RunData, replay: Replay, goal: Goal, whatIf: Signal<readonly WrittenChange[]>): Child {
  const target = h("p", { class: "soft" }, "Goal: ", formatTime(goal.target), ", from the unchanged run. ");
  if (goal.isMet) return [target, "The run is as fast already."];
  const floor = h(
    "p",
    { class: "soft" },
    `If ${groupsText(replay)} took no time, `,
    formatTime(limitOf(goal.floor)),
    " were left.",
  );
  const row = (changes: readonly WrittenChange[], name: string, shown: Child, ns: number) =>
    h(
      "li",
      null,
      button("Try", () => whatIf.value = changes, { "aria-label": `Try: ${name}` }),
      shown,
      h("span", { class: "saving" }, timeText(ns)),
    );
  const advised = adviceThatReaches(run, replay, goal.target).map(({ advice, changes, ns }) =>
    row(changes, advice.change, h("span", null, prose(capitalised(advice.change))), ns)
  );
  const known = advised.length > 0
    ? [h("p", { class: "soft" }, "Advice that reaches it by itself:"), h("ol", { class: "tries" }, advised)]
    : null;
  if (!goal.isReachable) {
    return [target, known ?? "Out of reach.", known ? "Speed-ups alone do not reach it." : null, floor];
  }
  const cut = goal.isCut
    ? h(
      "p",
      { class: "soft" },
      `The search ended after ${goal.predictions} predictions${
        goal.isCutToSingles ? ", and only single changes were tried" : ""
      }.`,
    )
    : null;
  if (goal.solutions.length === 0) return [target, known, "No speed-ups were found that reach it.", floor, cut];
  const solutions = goal.solutions.map((one) => {
    const text = textOf(replay, one);
    return row(writtenOf(replay, one), text, h("span", { class: "mono" }, text), limitOf(one.times));
  });
  return [
    target,
    known,
    known && h("p", { class: "soft" }, "Speed-ups that reach it:"),
    h("ol", { class: "tries" }, solutions),
    floor,
    cut,
  ];
}

/** What a search for a goal makes faster. */
function groupsText({ offered, groups }: Replay): string {
  const subjects = new Set(groups.map((group) => offered[group]!.subject));
  return [
    "all kernels that have a name here",
    ...(subjects.has("launches") ? ["launches"] : []),
    ...(subjects.has("host") ? ["the host"] : []),
  ].join(" and ");
}

/** Advice whose changes the page can try, after which the run, of a larger batch as many items as now, is as fast as that. */
export function adviceThatReaches(
  run: RunData,
  replay: Replay,
  targetNs: number,
): { advice: Advice; changes: readonly WrittenChange[]; ns: number }[] {
  return (run.report.advice ?? []).flatMap((advice) => {
    if (advice.kind !== "change" || advice.selector === null) return [];
    const changes = changesOfOption(advice.selector, replay.offered);
    const result = changes && replay.predict(chosenChanges(changes, replay.offered).chosen);
    if (!result || !("times" in result)) return [];
    const ns = limitOf(result.times) / batchOf(changes);
    return ns <= targetNs ? [{ advice, changes, ns }] : [];
  });
}

/** A solution as the state keeps it. */
export function writtenOf(replay: Replay, { changes }: GoalSolution): WrittenChange[] {
  return changes.map(({ group, thousandths }) => {
    const { numerator, denominator } = factorOfThousandths(thousandths);
    return {
      selector: replay.offered[replay.groups[group]!]!.text,
      factor: denominator === 1n ? `${numerator}` : `${numerator}/${denominator}`,
    };
  });
}

/** A solution as options take it. */
export function textOf(replay: Replay, { changes }: GoalSolution): string {
  return changes.map(({ group, thousandths }) =>
    `${replay.offered[replay.groups[group]!]!.text}=${thousandths > 1_000_000 ? "0" : `${thousandths / 1000}x`}`
  ).join(";");
}
