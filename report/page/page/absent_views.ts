/** Why views are not in a page: of those that somebody who gave this run would look for. */

import type { Page } from "../data/tables.ts";

/** Why there is no view of this title; null where nobody would expect one. */
export function whyAbsent(page: Page, id: string): string | null {
  const measured = page.runs.filter(({ report }) => report.trace !== null);
  // Without a trace there is one reason for all.
  if (measured.length === 0) return null;
  const all = (test: (run: Page["runs"][number]) => boolean) => measured.every(test);
  const hasStarts = !all((run) => !run.hasColumn("event.start"));
  const restricted = measured.find(({ meta }) => meta.restricted !== null && meta.lanes.length === 0)?.meta.restricted;
  switch (id) {
    case "operators":
    case "timeline":
    case "host":
      if (restricted) return restricted;
      return hasStarts
        ? "the trace has no events of the host"
        : "the trace has means, and does not say when events ran";
    case "modules":
      return "no kernel has a module: the trace has no frames of modules, and no model names them";
    case "graph":
      return "no picture of the kernels was placed: a graph of more than 1500 nodes is too large to be read";
    case "what-if":
      return "no kernel has a time";
    case "memory":
      return "the trace has no records of the allocator (`profile_memory=True` records them), and liveness was not " +
        "asked for (`-emit=liveness=FOLDER`)";
    case "compare": {
      const why = [...new Set(page.runs.map(({ meta }) => meta.not_compared).filter((one) => one))];
      return why.length > 0 ? why.join("; ") : null;
    }
    default:
      return null;
  }
}

/** What the page says at the end of its summary: a line for each view that is not there. */
export function absentViews(
  page: Page,
  views: readonly { id: string; title: string; isAvailable(page: Page): boolean }[],
): [title: string, why: string][] {
  const absent = views.filter((view) => !view.isAvailable(page));
  const byReason = new Map<string, string[]>();
  for (const { id, title } of absent) {
    const why = whyAbsent(page, id);
    if (why !== null) byReason.set(why, [...(byReason.get(why) ?? []), title]);
  }
  return [...byReason].map(([why, titles]) => [titles.join(", "), why]);
}
