import type { RunData } from "../data/tables.ts";
import { Texts } from "../data/tables.ts";
import { equal } from "../data/testing.ts";
import { phaseOfEvent } from "./parts.ts";
import { NO_OPERATOR, operatorRows } from "./operators.ts";

const TEXTS = ["linear", "addmm", "launch", "gemm", "copy"];

function textsOf(texts: readonly string[]): Texts {
  const bytes = new TextEncoder().encode(texts.map((one) => `${one}\0`).join(""));
  let end = -1;
  return new Texts(bytes, Uint32Array.from(texts, (one) => end += one.length + 1));
}

// Columns of parts of events: the copy is of the phase `data`, and outside of forwards.
const PARTS: Record<string, Uint32Array> = {
  "event.phase": Uint32Array.of(4, 3, 4),
  "event.forward": Uint32Array.of(1, 2, 0),
};

// linear [0, 100) calls addmm [10, 60), which calls the runtime at [20, 30); addmm [70, 80) is called by linear, too.
const RUN = {
  loaded: (name: string) => name === "event.kernel" ? Int32Array.of(0, -1, 0) : PARTS[name] ?? null,
  report: {
    trace: { representative: "step" },
    forward_groups: [{ name: "prefill" }, { name: "decode" }],
    kernels: [{ id: 7, category: "gemm", phase: "forward" }],
  },
  meta: {
    lanes: [{ name: "0/7" }],
    iterations: [{ name: "warm-up", selected: false }, { name: "step", selected: true }],
  },
  strings: textsOf(TEXTS),
  host: {
    length: 4,
    start: Float64Array.of(0, 10, 20, 70),
    duration: Float64Array.of(100, 50, 10, 10),
    name: Uint32Array.of(0, 1, 2, 1),
    kind: Uint8Array.of(3, 3, 4, 3),
    lane: new Uint16Array(4),
  },
  hostFacts: { length: 4, parent: Int32Array.of(-1, 0, 1, 0), iteration: Int32Array.of(1, 1, 1, 1) },
  event: {
    length: 3,
    start: Float64Array.of(25, 200, 300),
    duration: Float64Array.of(5, 3, 1000),
    name: Uint32Array.of(3, 4, 3),
    lane: Uint16Array.of(0, 0, 0),
    kernel: Int32Array.of(0, -1, 0),
  },
  eventFacts: {
    length: 3,
    iteration: Int32Array.of(1, 1, 0),
    call: Int32Array.of(2, -1, -1),
    operator: Int32Array.of(1, -1, 1),
    class: new Uint8Array(3),
  },
} as unknown as RunData;

Deno.test("self time leaves out operators that are called, total time has them, and other iterations do not count", () => {
  const rows = new Map(
    operatorRows(RUN)!.map((
      row,
    ) => [row.name, [row.calls, row.hostSelf, row.hostTotal, row.deviceSelf, row.deviceTotal, row.events]]),
  );
  equal(rows.get("linear"), [1, 40, 100, 0, 5, 0]);
  equal(rows.get("addmm"), [2, 60, 60, 5, 5, 1]);
  equal(rows.get(NO_OPERATOR), [null, null, null, 3, 3, 1]);
});

Deno.test("an operator is of the phases and forwards of its events, also of those without a kernel", () => {
  const rows = operatorRows(RUN)!;
  const of = (name: string) => rows.find((row) => row.name === name)!;
  equal([of("addmm").phases, of("addmm").forwards], [["forward"], ["decode"]]);
  equal([of(NO_OPERATOR).phases, of(NO_OPERATOR).forwards], [["data"], []]);
});

Deno.test("of a part of the events only their operators are there, with their times and without those on the host", () => {
  const figures = (phase: string) =>
    operatorRows(RUN, (at) => phaseOfEvent(RUN, at) === phase)!.map((
      row,
    ) => [row.name, row.calls, row.hostSelf, row.deviceSelf, row.deviceTotal]);
  equal(figures("forward"), [["addmm", null, null, 5, 5]]);
  equal(figures("data"), [[NO_OPERATOR, null, null, 3, 3]]);
});

Deno.test("the operator of an event that a graph launched is that of its kernel", () => {
  const operators = (operator: string) => {
    const report = { ...RUN.report, kernels: [{ ...RUN.report.kernels[0]!, operator }] };
    const eventFacts = { ...RUN.eventFacts!, operator: Int32Array.of(-1, -1, -1) };
    return operatorRows({ ...RUN, report, eventFacts } as unknown as RunData)!.filter((row) => row.deviceSelf > 0)
      .map((row) => [row.name, row.deviceSelf]);
  };
  equal(operators("addmm"), [["addmm", 5], [NO_OPERATOR, 3]]);
  equal(operators("gemm"), [[NO_OPERATOR, 8]]); // the name of the event is no operator
});

Deno.test("an operator knows the kernels that it launches", () => {
  equal(operatorRows(RUN)!.find((row) => row.name === "addmm")!.kernels, [{
    name: "gemm",
    kernel: 7,
    events: 1,
    ns: 5,
  }]);
});

/** The run with other host events, one of which launches the first event. All operators are inside of the one before. */
function nested(depth: number, nameOf: (at: number) => number, launches: number): RunData {
  const column = (valueOf: (at: number) => number) => Float64Array.from({ length: depth }, (_, at) => valueOf(at));
  const host = {
    length: depth,
    start: column((at) => at),
    duration: column((at) => 2 * (depth - at)),
    name: column(nameOf),
    kind: column(() => 3),
    lane: column(() => 0),
  };
  const hostFacts = { length: depth, parent: column((at) => at - 1), iteration: column(() => 1) };
  const call = Int32Array.of(-1, -1, -1), operator = Int32Array.of(launches, -1, -1);
  return { ...RUN, host, hostFacts, eventFacts: { ...RUN.eventFacts, call, operator } } as unknown as RunData;
}

Deno.test("an operator that calls itself through another one has its total times once", () => {
  const rows = new Map(
    operatorRows(nested(4, (at) => at % 2, 3))!.map((
      row,
    ) => [row.name, [row.hostTotal, row.deviceTotal, row.deviceSelf]]),
  );
  equal(rows.get("linear"), [8, 5, 0]);
  equal(rows.get("addmm"), [6, 5, 5]);
});

Deno.test("operators inside of each other take time that is linear in their number", () => {
  const depth = 200_000, start = performance.now();
  const strings = textsOf(Array.from({ length: depth }, (_, at) => String(at)));
  const rows = operatorRows({ ...nested(depth, (at) => at, depth - 1), strings } as RunData)!;
  equal([rows.length, rows[0]!.hostSelf, rows[0]!.hostTotal, rows[0]!.deviceTotal], [depth + 1, 2, 2 * depth, 5]);
  // A walk to the outermost one from each would be 2e10 steps.
  if (performance.now() - start > 8_000) throw new Error("it took too long");
});
