/**
 * Predicts combinations of changes by the replay of a page, for the check `page/replay`: `deno run replay_cases.ts PAGE
 * COUNT SEED`. Writes JSON: each case with the value of `-what-if=` that asks the command for the same.
 */

import { loadPage } from "../../../report/page/data/page.ts";
import { CAUTION_TEXTS, type ChosenChange, type OfferedChange, Replay } from "../../../report/page/model/replay.ts";

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
function combination(offered: readonly OfferedChange[]): ChosenChange[] {
  const subjects = [...new Set(offered.map((one) => one.subject))];
  const chosen = new Map<string, ChosenChange>();
  for (let i = 1 + below(5); i > 0; i--) {
    const subject = pick(subjects);
    const change = pick(offered.filter((one) => one.subject === subject));
    const manner = pick(change.manners);
    const factor = { numerator: BigInt(below(4) + (subject === "kernels" ? 0 : 1)), denominator: BigInt(1 + below(4)) };
    // The command takes each change once.
    const key = `${manner} ${change.text}`;
    if (!chosen.has(key)) {
      chosen.set(key, manner === "time" ? { index: change.index, manner, factor } : { index: change.index, manner });
    }
  }
  return [...chosen.values()];
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
    const changes = combination(replay.offered);
    const predicted = replay.predict(changes);
    const shown = "times" in predicted
      ? { times: { ...predicted.times, caution: CAUTION_TEXTS[predicted.times.caution] } }
      : predicted;
    cases.push({ option: replay.option(changes), ...shown });
  }
  const predicted = performance.now();
  runs.push({
    label: run.label,
    base: replay.base,
    offered: replay.offered.length,
    events: run.report.trace?.device_events ?? null,
    load_ms: loaded - before,
    predict_ms: (predicted - loaded) / Math.max(1, Number(count)),
    cases,
  });
}
console.log(JSON.stringify({ compile_ms: compiled - started, runs }));
