/** What the path of a run is of, how many samples it takes a second, and its steps by class. */

import type { StepClass } from "../../contract/report.ts";
import type { RunData } from "../../data/tables.ts";
import { largest } from "../../model/largest.ts";
import { computed, type Readable, signal } from "../../state/signals.ts";
import { choice } from "../../view/controls.ts";
import { h } from "../../view/elements.ts";
import type { GridColumn } from "../../view/grid.ts";
import { decimal, formatShare, tableUnit, valued } from "../../view/number.ts";
import { countColumn, gridSection, nameColumn, timeColumn } from "../../view/searched_grid.ts";
import { figures, section } from "../../view/sections.ts";
import { type PathRow, pathRows } from "./data.ts";

type Words = Readable<readonly string[]>;
type From = "last-event" | "window";

/** The path of the run, back from its last event or from the end of the window. */
export function pathSection(run: RunData, words: Words): Node | null {
  const { run_path, window_path } = run.report;
  if (!run_path || run_path.length === 0) return null;
  const from = signal<From>("last-event");
  const rows = computed(() => pathRows(from.value === "window" && window_path ? window_path : run_path));
  const unit = tableUnit(largest(run_path.map((one) => one.ns)));
  const columns: GridColumn<PathRow>[] = [
    { id: "kind", title: "Kind", width: 140, value: (row) => row.kind },
    nameColumn("name", "What it is in", (row) => row.name, 200),
    timeColumn("time", "Time", unit, (row) => row.ns),
    {
      id: "share",
      title: "Of the path",
      align: "end",
      width: 96,
      value: (row) => row.share,
      cell: (row) => formatShare(row.share),
    },
  ];
  const pick = window_path && window_path.length > 0
    ? choice<From>(
      "Path from",
      [["last-event", "From the last event"], ["window", "From the end of the window"]],
      from,
      (to) => from.value = to,
    )
    : null;
  return gridSection<PathRow>("Path of the run", "What an iteration waits for, one after the other.", words, {
    label: "Path of the run",
    rows,
    columns,
    order: { column: "time", descending: true },
    key: (row) => JSON.stringify([row.kind, row.name]),
    textOf: (row) => `${row.kind} ${row.name ?? ""}`,
    csv: ["kind", "name", "ns"],
  }, pick);
}

/** Samples a second, where the size of the batch was given. */
export function throughputSection(run: RunData): Node | null {
  const { throughput } = run.report;
  if (!throughput) return null;
  const rate = (value: number | null) => value === null ? null : valued(value, `${decimal(value, 1)} a second`);
  return section(
    "Throughput",
    `Samples, ${decimal(throughput.batch_size, 0)} in an iteration.`,
    null,
    figures(
      ([
        ["Of wall time", rate(throughput.wall_samples_per_second)],
        ["Of the window", rate(throughput.window_samples_per_second)],
      ] as const).flatMap(([name, value]) => value === null ? [] : [[name, value] as const]),
    ),
  );
}

/** Steps of a server by what they do. */
export function stepClassesSection(run: RunData, words: Words): Node | null {
  const classes = run.report.step_classes;
  if (!classes || classes.length === 0) return null;
  const unit = tableUnit(largest(classes.map((one) => one.window_ns ?? one.wall_ns ?? one.busy_ns)));
  return gridSection<StepClass>("Steps of the server", h("span", null, "Times of one iteration."), words, {
    label: "Steps of the server",
    rows: signal(classes),
    columns: [
      nameColumn("name", "Class", (row) => row.name, 120),
      countColumn("iterations", "Iterations", (row) => row.iterations),
      timeColumn("busy", "Busy", unit, (row) => row.busy_ns),
      timeColumn("wall", "Wall", unit, (row) => row.wall_ns),
      timeColumn("window", "Window", unit, (row) => row.window_ns),
    ],
    order: { column: "iterations", descending: true },
    key: (row) => row.name,
    textOf: (row) => row.name,
    csv: [
      ["class", (row) => row.name],
      "iterations",
      "busy_ns",
      "wall_ns",
      "window_ns",
    ],
  });
}
