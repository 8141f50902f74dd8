import { equal } from "../data/testing.ts";
import { Row } from "../model/lanes.ts";
import { RowGroups } from "../model/row_groups.ts";
import { holds, randomNumbers, spansOf } from "../model/test_data.ts";
import { visitBars } from "./level_of_detail.ts";

type Bar = [left: number, right: number, position: number, base: number, count: number, coverage: number];

function rowOf(...events: [start: number, duration: number][]): Row {
  return new Row(spansOf(...events), null, (event) => 10 + event);
}

function barsOf(row: Row, from: number, to: number, scale: number, origin = 0): Bar[] {
  const bars: Bar[] = [];
  visitBars(row, { from, to, scale, origin }, (...bar) => bars.push(bar));
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

Deno.test("A window may begin right of the first pixel", () => {
  const row = rowOf([10, 0], [20, 30], [60, 1], [62, 1]);
  const moved = barsOf(row, 10, 100, 0.1).map(([left, right, ...others]) => [left + 2.5, right + 2.5, ...others]);
  equal(barsOf(row, 10, 100, 0.1, 2.5), moved);
});

Deno.test("Events that touch have bars that touch", () => {
  const [first, second] = barsOf(rowOf([1618, 4], [1622, 3]), 940, 1820, 300 / 880);
  equal(first?.[1], second?.[0]);
});

Deno.test("No row has more bars than pixels and wide events, and every event is in one, half a pixel early at most", () => {
  const random = randomNumbers(3);
  let at = 0;
  const row = rowOf(...Array.from({ length: 20000 }, (): [number, number] => {
    const start = at + random(40);
    const duration = random(30) === 0 ? random(90000) : random(40);
    at = start + duration;
    return [start, duration];
  }));
  for (const pixels of [1, 10, 1000, 5000]) {
    const scale = pixels / (at + 1);
    const bars = barsOf(row, 0, at + 1, scale);
    holds(bars.length <= 2 * pixels + 2);
    equal(bars.reduce((sum, [, , , , count]) => sum + count, 0), 20000);
    for (const [, right, position, , count] of bars) {
      holds(row.startAt(position + count - 1) * scale <= right + 0.5 + 1e-6);
    }
  }
});

Deno.test("A row that is equally busy everywhere has one shade, however many events a pixel has", () => {
  for (const perPixel of [3, 9, 12.7, 20, 200, 1000.7]) {
    const row = rowOf(...Array.from({ length: 40_000 }, (_, i): [number, number] => [10 * i, 6]));
    const inside = barsOf(row, 0, 400_000, 1 / (10 * perPixel)).slice(1, -1);
    // A pixel has a part of an event more or less.
    const most = 1 / Math.floor(perPixel);
    holds(inside.every(([, , , , count, coverage]) => count > 1 && Math.abs(coverage - 0.6) <= most), `${perPixel}`);
  }
});

Deno.test("A pixel of many events costs as much as one of few", () => {
  let reads = 0;
  const counted = <T>(value: T): T => {
    ++reads;
    return value;
  };
  const groups = new RowGroups({
    length: 1_000_000,
    startAt: (position) => counted(10 * position),
    nsAt: (position) => counted(position % 7),
    baseAt: () => counted(0),
  }, (length) => new Uint8Array(length));
  reads = 0;
  const found = { base: 0, busyNs: 0, nextStart: 0 };
  for (const guess of [0, 1_000_000]) {
    equal(groups.gather(0, 9_999_990, guess, 0, 100, found), 999_999);
  }
  holds(reads < 200, `${reads} events are read`);
});
