/** What a selection of one view is in another one. */

import type { RunData } from "../data/tables.ts";
import type { Selection } from "../state/state.ts";

/** The id of the kernel that a selection is, or that an event or a node belongs to; null if there is none. An event needs the table `event`. */
export function selectedKernel(selection: Selection | null, run: RunData): number | null {
  if (selection === null || selection.run !== run.index) return null;
  const { kind, id } = selection;
  const { kernels } = run.report;
  if (kind === "kernel") return Number(id);
  if (kind === "event") return kernels[run.event?.kernel[Number(id)] ?? -1]?.id ?? null;
  if (kind === "node") return kernels.find((kernel) => kernel.nodes.includes(String(id)))?.id ?? null;
  return null;
}

/** The name of the operator that a selection is, or that launched an event. Events need the tables `event` and `host`. */
export function selectedOperator(selection: Selection | null, run: RunData): string | null {
  if (selection === null || selection.run !== run.index) return null;
  const { kind, id } = selection;
  if (kind === "operator") return String(id);
  const operator = kind === "host" ? Number(id) : kind === "event" ? run.eventFacts?.operator[Number(id)] ?? -1 : -1;
  const name = run.host?.name[operator];
  return name === undefined ? null : run.strings.at(name);
}
