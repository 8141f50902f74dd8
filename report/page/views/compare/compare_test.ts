import type { Compare, Comparison, Report } from "../../contract/report.ts";
import { equal } from "../../data/testing.ts";
import { countsOf, isIncomplete, judged, pairRows, pairsOf, segmentRows, sideRows } from "./data.ts";

const row = (before_ns: number | null, after_ns: number | null, change: string | null) =>
  ({ name: "x", before_ns, after_ns, change }) as unknown as Comparison["kernels"][number];

Deno.test("a pair has a title, and its later run", () => {
  const report = {
    runs: [{ label: "a" }, { label: "b" }],
    comparisons: [{ before: "a", baseline: null, after: "b" }, { before: "a", baseline: "old.json", after: "a" }],
  } as unknown as Report;
  equal(pairsOf(report).map((pair) => [pair.title, pair.run]), [["a → b", 1], ["a of old.json → a", 0]]);
  equal(pairsOf({ ...report, comparisons: null }), []);
});

Deno.test("a row has the difference, and whether it is more than noise", () => {
  const rows = pairRows([
    row(100, 50, "faster"),
    row(10, null, "gone"),
    row(null, 5, "new"),
    row(8, 9, "within-noise"),
    row(0, 1, null),
    row(9, 8, "unknown"),
  ]);
  equal(rows.map((one) => [one.difference, one.relative, one.isBeyond]), [
    [-50, -0.5, true],
    [-10, null, true],
    [5, null, true],
    [1, 0.125, false],
    [1, null, false],
    [null, null, false],
  ]);
  equal(countsOf(rows), { faster: 1, slower: 0, new: 1, gone: 1 });
});

Deno.test("a judgement says why a row is not known, or not beyond noise beside its interval", () => {
  const said = (of: object) => judged({ ...row(100, 97, "within-noise"), ...of } as never, ["a", "b"])[0];
  equal(said({ ratio_low: 0.9, ratio_high: 1.1 }), "within noise");
  equal(said({ ratio_low: 0.96, ratio_high: 0.98 }), "below 5 %");
  equal(said({ ratio_low: 0.7, ratio_high: 0.9, after_ns: 80 }), "within noise");
  const unknown = { ...row(10, null, "unknown"), before_unexplained_ns: null, after_unexplained_ns: 2_000_000 };
  equal(judged(unknown, ["a", "b"]), [
    "not known",
    "Work of the row may be inside of 2.000 ms of unexplained time of b",
  ]);
});

Deno.test("a segment is beyond noise where a run is slower than the best", () => {
  const cell = (times_best: number | null, against_best: string | null) => ({
    times_best,
    against_best,
    kernels_without_events: 0,
    failures: 0,
  });
  const compare = {
    segments: [
      { name: "a", cells: { one: cell(1, "best"), two: cell(1.5, "slower") } },
      { name: "b", cells: { one: cell(null, null), two: cell(1, "best") } },
    ],
  } as unknown as Compare;
  equal(segmentRows(compare).map((one) => [one.isBeyond, one.spread]), [[true, 1.5], [false, null]]);
  const incomplete = { ...compare.segments[0]!.cells["one"]!, failures: 2 };
  equal([isIncomplete(compare.segments[0]!.cells["one"]!), isIncomplete(incomplete)], [false, true]);
});

Deno.test("all runs are beside the first: a row of each set of kernels, and nothing where a pair has none", () => {
  const row = (node: string, before: number | null, after: number | null) => ({
    name: "rule",
    node,
    scope: null,
    category: null,
    before_ns: before,
    after_ns: after,
    change: null,
    ratio_low: null,
    ratio_high: null,
  });
  const comparison = (...kernels: ReturnType<typeof row>[]) => ({ kernels }) as unknown as Comparison;
  const rows = sideRows([
    comparison(row("a", 10, 5), row("b", 30, 31)),
    comparison(row("b", 33, 20), row("c", null, 7)), // with another kernel of the first run
  ], "kernels");
  equal(rows.map((one) => [one.name, one.first, ...one.others.map((other) => other?.after_ns ?? null)]), [
    ["b", 30, 31, 20],
    ["a", 10, 5, null],
    ["c", 0, null, 7],
  ]);
});
