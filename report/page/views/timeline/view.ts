/** The view Timeline: aligned lanes of events on one axis of time. */
import { PART_COLUMNS } from "../../model/parts.ts";
import "./style.css";
import type { Page, RunData } from "../../data/tables.ts";
import { effect, scope } from "../../state/signals.ts";
import { h } from "../../view/elements.ts";
import type { Mounted, View, ViewContext } from "../../view/view.ts";
import { TimelinePanel } from "./panel.ts";
import { TimelineData } from "./timeline_data.ts";

/** What was prepared of runs, so that a view that is shown again is there at once. */
const prepared = new WeakMap<RunData, TimelineData>();

function dataOf(page: Page, run: RunData): TimelineData {
  let data = prepared.get(run);
  if (data === undefined) prepared.set(run, data = new TimelineData(page, run));
  return data;
}

function mount({ page, state, navigate }: ViewContext): Mounted {
  const element = h("div", { class: "view" });
  let end = (): void => {};
  effect(() => {
    const run = page.runs[state.run.value];
    end();
    if (run === undefined) return;
    const [panel, stop] = scope(() => new TimelinePanel({ page, state, navigate }, dataOf(page, run)).element);
    end = stop;
    const why = run.meta.restricted;
    element.replaceChildren(...(why === null ? [] : [h("p", { class: "soft" }, why)]), panel);
  });
  return { element, dispose: () => end() };
}

/** Lanes of host and device, with idle time by cause. */
export const timelineView: View = {
  id: "timeline",
  title: "Timeline",
  order: 40,
  filters: ["phase", "forward", "category", "stream"],
  describesSelection: true,
  tables: ["event", "host", "idle", "path"],
  columns: [...PART_COLUMNS, "idle.note"],
  isAvailable: (page) => page.runs.some((run) => run.has("event") || run.has("host")),
  mount,
};
