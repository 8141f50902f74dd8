import type { Advice } from "../contract/report.ts";
import { equal } from "../data/testing.ts";
import type { OfferedChange } from "./replay.ts";
import {
  changesOfOption,
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

Deno.test("values of -what-if= become changes, whatever the spelling, and only those that the document offers", () => {
  const more = [
    ...offered,
    { index: 2, subject: "wait", text: "wait:a;b", manners: ["time"], kernels: [] },
    { index: 3, subject: "kernels", text: "kernel:3", manners: ["time", "remove", "cuda-graph", "move"], kernels: [3] },
    { index: 4, subject: "fused", text: "fuse(rule:a, rule:b)", manners: ["fuse"], kernels: [] },
  ] as OfferedChange[];
  const read = (text: string) => {
    const changes = changesOfOption(text, more);
    return changes && changes.map((one) => one.factor === null ? one.selector : `${one.selector}=${one.factor}`);
  };
  equal(read("linear=1.07x;wait:a;b=0;cuda-graph"), ["rule:linear=100/107", "wait:a;b=0", "cuda-graph"]);
  equal(read("<idle-constant>kernel:3=1.5us"), ["<idle-constant>", "kernel:3=1500ns"]);
  equal(read("move(kernel:3, stream=7);remove(Linear);fuse(rule:a, rule:b)"), [
    "move(kernel:3, stream=7)",
    "remove(rule:linear)",
    "fuse(rule:a, rule:b)",
  ]);
  for (const text of ["gone=2x", "linear", "host=1ms", "move(gone)"]) equal(read(text), null);
  const { chosen, keepsIdle } = chosenChanges(changesOfOption("<idle-constant>kernel:3=1.5us", more)!, more);
  equal([chosen, keepsIdle], [[{ index: 3, manner: "time", ns: 1500 }], true]);
  equal(chosenChanges([{ selector: "move(kernel:3, stream=7)", factor: null }], more).chosen, [
    { index: 3, manner: "move", stream: 7 },
  ]);
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
