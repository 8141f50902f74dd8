import type { RunData } from "../data/tables.ts";
import { Texts } from "../data/tables.ts";
import { equal } from "../data/testing.ts";
import { NO_OPERATOR, operatorRows } from "./operators.ts";

const TEXTS = ["linear", "addmm", "launch", "gemm", "copy"];

function texts(): Texts {
  const bytes = new TextEncoder().encode(TEXTS.map((one) => `${one}\0`).join(""));
  let end = -1;
  return new Texts(bytes, Uint32Array.from(TEXTS, (one) => end += one.length + 1));
}

// linear [0, 100) calls addmm [10, 60), which calls the runtime at [20, 30); addmm [70, 80) is called by linear, too.
const RUN = {
  report: { trace: { representative: "step" }, kernels: [{ id: 7, category: "gemm", phase: "forward" }] },
  meta: {
    lanes: [{ name: "0/7" }],
    iterations: [{ name: "warm-up", selected: false }, { name: "step", selected: true }],
  },
  strings: texts(),
  host: {
    length: 4,
    start: Float64Array.of(0, 10, 20, 70),
    duration: Float64Array.of(100, 50, 10, 10),
    name: Uint32Array.of(0, 1, 2, 1),
    kind: Uint8Array.of(3, 3, 4, 3),
    parent: Int32Array.of(-1, 0, 1, 0),
    iteration: Int32Array.of(1, 1, 1, 1),
    lane: new Uint16Array(4),
  },
  event: {
    length: 3,
    start: Float64Array.of(25, 200, 300),
    duration: Float64Array.of(5, 3, 1000),
    name: Uint32Array.of(3, 4, 3),
    lane: Uint16Array.of(0, 0, 0),
    iteration: Int32Array.of(1, 1, 0),
    kernel: Int32Array.of(0, -1, 0),
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
  equal(rows.get(NO_OPERATOR), [0, null, null, 3, 3, 1]);
});

Deno.test("an operator knows the kernels that it launches", () => {
  equal(operatorRows(RUN)!.find((row) => row.name === "addmm")!.kernels, [{
    name: "gemm",
    kernel: 7,
    events: 1,
    ns: 5,
  }]);
});
