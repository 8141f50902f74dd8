import type { Overheads, ReportRun, Statistic } from "../../contract/report.ts";
import type { RunData } from "../../data/tables.ts";
import { Texts } from "../../data/tables.ts";
import { equal } from "../../data/testing.ts";
import { hostRows, idleRows, overheadRows, overheadTotals, queues, thinned } from "./data.ts";

const NAMES = ["step", "matmul", "launch", "frame"];
const OPERATOR = 3, CALL = 4, ANNOTATION = 5, FRAME = 7;

/** Host events `[kind, name, start, duration, parent, iteration]`, and device events `[lane, start, call, iteration]`. */
function runOf(host: number[][], event: number[][]): RunData {
  const bytes = new TextEncoder().encode(NAMES.map((name) => `${name}\0`).join(""));
  let end = -1;
  const ends = NAMES.map((name) => end += name.length + 1);
  const column = (rows: number[][], at: number) => Int32Array.from(rows.map((row) => row[at]!));
  return {
    index: 0,
    label: "run",
    report: { trace: { representative: "two" }, kernels: [] } as unknown as ReportRun,
    meta: {
      lanes: [{ name: "stream 7" }, { name: "stream 7" }, { name: "stream 9" }],
      iterations: [
        { name: "one", start_ns: 0, end_ns: 100, selected: true },
        { name: "two", start_ns: 100, end_ns: 200, selected: true },
      ],
    },
    strings: new Texts(bytes, Uint32Array.from(ends)),
    host: {
      length: host.length,
      kind: column(host, 0),
      name: column(host, 1),
      start: column(host, 2),
      duration: column(host, 3),
    },
    hostFacts: { length: host.length, parent: column(host, 4), iteration: column(host, 5) },
    event: { length: event.length, lane: column(event, 0), start: column(event, 1) },
    eventFacts: { length: event.length, call: column(event, 2), iteration: column(event, 3) },
  } as unknown as RunData;
}

Deno.test("the self time of a host event is without what is inside of it, its total once for each name", () => {
  const run = runOf([
    [ANNOTATION, 0, 100, 90, -1, 1],
    [FRAME, 3, 101, 80, -1, 1],
    [OPERATOR, 1, 110, 50, 1, 1],
    [OPERATOR, 1, 120, 20, 2, 1],
    [CALL, 2, 125, 5, 3, 1],
    [OPERATOR, 1, 10, 70, -1, 0],
  ], []);
  equal(hostRows(run)!.map((row) => [row.kind, row.name, row.calls, row.self, row.total]), [
    ["annotation", "step", 1, null, 90],
    ["frame", "frame", 1, 30, 80],
    ["operator", "matmul", 2, 45, 50],
    ["call", "launch", 1, 5, 5],
  ]);
  equal(hostRows({ ...run, host: undefined } as unknown as RunData), null);
});

Deno.test("an event is in the queue of its stream from the end of its call to its start", () => {
  const run = runOf([
    [CALL, 2, 100, 10, -1, 1],
    [CALL, 2, 112, 3, -1, 1],
    [CALL, 2, 120, 10, -1, 1],
    [CALL, 2, 20, 10, -1, 0],
  ], [[0, 130, 0, 1], [1, 140, 1, 1], [2, 125, 2, 1], [0, 90, 3, 0], [0, 150, -1, 1]]);
  equal(queues(run), [
    { stream: "stream 7", ends: [100, 110, 115, 130, 140, 200], waiting: [0, 1, 2, 1, 0], most: 2 },
    { stream: "stream 9", ends: [100, 200], waiting: [0], most: 0 },
  ]);
});

Deno.test("a thinner series has the largest values", () => {
  const series = { stream: "s", ends: [0, 1, 2, 8], waiting: [3, 7, 1], most: 7 };
  equal(thinned(series, 2), { stream: "s", ends: [0, 4, 8], waiting: [7, 1], most: 7 });
  equal(thinned(series, 3), series);
});

Deno.test("pieces of idle time are summed by cause, and by what was going on", () => {
  const pieces = [
    { cause: "host", detail: "a", ns: 5 },
    { cause: "launch-call", detail: null, ns: 8 },
    { cause: "host", detail: "b", ns: 4 },
    { cause: "host", detail: "a", ns: 1 },
  ];
  equal(idleRows(pieces, false), [{ cause: "host", detail: null, ns: 10 }, {
    cause: "launch-call",
    detail: null,
    ns: 8,
  }]);
  equal(idleRows(pieces, true).map((row) => row.ns), [8, 6, 4]);
});

Deno.test("each overhead has a row for each name with samples", () => {
  const statistic = (count: number, total_ns: number): Statistic => ({ count, total_ns }) as Statistic;
  const rows = overheadRows({
    t1: statistic(2, 20),
    t4: { launch: statistic(3, 9) },
    operators: { "a": { t2: statistic(1, 5), t3: null, t5: statistic(0, 0) } },
    data_loading: [],
  } as Overheads);
  equal(rows.map((row) => `${row.overhead} ${row.name}`), ["T1 ", "T2 a", "T4 launch"]);
  equal(overheadTotals(rows).map((total) => [total.overhead, total.count, total.ns]), [
    ["T1", 2, 20],
    ["T2", 1, 5],
    ["T3", 0, 0],
    ["T4", 3, 9],
    ["T5", 0, 0],
  ]);
});

Deno.test("host events inside of each other take time that is linear in their number", () => {
  const depth = 100_000, start = performance.now();
  // Each has a name of its own.
  const events = Array.from({ length: depth }, (_, at) => [FRAME, at, 0, depth - at, at - 1, 1]);
  const rows = hostRows(runOf(events, []))!;
  equal([rows.length, rows[0]!.self, rows[0]!.total, rows.at(-1)!.total], [depth, 1, depth, 1]);
  // A walk to the outermost one from each would be 5e9 steps.
  if (performance.now() - start > 8_000) throw new Error("it took too long");
});
