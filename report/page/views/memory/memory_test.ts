import type { Kernel, Liveness } from "../../contract/report.ts";
import { equal } from "../../data/testing.ts";
import { axisOf, liveAt, peaksOf, periodRows, positionAt } from "./data.ts";

const tensor = (
  name: string,
  bytes: number | null,
  birth: number | null,
  end: number | null,
  periods: unknown[] = [],
) => ({
  name,
  global: birth === null,
  type: "float32[?]",
  bytes,
  birth,
  death: end,
  live_end: end,
  periods,
});

const LIVENESS = {
  kernels: [7, 3, 5],
  inputs: [[0], [1], [0, 1]],
  outputs: [[1], [2], [1]],
  tensors: [
    tensor("w", 100, null, null, [{ from: 1, to: 2, ns: 20 }]),
    tensor("a", 10, 0, 3),
    tensor("b", null, 1, 2),
    tensor("c", 30, 0, 1),
  ],
  offload: [{ tensor: "w", bytes: 100, from: 1, to: 2, ns: 20, cost_ns: 4, byte_seconds: 2e-6 }],
  recompute: null,
} as unknown as Liveness;

const kernels = new Map<number, Kernel>(
  [[7, 10], [3, 20], [5, 5]].map(([id, ns]) => [id!, { id, duration_ns_mean: ns } as unknown as Kernel]),
);

Deno.test("kernels follow each other on the axis, by time or by position", () => {
  equal(axisOf(LIVENESS, kernels, false), { ends: [0, 10, 30, 35], isTime: true });
  equal(axisOf(LIVENESS, kernels, true), { ends: [0, 1, 2, 3], isTime: false });
  equal(axisOf(LIVENESS, new Map(), false), { ends: [0, 1, 2, 3], isTime: false });
});

Deno.test("a place of the axis is in the position around it", () => {
  const axis = axisOf(LIVENESS, kernels, false);
  equal([-5, 0, 9.9, 10, 29, 30, 99].map((value) => positionAt(axis, value)), [0, 0, 0, 1, 1, 2, 2]);
  equal(positionAt({ ends: [0], isTime: true }, 3), -1);
});

Deno.test("a tensor is live from its birth to its end, and a global always", () => {
  const names = (position: number) => liveAt(LIVENESS, position).map((row) => `${row.tensor.name} ${row.use}`);
  equal(names(0), ["w reads", "c waits", "a writes"]);
  equal(names(1), ["w waits", "a reads", "b writes"]);
  equal(names(2), ["w reads", "a reads and writes"]);
});

Deno.test("a period knows what freeing its memory costs", () => {
  const [row] = periodRows(LIVENESS);
  equal([row!.tensor.name, row!.ns, row!.byteSeconds, row!.offload?.cost_ns, row!.recompute], ["w", 20, 2e-6, 4, null]);
});

Deno.test("fewer steps keep the peaks", () => {
  equal(peaksOf([0, 1, 2, 3, 4], [5, 1, 9, 2], 2), { ends: [0, 2, 4], values: [5, 9] });
  equal(peaksOf([0, 3, 4], [5, 1], 2), { ends: [0, 3, 4], values: [5, 1] });
  equal(peaksOf([0, 9, 10, 11], [5, 7, 1], 2), { ends: [0, 5.5, 11], values: [5, 7] });
});
