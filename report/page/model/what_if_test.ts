import type { Advice } from "../contract/report.ts";
import { equal } from "../data/testing.ts";
import type { OfferedChange } from "./replay.ts";
import {
  chosenChanges,
  factorAsText,
  factorFromText,
  likelySaving,
  positionOf,
  SPEED_UPS,
  speedUpText,
  withChange,
} from "./what_if.ts";

const offered = [
  { index: 0, subject: "kernels", text: "rule:linear", manners: ["time", "remove"], kernels: [1] },
  { index: 1, subject: "all-launches", text: "cuda-graph", manners: ["cuda-graph"], kernels: [] },
] as OfferedChange[];

Deno.test("a slider has exact steps of 0.1x to 4x, then 0.5x, and no time last", () => {
  equal(SPEED_UPS.slice(0, 3).map(speedUpText), ["1x", "1.1x", "1.2x"]);
  equal(SPEED_UPS.slice(29, 33).map(speedUpText), ["3.9x", "4x", "4.5x", "5x"]);
  equal(speedUpText(SPEED_UPS.at(-1)!), "∞");
  equal(SPEED_UPS.every((one, i) => positionOf(factorFromText(factorAsText(one))!) === i), true);
});

Deno.test("a factor is a fraction or a decimal, and exact", () => {
  equal(["0.5", "1.25", "3/7", "2"].map((text) => factorAsText(factorFromText(text)!)), ["1/2", "5/4", "3/7", "2"]);
  equal(["", "1/0", "-1", "0.", "1e3"].map(factorFromText), [null, null, null, null, null]);
});

Deno.test("changes of the state are found among those that are offered, others are counted", () => {
  const written = [
    { selector: "rule:linear", factor: "1/2" },
    { selector: "cuda-graph", factor: null },
    { selector: "remove(rule:linear)", factor: null },
    { selector: "rule:gone", factor: "1/2" },
  ];
  const { chosen, unknown } = chosenChanges(written, offered);
  equal([chosen.map((one) => [one.index, one.manner, one.factor ? factorAsText(one.factor) : null]), unknown], [[
    [0, "time", "1/2"],
    [1, "cuda-graph", null],
    [0, "remove", null],
  ], 1]);
});

Deno.test("a change of 1x is none, and one that moves keeps its place", () => {
  const two = withChange(withChange([], "a", factorFromText("1/2")!), "b", null);
  equal(withChange(two, "a", factorFromText("1/3")!).map((one) => `${one.selector}=${one.factor}`), [
    "a=1/3",
    "b=null",
  ]);
  equal(withChange(two, "a", factorFromText("1")!), [{ selector: "b", factor: null }]);
});

Deno.test("advice saves of the time of an iteration, which may be more or less than what it saves of wall time", () => {
  const advice = (ns: number, wall: number) =>
    ({ saves_ns: { likely: ns }, saves_wall_ns: { likely: wall } }) as unknown as Advice;
  equal([advice(5, 9), advice(5, 0), advice(0, 9), advice(-3, 9)].map(likelySaving), [5, 5, null, null]);
});
