import { equal } from "../data/testing.ts";
import { Row } from "../model/lanes.ts";
import { holds, randomNumbers, spansOf } from "../model/test_data.ts";
import { visitBars } from "./level_of_detail.ts";

type Bar = [left: number, right: number, position: number, base: number, count: number, coverage: number];

function rowOf(...events: [start: number, duration: number][]): Row {
  return new Row(spansOf(...events), null, (event) => 10 + event);
}

function barsOf(row: Row, from: number, to: number, scale: number): Bar[] {
  const bars: Bar[] = [];
  visitBars(row, { from, to, scale, origin: 0 }, (...bar) => bars.push(bar));
  return bars;
}

Deno.test("Wide events are bars of their own, with all their width", () => {
  equal(barsOf(rowOf([0, 10], [10, 5], [30, 10]), 5, 40, 2), [
    [-10, 10, 0, 10, 1, 1],
    [10, 20, 1, 11, 1, 1],
    [50, 70, 2, 12, 1, 1],
  ]);
});

Deno.test("Events in one pixel are one bar, of the longest of them and the time of all", () => {
  equal(barsOf(rowOf([0, 1], [2, 3], [6, 1]), 0, 100, 0.1), [[0, 1, 0, 11, 3, 0.5]]);
});

Deno.test("A narrow event and an event without a length are a pixel wide", () => {
  equal(barsOf(rowOf([10, 0], [35, 1]), 10, 100, 0.1), [[0, 1, 0, 10, 1, 1], [2.5, 3.5, 1, 11, 1, 1]]);
});

Deno.test("A wide event keeps its bar beside narrow ones in its first pixel", () => {
  equal(barsOf(rowOf([0, 1], [2, 1], [4, 50]), 0, 100, 0.1).map(([, , position, , count]) => [position, count]), [[
    0,
    2,
  ], [2, 1]]);
});

Deno.test("No row has more bars than pixels and wide events, and every event is in one", () => {
  const random = randomNumbers(3);
  let at = 0;
  const row = rowOf(...Array.from({ length: 20000 }, (): [number, number] => {
    const start = at + random(40);
    const duration = random(30) === 0 ? random(90000) : random(40);
    at = start + duration;
    return [start, duration];
  }));
  for (const pixels of [1, 10, 1000, 5000]) {
    const bars = barsOf(row, 0, at + 1, pixels / (at + 1));
    holds(bars.length <= 2 * pixels + 2);
    equal(bars.reduce((sum, [, , , , count]) => sum + count, 0), 20000);
  }
});
