/** How well the replay of a run agrees with what was measured, and the times that it takes from the trace. */

import type { Constant } from "../../contract/report.ts";
import type { RunData } from "../../data/tables.ts";
import { largest } from "../../model/largest.ts";
import { type Readable, signal } from "../../state/signals.ts";
import { h } from "../../view/elements.ts";
import { formatCount, formatShare, formatTime, tableUnit } from "../../view/number.ts";
import { countColumn, gridSection, nameColumn, timeColumn } from "../../view/searched_grid.ts";
import { figures, section } from "../../view/sections.ts";

const TITLE = "How the run is replayed";

/** The errors of the replay, what it cannot explain, and its constants; or why there is none. */
export function replaySection(run: RunData, words: Readable<readonly string[]>): Node | null {
  const { replay } = run.report;
  if (!replay) return null;
  if (replay.reason !== null) {
    return section(TITLE, null, null, h("p", { class: "soft" }, `Nothing is replayed: ${replay.reason}.`));
  }
  const share = (value: number | null) => value === null ? null : formatShare(value);
  const many = (value: number | null) => value === null || value === 0 ? null : formatCount(value);
  const sums = figures([
    ["Replayed wall time", replay.wall_ns === null ? null : formatTime(replay.wall_ns)],
    ["Error of wall time", share(replay.error)],
    ["Error with unexplained waits kept, as predictions are made", share(replay.kept_error)],
    ["Replayed window", replay.window_ns === null ? null : formatTime(replay.window_ns)],
    ["Error of the window", share(replay.window_error)],
    ["Unexplained waits, of wall time", share(replay.unexplained)],
    ["Calls that look like waits and are replayed as none, of wall time", share(replay.audit)],
    ["Wall time left if the device took none", share(replay.without_device)],
    ["Wall time left if the host took none", share(replay.without_host)],
    ["Launches that a stream holds", many(replay.queue_length)],
    ["Events whose measured start is taken over", many(replay.carried_in)],
    ["Events without a launch in the trace", many(replay.without_launch)],
    ["Calls that wait for what ended long after them", many(replay.contradictions)],
  ]);
  const constants = replay.constants ?? [];
  const about =
    "All operations of the trace are placed again by what they wait for, and compared with what was measured.";
  if (constants.length === 0) return section(TITLE, about, null, sums);
  return gridSection<Constant>(TITLE, about, words, {
    label: "Constants of the replay",
    rows: signal(constants),
    columns: [
      { id: "kind", title: "Constant", width: 200, value: (row) => row.kind },
      nameColumn("name", "Call or kernel", (row) => row.name ?? "all others", 200),
      timeColumn("time", "Time", tableUnit(largest(constants.map((one) => one.ns))), (row) => row.ns),
      countColumn("samples", "Samples", (row) => row.samples, "Measured values; 0: assumed"),
    ],
    leaving: ["samples"],
    order: { column: "samples", descending: true },
    key: (row) => JSON.stringify([row.kind, row.name]),
    textOf: (row) => `${row.kind} ${row.name ?? ""}`,
    csv: [
      "kind",
      "name",
      "ns",
      "samples",
    ],
  }, sums);
}
