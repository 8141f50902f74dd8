/** What the filters of a run can be set to. */

import type { RunData } from "../data/tables.ts";

/** The values of each filter, as rows and events have them. A filter with less than two has nothing to choose. */
export interface FilterChoices {
  readonly phase: readonly string[];
  readonly forward: readonly string[];
  readonly category: readonly string[];
  readonly stream: readonly string[];
}

/** The choices of a run. A stream has the name of its lanes, of which it has one for each kind of its events. */
export function filterChoices(run: RunData): FilterChoices {
  const { phases, aggregates, forward_groups } = run.report;
  const lanes = run.has("event")
    ? run.meta.lanes.filter(({ device, section }) => device && (section === "execution" || section === "transfer"))
    : [];
  return {
    phase: (phases ?? []).map((one) => one.name),
    forward: run.hasColumn("event.forward") ? (forward_groups ?? []).map((one) => one.name) : [],
    category: (aggregates?.category ?? []).map((one) => one.name),
    stream: [...new Set(lanes.map((one) => one.name))],
  };
}
