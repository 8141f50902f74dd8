/** What the host does: why the device is idle, what launches cost, and how far ahead of the device it is. */

import "./style.css";
import type { RunData } from "../../data/tables.ts";
import { hueOfCause } from "../../draw/colours.ts";
import { hueColour, swatch } from "../../view/marks.ts";
import { CAUSES } from "../../model/causes.ts";
import { largest } from "../../model/largest.ts";
import { computed, type Readable, signal } from "../../state/signals.ts";
import { colourKey, dividedBar, figures, type Part, section } from "../../view/sections.ts";
import { choice } from "../../view/controls.ts";
import { h } from "../../view/elements.ts";
import { chosenWords, viewOfRun } from "../../view/filtering.ts";
import type { GridColumn } from "../../view/grid.ts";
import { countColumn, gridSection, nameColumn, timeColumn } from "../../view/searched_grid.ts";
import { decimal, formatShare, formatTime, tableUnit, valued } from "../../view/number.ts";
import { whyNoSums } from "../../view/restricted.ts";
import type { Mounted, View, ViewContext } from "../../view/view.ts";
import { type HostRow, hostRows, type IdleRow, idleRows, tellsOfHost } from "./data.ts";
import { showLongest } from "./longest_idle.ts";
import { overheadsSection } from "./overheads.ts";
import { replaySection } from "./replay_quality.ts";
import { pathSection, stepClassesSection, throughputSection } from "./run_path.ts";
import { queueSection, streamsSection } from "./streams.ts";

/** Host and device: idle time, waits, overheads, streams, queues, and host operations. */
export const HOST: View = {
  id: "host",
  title: "Host",
  order: 70,
  tables: ["event", "eventFacts", "host", "hostFacts"],
  isAvailable: (page) => page.runs.some((run) => tellsOfHost(run.report) || run.has("host")),
  mount,
};

function mount(context: ViewContext): Mounted {
  const words = chosenWords(context);
  return viewOfRun(context, "host", (run) => contentsOf(context, run, words));
}

type Words = Readable<readonly string[]>;

function contentsOf(context: ViewContext, run: RunData, words: Words): Node[] {
  const why = whyNoSums(run.meta);
  const sections = [
    throughputSection(run),
    stepClassesSection(run, words),
    idleSection(context, run, words),
    pathSection(run, words),
    streamsSection(context, run, words),
    why === null ? queueSection(run) : null,
    overheadsSection(run, words),
    waitsSection(run, words),
    replaySection(run, words),
    why === null
      ? operationsSection(run, words)
      : section("Queues and host operations", null, null, h("p", { class: "notice" }, why)),
  ].filter((one) => one !== null);
  if (sections.length > 0) return sections;
  return [h("p", { class: "notice" }, "The trace of this run tells nothing of the host or of streams.")];
}

function idleSection(context: ViewContext, run: RunData, words: Words): Node | null {
  const { idle, trace } = run.report;
  if (!idle || !trace || trace.wall_ns === null) return null;
  const causes = idleRows(idle, false);
  const parts: Part[] = [
    ...(trace.busy_ns === null
      ? []
      : [{ name: "busy", value: trace.busy_ns, shown: formatTime(trace.busy_ns), colour: "var(--bar)" }]),
    ...causes.map((row) => ({
      name: `idle: ${row.cause}`,
      value: row.ns,
      shown: formatTime(row.ns),
      colour: hueColour(hueOfCause(row.cause)),
      hatched: true,
    })),
  ];
  const rows = idleRows(idle, true);
  const unit = tableUnit(largest(rows.map((row) => row.ns)));
  const columns: GridColumn<IdleRow>[] = [
    {
      id: "cause",
      title: "Cause",
      width: 140,
      value: (row) => row.cause,
      cell: (row) => [
        swatch(hueColour(hueOfCause(row.cause)), true),
        h("span", { title: CAUSES[row.cause] ?? "" }, row.cause),
      ],
    },
    nameColumn("detail", "What was going on", (row) => row.detail, 200),
    timeColumn("time", "Time", unit, (row) => row.ns),
    {
      id: "share",
      title: "Of wall",
      align: "end",
      width: 84,
      value: (row) => row.ns,
      cell: (row) => formatShare(row.ns / trace.wall_ns!),
    },
  ];
  const bar = [dividedBar("Wall time", parts, trace.wall_ns), colourKey(parts)];
  if (rows.length === 0) return section("Idle time of the device", "The device was never idle.", null, bar);
  const about = "Per iteration, by what was going on." +
    (run.has("idle") ? " A double click, or Enter, shows the longest one of a cause in Timeline." : "");
  return gridSection("Idle time of the device", about, words, {
    label: "Idle time",
    rows: signal(rows),
    columns,
    leaving: ["share"],
    order: { column: "time", descending: true },
    key: (row) => JSON.stringify([row.cause, row.detail]),
    onOpen: (row) => void showLongest(context, run, row.cause),
    textOf: (row) => `${row.cause} ${row.detail ?? ""}`,
    csv: ["cause", "detail", "ns"],
  }, bar);
}

function waitsSection(run: RunData, words: Words): Node | null {
  const { waits } = run.report;
  if (!waits) return null;
  const about = "Per iteration. Threads wait at the same time, so that their waits may add up to more than wall time.";
  const sums = figures([
    ["The device waits for the host", formatTime(waits.device_for_host_ns)],
    ["The host waits for the device", formatTime(waits.host_for_device_ns)],
  ]);
  if (waits.calls.length === 0) return section("Who waits for whom", about, null, sums);
  const unit = tableUnit(largest(waits.calls.map((one) => one.ns)));
  return gridSection<(typeof waits.calls)[number]>("Who waits for whom", about, words, {
    label: "Waits",
    rows: signal(waits.calls),
    columns: [
      nameColumn("name", "Call that waits", (row) => row.name, 200),
      timeColumn("time", "Time", unit, (row) => row.ns),
      countColumn("count", "Calls", (row) => row.count, "Over all selected iterations"),
    ],
    order: { column: "time", descending: true },
    key: (row) => row.name,
    textOf: (row) => row.name,
    csv: [["call", (row) => row.name], "ns", "count"],
  }, sums);
}

function operationsSection(run: RunData, words: Words): Node | null {
  const rows = hostRows(run);
  if (!rows || rows.length === 0) return null;
  const kinds = [...new Set(rows.map((row) => row.kind))].sort();
  const chosen = signal("all");
  const shown = computed(() => chosen.value === "all" ? rows : rows.filter((row) => row.kind === chosen.value));
  const unit = tableUnit(largest(rows.map((row) => row.total)));
  const pick = kinds.length > 1
    ? choice(
      "Kind",
      [["all", "All"], ...kinds.map((kind) => [kind, `${kind[0]!.toUpperCase()}${kind.slice(1)}s`] as const)],
      chosen,
      (to) => chosen.value = to,
    )
    : null;
  return gridSection<HostRow>("Host operations", "Events of all threads of the host, per iteration.", words, {
    label: "Host operations",
    rows: shown,
    columns: [
      nameColumn("name", "Name", (row) => row.name, 200),
      { id: "kind", title: "Kind", width: 100, value: (row) => row.kind },
      {
        id: "calls",
        title: "Calls",
        align: "end",
        width: 80,
        value: (row) => row.calls,
        cell: (row) => valued(row.calls, decimal(row.calls, Number.isInteger(row.calls) ? 0 : 1)),
      },
      timeColumn(
        "self",
        "Own code",
        unit,
        (row) => row.self,
        "Without operators, calls of the runtime and waits inside of it; not known of annotations",
      ),
      timeColumn("total", "Total", unit, (row) => row.total, "With them"),
    ],
    leaving: ["kind", "calls", "total"],
    order: { column: "self", descending: true },
    key: (row) => `${row.kind}/${row.name}`,
    textOf: (row) => `${row.kind} ${row.name}`,
    csv: [
      "kind",
      "name",
      "calls",
      ["self_ns", (row) => row.self],
      ["total_ns", (row) => row.total],
    ],
  }, pick ? h("div", null, pick) : null);
}
