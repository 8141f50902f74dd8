import { equal } from "../../data/testing.ts";
import type { PredictedTimes, Replay } from "../../model/replay.ts";
import { factorAsText } from "../../model/what_if.ts";
import { factorOfThousandths, textOf, writtenOf } from "./goal.ts";
import { differenceOf } from "./scenarios.ts";
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

Deno.test("where a click saves something else than advice says, the page says why", () => {
  const advice = (selector: string, likely: number) => ({ selector, saves_ns: { likely } }) as never;
  equal(differenceOf(advice("cuda-graph", 7), 7), null);
  equal(typeof differenceOf(advice("batch(2x)", 7), 0), "string");
  equal(typeof differenceOf(advice("rule:a=2x", 7), 3), "string");
});
