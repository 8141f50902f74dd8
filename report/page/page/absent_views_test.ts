import type { Page } from "../data/tables.ts";
import { equal } from "../data/testing.ts";
import { absentViews } from "./absent_views.ts";

const view = (id: string, isThere: boolean) => ({ id, title: id, isAvailable: () => isThere });

function pageOf(columns: string[], meta: Record<string, unknown> = {}, trace: unknown = {}): Page {
  const run = {
    report: { trace, kernels: [] },
    meta: { restricted: null, lanes: [{}], ...meta },
    hasColumn: (name: string) => columns.includes(name),
  };
  return { runs: [run] } as unknown as Page;
}

Deno.test("views that are not there have a reason each, and one reason is told once", () => {
  const views = ["operators", "host", "timeline"].map((id) => view(id, false));
  equal(absentViews(pageOf([]), views), [[
    "operators, host, timeline",
    "the trace has means, and does not say when events ran",
  ]]);
  equal(absentViews(pageOf(["event.start"]), [view("timeline", true), view("host", false)]), [[
    "host",
    "the trace has no events of the host",
  ]]);
});

Deno.test("nobody misses ranks of one run, a comparison of one run, or anything without a trace", () => {
  equal(absentViews(pageOf([]), [view("ranks", false), view("compare", false)]), []);
  equal(absentViews(pageOf([], {}, null), [view("host", false)]), []);
  equal(absentViews(pageOf([], { not_compared: "no run of this name" }), [view("compare", false)]), [[
    "compare",
    "no run of this name",
  ]]);
});
