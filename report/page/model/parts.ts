/** The parts of a run that device events are of: phases, and groups of forwards. */

import type { RunData } from "../data/tables.ts";

/** Columns that tell the parts of events. */
export const PART_COLUMNS = ["event.kernel", "event.phase", "event.forward"] as const;

/** In the order of the column `event.phase`. */
const PHASES = ["communication", "optimizer", "backward", "data", "forward", "other"];

/** The phase that an event counts as: that of its kernel, as in the report, else its own. Null where it is not known. */
export function phaseOfEvent(run: RunData, at: number): string | null {
  const kernel = run.report.kernels[run.loaded("event.kernel")?.[at] ?? -1];
  return kernel ? kernel.phase : PHASES[run.loaded("event.phase")?.[at] ?? -1] ?? null;
}

/** The group of forwards that an event is of; null outside of forwards, and where they are not known. */
export function forwardOfEvent(run: RunData, at: number): string | null {
  return run.report.forward_groups?.[run.loaded("event.forward")?.[at] ?? -1]?.name ?? null;
}

/** By place in `kernels` the groups of forwards in which the kernel has events. */
export function forwardsOfKernels(run: RunData): readonly ReadonlySet<string>[] {
  const found = run.report.kernels.map(() => new Set<string>());
  run.loaded("event.kernel")?.forEach((kernel: number, at: number) => {
    const forward = kernel < 0 ? null : forwardOfEvent(run, at);
    if (forward !== null) found[kernel]?.add(forward);
  });
  return found;
}
