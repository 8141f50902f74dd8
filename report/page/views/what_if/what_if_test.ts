import type { RunData } from "../../data/tables.ts";
import { equal } from "../../data/testing.ts";
import type { PredictedTimes, Replay } from "../../model/replay.ts";
import { factorAsText } from "../../model/what_if.ts";
import { adviceThatReaches, factorOfThousandths, textOf, writtenOf } from "./goal.ts";
import { batchOf, isAsAdvised } from "./scenarios.ts";
import { effectsOf } from "./tornado.ts";

const replay = {
  offered: [{ text: "rule:a", subject: "kernels" }, { text: "rule:b", subject: "kernels" }, {
    text: "host",
    subject: "host",
  }],
  groups: [1, 0, 2],
} as unknown as Replay;

const times = (wall: number) => ({ wall, busy: 1 }) as PredictedTimes;

Deno.test("a solution of a goal is exact, and told as options take it", () => {
  const solution = {
    times: times(1),
    changes: [{ group: 0, thousandths: 1298 }, { group: 2, thousandths: 1_000_001 }],
  };
  equal(textOf(replay, solution), "rule:b=1.298x;host=0");
  equal(writtenOf(replay, solution).map((one) => `${one.selector}=${one.factor}`), ["rule:b=500/649", "host=0"]);
  equal(factorAsText(factorOfThousandths(2000)), "1/2");
});

Deno.test("a tornado has what saves most first, and names what saves nothing", () => {
  const { shown, useless } = effectsOf(replay, times(1000), [
    { twice: times(900), free: times(800) },
    { twice: times(1000), free: times(1000) },
    { twice: times(700), free: times(100) },
  ]);
  equal(shown.map((one) => [one.text, one.twice, one.free]), [["host", 700, 100], ["rule:b", 900, 800]]);
  equal(useless, ["rule:a"]);
});

Deno.test("a click saves what advice says where the shown times are the same", () => {
  const advice = (likely: number) => ({ saves_ns: { likely } }) as never;
  equal([7, 8, 3].map((predicted) => isAsAdvised(advice(7), predicted)), [true, true, false]);
  equal([1_000_400, 1_001_000].map((predicted) => isAsAdvised(advice(1_000_000), predicted)), [true, false]);
});

Deno.test("a larger batch is told by its change", () => {
  equal(["host", "batch(4x)", "batch(1.5x)"].map((selector) => batchOf([{ selector }])), [1, 4, 1.5]);
});

Deno.test("a goal is reached by advice that the page can try, with a larger batch by the time of as many items", () => {
  const change = (text: string, index: number) => ({ text, index, subject: "batch", manners: ["batch"], kernels: [] });
  const predicting = {
    offered: [change("batch(2x)", 0), change("cuda-graph", 1)],
    predict: ([one]: { index: number }[]) => ({ times: times(one!.index === 0 ? 1000 : 700) }),
  } as unknown as Replay;
  const advice = ["batch(2x)", "cuda-graph", "remove(a)", null].map((selector) => ({ kind: "change", selector }));
  const run = { report: { advice } } as unknown as RunData;
  const reached = (target: number) => adviceThatReaches(run, predicting, target).map((one) => one.advice.selector);
  equal([500, 700, 499].map(reached), [["batch(2x)"], ["batch(2x)", "cuda-graph"], []]);
});
