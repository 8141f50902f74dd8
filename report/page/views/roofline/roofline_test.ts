import type { Kernel, ReportRun, Roofline } from "../../contract/report.ts";
import { equal } from "../../data/testing.ts";
import { countsOf, dotsPath, kernelRoofs, nearestMark, peaksOf, placeable, ruleRoofs, whyAbsent } from "./data.ts";

const kernel = (
  id: number,
  label: string,
  duration_ns: number | null,
  roofline: Record<string, unknown> | null,
): Kernel => ({ id, label, category: "gemm", scope: "", duration_ns, roofline }) as unknown as Kernel;
const work = (bytes: number, flops: number, attainable_ns: number | null, more: Record<string, unknown> = {}) => ({
  bytes,
  flops,
  runs: 2,
  attainable_ns,
  bound: "memory",
  at_roof: false,
  above_peak: false,
  ...more,
});

const RUN = {
  roofline: { unknown: [{ reason: "no row", kernels: [3] }] },
  kernels: [
    kernel(0, "linear", 100, work(10, 1000, 20)),
    kernel(1, "view", 0, work(0, 0, 0)),
    kernel(2, "linear", 50, work(20, 500, 50, { bound: "compute", at_roof: true })),
    kernel(3, "odd", 30, null),
    kernel(4, "copy", 40, work(8, 0, 10)),
  ],
} as unknown as ReportRun;

Deno.test("a kernel has its work, its rate, and its distance from the roof", () => {
  const rows = kernelRoofs(RUN);
  equal(rows.map((row) => row.key), [0, 2, 3, 4]);
  const [first, , unknown, copy] = rows;
  equal([first!.intensity, first!.rate, first!.distance, first!.excess], [100, 2e10, 5, 80]);
  equal([unknown!.unknown, unknown!.bytes, unknown!.rate, unknown!.distance], ["no row", null, null, null]);
  equal([copy!.intensity, copy!.rate], [0, 0]);
  equal(placeable(rows, "rate").map((row) => row.key), [0, 2]);
  equal(placeable(rows, "time").map((row) => row.key), [0, 2, 4]);
  equal(countsOf(rows), { memory: 2, compute: 1, cache: 0, atRoof: 1, abovePeak: 0, unknown: 1 });
});

Deno.test("a rule has the sums over its kernels and their runs", () => {
  const [linear, copy] = ruleRoofs(RUN);
  equal([
    linear!.key,
    linear!.kernels,
    linear!.bytes,
    linear!.flops,
    linear!.duration,
    linear!.attainable,
    linear!.bound,
  ], [
    "linear",
    2,
    60,
    3000,
    150,
    70,
    null,
  ]);
  equal([linear!.rate, copy!.key, copy!.bound], [2e10, "copy", "memory"]);
});

Deno.test("types with the same peak share a roof, the highest first, and types in which no kernel computes have none", () => {
  const computes = (matrix_flops: Record<string, number>, vector_flops: Record<string, number>, duration_ns = 1) =>
    ({ duration_ns, roofline: { matrix_flops, vector_flops } }) as unknown as Kernel;
  const peaks = peaksOf(
    {
      float32: "tf32",
      matrix_peaks: { bfloat16: 9, float32: 4, float16: 9, int8: 18 },
      vector_peaks: { float32: 1, bool: 2 },
    } as unknown as Roofline,
    [
      computes({ bfloat16: 8 }, { float32: 1 }),
      computes({ float16: 8 }, {}),
      computes({ float32: 8 }, {}),
      computes({}, { float32: 5, bool: 2 }),
      computes({ int8: 3 }, {}, 0),
    ],
  );
  equal(peaks, [
    { name: "matrix bfloat16, matrix float16", rate: 9 },
    { name: "matrix float32 as TF32", rate: 4 },
    { name: "vector float32", rate: 1 },
  ]);
});

Deno.test("the nearest mark is found only nearby", () => {
  const marks = [{ x: 0, y: 0 }, { x: 10, y: 0 }];
  equal([nearestMark(marks, 6, 0, 5), nearestMark(marks, 2, 1, 5), nearestMark(marks, 30, 0, 5)], [1, 0, -1]);
  equal(dotsPath(marks), "M0.0 0.0h0M10.0 0.0h0");
});

Deno.test("what has no place in the plot is told by its reason", () => {
  const rows = kernelRoofs(
    { ...RUN, kernels: [...RUN.kernels, kernel(5, "linear", null, work(10, 1000, 20))] } as unknown as ReportRun,
  );
  equal(
    whyAbsent(rows, placeable(rows, "rate"), "rate"),
    "the work of 1 is not known, 1 has no time, 1 computes nothing",
  );
  equal(whyAbsent(rows, placeable(rows, "time"), "time"), "the work of 1 is not known, 1 has no time");
});
