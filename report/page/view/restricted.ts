/** What cannot be said of a run where the page has not all of its events. */

import type { RunMeta } from "../contract/contract.ts";

/** Why sums over the events of the selected iterations are not shown; null where the page has all of these. */
export function whyNoSums({ restricted, has_selected }: Pick<RunMeta, "restricted" | "has_selected">): string | null {
  return has_selected
    ? null
    : `Sums over events are not shown, because ${restricted}; \`-emit='html<events-kib=N>'\` makes room for more events.`;
}

/** What time of selected iterations is that is neither busy nor idle for a cause that the page has. Causes are of the time from the first to the last event of an iteration. */
export function uncausedTimeName({ restricted }: Pick<RunMeta, "restricted">, hasCauses: boolean): string {
  if (restricted !== null) return "of causes or events that the page lacks";
  return hasCauses ? "before the first or after the last event of an iteration" : "cause not known";
}

/** What time in a range is that is neither busy nor idle for a known cause. */
export function otherTimeName({ restricted }: Pick<RunMeta, "restricted">): string {
  return restricted === null
    ? "outside of the selected iterations"
    : "outside of the selected iterations, or of events that the page lacks";
}
