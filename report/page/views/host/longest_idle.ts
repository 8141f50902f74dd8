/** The way from a cause of idle time to the timeline. */

import type { RunData } from "../../data/tables.ts";
import type { ViewContext } from "../../view/view.ts";

/** Shows the longest idle time of a cause in Timeline, with as much time before and after it. */
export async function showLongest({ state, navigate }: ViewContext, run: RunData, cause: string): Promise<void> {
  await run.load("idle");
  const { idle, meta } = run;
  if (!idle) return;
  const number = meta.causes.indexOf(cause);
  let longest = -1;
  for (let piece = 0; piece < idle.length; ++piece) {
    if (idle.cause[piece] === number && !(longest >= 0 && idle.duration[piece]! <= idle.duration[longest]!)) {
      longest = piece;
    }
  }
  if (longest < 0) return;
  const start = idle.start.at(longest), ns = idle.duration[longest]!;
  state.range.value = [start - ns, start + 2 * ns];
  navigate(state.selection.peek(), "timeline");
}
