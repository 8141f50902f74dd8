import { equal } from "../data/testing.ts";
import { PackedIntegers } from "../data/packed_integers.ts";
import { endOf, eventAt, firstEndingAfter, firstStartingAt, Row, type Spans, stackLanes } from "./lanes.ts";
import { holds, randomNumbers, spansOf } from "./test_data.ts";
import { rangeColumns, sumsOf } from "./range_sums.ts";

function eventsOf(row: Row): number[] {
  return Array.from({ length: row.length }, (_, position) => row.event(position));
}

function rowsOf(spans: Spans, lanes = [0]): number[][][] {
  const laneOf = Uint16Array.from(spans.start.toArray(), (_, event) => lanes[event % lanes.length] ?? 0);
  return stackLanes(spans, laneOf, Math.max(...lanes) + 1, () => 0).map((rows) => rows.map(eventsOf));
}

Deno.test("A nested event is a row below", () => {
  equal(rowsOf(spansOf([0, 100], [10, 20], [12, 5], [40, 10], [200, 1])), [[[0, 4], [1, 3], [2]]]);
});

Deno.test("Of events with one start the longest is outside", () => {
  equal(rowsOf(spansOf([5, 1], [5, 10], [5, 10])), [[[1], [2], [0]]]);
});

Deno.test("Events that overlap without being nested are in different rows", () => {
  equal(rowsOf(spansOf([0, 10], [5, 10], [12, 10], [30, 1])), [[[0, 3], [1], [2]]]);
});

Deno.test("Each lane has rows of its own, also one without events", () => {
  equal(rowsOf(spansOf([0, 10], [1, 2], [2, 10], [3, 4]), [0, 2]), [[[0], [2]], [], [[1, 3]]]);
});

Deno.test("An event of zero or negative duration ends where it starts", () => {
  const spans = spansOf([5, 0], [5, -7], [6, 1]);
  equal(endOf(spans, 1), 5);
  equal(rowsOf(spans), [[[0, 1, 2]]]);
});

Deno.test("Searches agree with a scan", () => {
  const random = randomNumbers(1);
  for (const count of [0, 1, 2, 7, 8, 9, 63, 64, 65, 600, 5000]) {
    let at = 0;
    const spans = spansOf(...Array.from({ length: count }, (): [number, number] => {
      const start = at + random(5);
      const duration = random(6) === 0 ? -random(9) : random(1000);
      at = start + Math.max(0, duration);
      return [start, duration];
    }));
    const row = new Row(spans, null, (event) => event % 251);
    const all = eventsOf(row);
    const orCount = (position: number): number => (position < 0 ? count : position);
    for (let i = 0; i < 50; ++i) {
      const ns = random(Math.min(2000, at + 5)) + random(2) * random(at + 5);
      equal(firstEndingAfter(row, ns), orCount(all.findIndex((event) => endOf(spans, event) > ns)));
      equal(firstStartingAt(row, ns), orCount(all.findIndex((event) => spans.start.at(event) >= ns)));
      const from = random(count + 1);
      if (from === count || spans.start.at(from) >= ns) continue;
      const shortNs = 500 + random(800);
      const found = all.findIndex((event, position) =>
        position >= from && (spans.start.at(event) >= ns || spans.duration[event]! >= shortNs)
      );
      const to = orCount(found);
      const gathered = { base: -1, busyNs: -1, nextStart: spans.start.at(from) };
      equal(row.groups.gather(from, ns, random(3 * count), 0, shortNs, gathered), to);
      equal(gathered.nextStart, to === count ? Infinity : spans.start.at(to));
      equal(
        gathered.busyNs,
        Array.from(spans.duration.subarray(from, to)).reduce((sum, ns) => sum + Math.max(0, ns), 0),
      );
      const longest = Math.max(...spans.duration.subarray(from, to));
      holds(
        to === from ||
          all.some((event, at) =>
            at >= from && at < to && event % 251 === gathered.base && spans.duration[event] === longest
          ),
      );
      equal(row.positionOf(from), from);
    }
  }
});

Deno.test("The event at a moment is the one that takes place, or a near one", () => {
  const row = new Row(spansOf([0, 10], [20, 0], [30, 5]), null, () => 0);
  equal(eventAt(row, 9, 0), 0);
  equal(eventAt(row, 15, 2), -1);
  equal(eventAt(row, 19, 2), 1);
  equal(eventAt(row, 29, 2), 2);
});

Deno.test("Sums over a range agree with a sum over each nanosecond", () => {
  const random = randomNumbers(2);
  const events = Array.from({ length: 60 }, (): [number, number] => [random(300), random(25) - 2]).sort((a, b) =>
    a[0] - b[0]
  );
  const spans = spansOf(...events);
  // Iterations overlap, and so do their pieces of idle time, also with events.
  const idle = { ...spansOf([3, 4], [7, 60], [20, 9], [30, 50], [290, 30]), cause: Uint8Array.of(0, 1, 0, 2, 2) };
  const backwards = {
    start: PackedIntegers.of(...idle.start.toArray().reverse()),
    duration: idle.duration.slice().reverse(),
    cause: idle.cause.slice().reverse(),
  };
  const selected = spansOf([0, 70], [20, 180], [280, 40]);
  const columns = rangeColumns({
    events: spans,
    groupOf: (event) => event % 3,
    groups: 3,
    idle: backwards,
    selected,
    causes: 3,
  });
  for (let i = 0; i < 200; ++i) {
    const from = random(320);
    const to = from + 1 + random(60);
    const sums = sumsOf(columns, from, to);
    const byGroup = [0, 0, 0];
    const idleByCause = [0, 0, 0];
    let busy = 0, unknown = 0, other = 0;
    for (let ns = from; ns < to; ++ns) {
      let isBusy = false;
      events.forEach(([start, duration], event) => {
        if (ns < start || ns >= start + duration) return;
        byGroup[event % 3] = (byGroup[event % 3] ?? 0) + 1;
        isBusy = true;
      });
      const within = (pieces: Spans) =>
        pieces.start.toArray().findIndex((start, i) => ns >= start && ns < endOf(pieces, i));
      const cause = idle.cause[within(idle)];
      if (isBusy) ++busy;
      else if (cause !== undefined) idleByCause[cause] = (idleByCause[cause] ?? 0) + 1;
      else if (within(selected) >= 0) ++unknown;
      else ++other;
    }
    const count = events.filter(([start, duration]) =>
      start < to && (start + Math.max(0, duration) > from || (duration <= 0 && start === from))
    ).length;
    equal([...sums.byGroup], byGroup);
    equal([...sums.idleByCause], idleByCause);
    equal(sums.busyNs, busy);
    equal(sums.events, count);
    equal(sums.unknownNs, unknown);
    equal(sums.otherNs, other);
  }
});
