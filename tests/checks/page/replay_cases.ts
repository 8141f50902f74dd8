/**
 * Predicts combinations of changes by the replay of a page, for the check `page/replay`: `deno run replay_cases.ts PAGE
 * COUNT SEED`. Writes JSON: each case with the value of `-what-if=` that asks the command for the same.
 */

import { loadPage } from "../../../report/page/data/page.ts";
import {
  CAUTION_TEXTS,
  type ChosenChange,
  newTimeText,
  type OfferedChange,
  parseSpeedUp,
  type PredictedTimes,
  Replay,
} from "../../../report/page/model/replay.ts";
import { changesOfOption } from "../../../report/page/model/what_if.ts";
import { textOf } from "../../../report/page/views/what_if/goal.ts";
import { isAsAdvised, predictedSaving } from "../../../report/page/views/what_if/scenarios.ts";
import { effectsOf } from "../../../report/page/views/what_if/tornado.ts";

const [path, count, seed] = Deno.args;
const html = await Deno.readTextFile(path!);
const elements = new Map<string, string>();
for (const [, id, text] of html.matchAll(/<script type="application\/[a-z-]+" id="([^"]*)">([^<]*)<\/script>/g)) {
  elements.set(id!, text!);
}
const page = await loadPage((id) => elements.get(id) ?? null);
const started = performance.now();
const module = await WebAssembly.compile((await page.embedded?.("replay"))!);
const compiled = performance.now();

/** Numbers from 0 on below `limit`, the same for the same seed (xorshift, G. Marsaglia 2003). */
let state = (Number(seed) * 2654435761 + 1) >>> 0 || 1;
function below(limit: number): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % limit;
}

function pick<T>(items: readonly T[]): T {
  return items[below(items.length)]!;
}

/** One to five changes of different things; of most kinds a few. */
function combination({ offered, streams }: Replay): ChosenChange[] {
  const subjects = [...new Set(offered.map((one) => one.subject))];
  const chosen = new Map<string, ChosenChange>();
  for (let i = 1 + below(5); i > 0; i--) {
    const subject = pick(subjects);
    const change = pick(offered.filter((one) => one.subject === subject));
    const manner = pick(change.manners);
    const factor = { numerator: BigInt(below(4) + (subject === "kernels" ? 0 : 1)), denominator: BigInt(1 + below(4)) };
    // The command takes each change once, and the page one batch.
    const key = subject === "batch" ? subject : `${manner} ${change.text}`;
    if (chosen.has(key)) continue;
    const made: ChosenChange = { index: change.index, manner };
    if (manner === "time" && subject === "kernels" && below(4) === 0) made.ns = below(100_000);
    else if (manner === "time") made.factor = subject === "wait" ? { numerator: 0n, denominator: 1n } : factor;
    if (manner === "move" && streams.length > 0 && below(2) === 0) made.stream = pick(streams);
    chosen.set(key, made);
  }
  return [...chosen.values()];
}

/** A curve as the report has it. */
function curveOf(replay: Replay, index: number, curve: NonNullable<Awaited<ReturnType<Replay["curve"]>>>) {
  const nameOf = (group: number | null) => group === null ? null : replay.offered[replay.groups[group]!]!.text;
  return {
    selector: replay.offered[index]!.text,
    knee: curve.knee && Number(curve.knee.denominator) / Number(curve.knee.numerator),
    next: nameOf(curve.next),
    rest: nameOf(curve.rest),
    flat: curve.flat,
    caution: CAUTION_TEXTS[curve.caution],
    complete: curve.isComplete,
    points: curve.points.map(({ factor, times }: { factor: Parameters<typeof newTimeText>[0]; times: PredictedTimes }) => [
      factor.denominator === 1n ? `${factor.numerator}` : `${factor.numerator}/${factor.denominator}`,
      times.busy,
      times.wall,
      times.window,
    ]),
  };
}

const runs = [];
for (const run of page.runs) {
  const before = performance.now();
  const replay = await Replay.load(module, run);
  const loaded = performance.now();
  if (!replay) {
    runs.push({ label: run.label, cases: [] });
    continue;
  }
  const cases = [];
  for (let i = 0; i < Number(count); i++) {
    const changes = combination(replay);
    const keepsIdle = below(6) === 0 && replay.base.model === "replay";
    const predicted = replay.predict(changes, keepsIdle);
    const shown = "times" in predicted
      ? { times: { ...predicted.times, caution: CAUTION_TEXTS[predicted.times.caution] } }
      : predicted;
    cases.push({ option: replay.option(changes, keepsIdle), keepsIdle, ...shown });
  }
  const predicted = performance.now();
  // What options say is what the page chooses for them.
  const read = cases.map(({ option }) => ({ option, read: changesOfOption(option, replay.offered) !== null }));
  const searching = performance.now();
  const curves = [];
  const groups = replay.groups.filter((_, i) => i < 3 || i + 2 >= replay.groups.length);
  for (const index of groups) {
    const curve = await replay.curve(index, [], { isStopped: false });
    if (curve) curves.push(curveOf(replay, index, curve));
  }
  const speedUp = "1.2x";
  const goal = await replay.goal({ speedUp: parseSpeedUp(speedUp)! }, { isStopped: false });
  const effects = await replay.effects({ isStopped: false });
  const advice = (run.report.advice ?? []).filter((one) => one.kind === "change" && one.selector !== null).map((one) => {
    const changes = changesOfOption(one.selector!, replay.offered);
    const saves = changes && predictedSaving(replay, changes);
    return { selector: one.selector, likely: one.saves_ns.likely, saves, isAsAdvised: saves === null || isAsAdvised(one, saves) };
  });
  runs.push({
    label: run.label,
    unread: read.filter((one) => !one.read).map((one) => one.option),
    curves,
    goal: goal && { ...goal, speedUp, solutions: goal.solutions.map((one) => [textOf(replay, one), one.times.busy, one.times.wall]) },
    effects: effects && effectsOf(replay, replay.base, effects),
    advice,
    search_ms: performance.now() - searching,
    base: replay.base,
    offered: replay.offered.length,
    events: run.report.trace?.device_events ?? null,
    load_ms: loaded - before,
    predict_ms: (predicted - loaded) / Math.max(1, Number(count)),
    cases,
  });
}
console.log(JSON.stringify({ compile_ms: compiled - started, runs }));
