/** What the host does: why the device is idle, what launches cost, and how far ahead of the device it is. */

import "./style.css";
import type { Statistic, Stream } from "../../contract/report.ts";
import type { RunData } from "../../data/tables.ts";
import { hueOf, hueOfCause } from "../../draw/colours.ts";
import { hueColour, swatch } from "../../view/marks.ts";
import { linearScale, linearTicks } from "../../draw/scales.ts";
import { ticksOf } from "../../draw/time_axis.ts";
import { CAUSES } from "../../model/causes.ts";
import { largest } from "../../model/largest.ts";
import { computed, type Readable, signal } from "../../state/signals.ts";
import { colourKey, dividedBar, figures, type Part, section } from "../../view/sections.ts";
import { axes, chart, stepPath } from "../../view/plot.ts";
import { choice } from "../../view/controls.ts";
import { type Child, h, s } from "../../view/elements.ts";
import { chosenWords, viewOfRun } from "../../view/filtering.ts";
import type { GridColumn } from "../../view/grid.ts";
import { countColumn, gridSection, nameColumn, timeColumn } from "../../view/searched_grid.ts";
import { decimal, formatCount, formatShare, formatTime, tableUnit, timeText, valued } from "../../view/number.ts";
import { whyNoSums } from "../../view/restricted.ts";
import type { Mounted, View, ViewContext } from "../../view/view.ts";
import {
  type HostRow,
  hostRows,
  type IdleRow,
  idleRows,
  laneName,
  type OverheadRow,
  overheadRows,
  OVERHEADS,
  overheadTotals,
  queues,
  type QueueSeries,
  streamName,
  tellsOfHost,
  thinned,
} from "./data.ts";
import { showLongest } from "./longest_idle.ts";
import { replaySection } from "./replay_quality.ts";
import { pathSection, stepClassesSection, throughputSection } from "./run_path.ts";

/** Host and device: idle time, waits, overheads, streams, queues, and host operations. */
export const HOST: View = {
  id: "host",
  title: "Host",
  order: 70,
  tables: ["event", "host"],
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
    csv: [["cause", (row) => row.cause], ["detail", (row) => row.detail], ["ns", (row) => row.ns]],
  }, bar);
}

/** A box from the lower to the upper quartile with the median, and whiskers to the extremes, on an axis that all rows share. */
function boxPlot(statistic: Statistic, most: number): Child {
  const width = 130;
  // Small and large samples are both seen: the axis is linear up to 1 us, and logarithmic beyond.
  const place = (ns: number) => Math.sign(ns) * Math.log1p(Math.abs(ns) / 1000);
  const x = (ns: number) => 1 + (Math.max(0, place(ns)) / Math.max(1e-9, place(most))) * (width - 2);
  const { min_ns, q1_ns, median_ns, q3_ns, max_ns } = statistic;
  return s(
    "svg",
    {
      class: "box",
      width,
      height: 16,
      role: "img",
      "aria-label": `${timeText(min_ns)} to ${timeText(max_ns)}, median ${timeText(median_ns)}`,
    },
    s("line", { x1: x(min_ns), x2: x(max_ns), y1: 8, y2: 8, class: "whisker" }),
    s("rect", { x: x(q1_ns), y: 3, width: Math.max(2, x(q3_ns) - x(q1_ns)), height: 10, class: "quartiles" }),
    s("line", { x1: x(median_ns), x2: x(median_ns), y1: 1, y2: 15, class: "median" }),
  );
}

function overheadsSection(run: RunData, words: Words): Node | null {
  const { overheads } = run.report;
  if (!overheads) return null;
  const rows = overheadRows(overheads), totals = overheadTotals(rows);
  if (rows.length === 0) return null;
  const unit = tableUnit(largest(rows.map((row) => row.statistic.total_ns)));
  const most = largest(rows.map((row) => row.statistic.max_ns));
  const columns: GridColumn<OverheadRow>[] = [
    { id: "overhead", title: "Overhead", width: 92, value: (row) => row.overhead },
    nameColumn("name", "Operator or call", (row) => row.name === "" ? "all" : row.name),
    timeColumn("total", "Sum", unit, (row) => row.statistic.total_ns),
    countColumn("count", "Samples", (row) => row.statistic.count),
    timeColumn("mean", "Mean", unit, (row) => row.statistic.mean_ns),
    timeColumn("std", "Deviation", unit, (row) => row.statistic.std_ns, "Standard deviation of the population"),
    timeColumn("min", "Least", unit, (row) => row.statistic.min_ns),
    timeColumn("median", "Median", unit, (row) => row.statistic.median_ns),
    timeColumn("max", "Most", unit, (row) => row.statistic.max_ns),
    {
      id: "box",
      title: "Spread",
      about: "From the least to the most, with quartiles and median; linear up to 1 us, logarithmic beyond",
      width: 150,
      value: (row) => row.statistic.median_ns,
      cell: (row) => boxPlot(row.statistic, most),
    },
  ];
  const loading = overheads.data_loading.map((one) =>
    h(
      "p",
      { class: "soft" },
      "Data loading in ",
      h("code", null, one.name),
      " is left out: ",
      formatTime(one.total_ns),
      " in ",
      formatCount(one.count),
      one.count === 1 ? " span." : " spans.",
    )
  );
  return gridSection(
    "Overheads",
    "Over all selected iterations. Waiting for the device is no overhead.",
    words,
    {
      label: "Overheads",
      rows: signal(rows),
      columns,
      leaving: ["std", "min", "max", "mean", "box", "count", "median"],
      order: { column: "total", descending: true },
      key: (row) => `${row.overhead}/${row.name}`,
      textOf: (row) => `${row.overhead} ${row.name}`,
      csv: [
        ["operator", (row) => row.name],
        ["overhead", (row) => row.overhead.toLowerCase()],
        ["count", (row) => row.statistic.count],
        ["mean_ns", (row) => row.statistic.mean_ns],
        ["std_ns", (row) => row.statistic.std_ns],
        ["median_ns", (row) => row.statistic.median_ns],
        ["total_ns", (row) => row.statistic.total_ns],
      ],
    },
    h(
      "dl",
      { class: "overheads" },
      OVERHEADS.map(([id, meaning], i) =>
        h(
          "div",
          null,
          h("dt", null, id),
          h("dd", { class: "soft meaning" }, meaning),
          h("dd", { class: "number" }, formatTime(totals[i]!.ns)),
          h("dd", { class: "number soft" }, formatCount(totals[i]!.count), " samples"),
        )
      ),
    ),
    loading,
  );
}

function streamsSection(context: ViewContext, run: RunData, words: Words): Node | null {
  const { streams, concurrency, trace } = run.report;
  if (!streams || streams.length === 0) return null;
  const unit = tableUnit(largest(streams.map((one) => one.runtime_ns)));
  const families = new Map<string, number>();
  for (const stream of streams) {
    for (const { name, runtime_ns } of stream.families) families.set(name, (families.get(name) ?? 0) + runtime_ns);
  }
  const parts = [...families].sort((a, b) => b[1] - a[1])
    .map(([name, ns]): Part => ({ name, value: ns, shown: formatTime(ns), colour: hueColour(hueOf(name)) }));
  const longest = largest(streams.map((one) => one.runtime_ns));
  const active = (concurrency ?? []).map((one): Part => ({
    name: one.active === 0 ? "none" : one.active === 1 ? "1 stream" : `${one.active} streams`,
    value: one.ns,
    shown: formatTime(one.ns),
    colour: one.active === 0
      ? "var(--line)"
      : `color-mix(in srgb, var(--accent) ${Math.min(100, 30 + 25 * (one.active - 1))}%, var(--page))`,
  }));
  const hasDevices = streams.some((one) => one.device !== streams[0]!.device);
  const shownName = (row: Stream): string => hasDevices ? `${laneName(row)}, device ${row.device}` : laneName(row);
  const columns: GridColumn<Stream>[] = [
    {
      id: "stream",
      title: "Stream",
      width: Math.max(110, 8 * largest(streams.map((one) => shownName(one).length)) + 24),
      value: streamName,
      cell: (row) => valued(streamName(row), shownName(row)),
    },
    {
      id: "families",
      title: "Families of kernels",
      width: 160,
      grow: 1,
      value: (row) => row.runtime_ns,
      cell: (row) =>
        dividedBar(
          `Stream ${streamName(row)}`,
          row.families.map((one) => ({
            name: one.name,
            value: one.runtime_ns,
            shown: null,
            colour: hueColour(hueOf(one.name)),
          })),
          longest,
        ),
    },
    countColumn("events", "Events", (row) => row.count),
    timeColumn("device", "Device", unit, (row) => row.runtime_ns, "Sum of durations"),
    timeColumn("busy", "Busy", unit, (row) => row.busy_ns, "Union of its events"),
    timeColumn("idle", "Idle", unit, (row) => row.idle_ns, "Wall time of the run without that"),
    {
      id: "wall",
      title: "Of wall",
      align: "end",
      width: 84,
      value: (row) => trace?.wall_ns ? row.busy_ns / trace.wall_ns : null,
      cell: (row) => trace?.wall_ns ? formatShare(row.busy_ns / trace.wall_ns) : "",
    },
    {
      id: "share",
      title: "Of window",
      align: "end",
      width: 94,
      value: (row) => row.window_share,
      cell: (row) => row.window_share === null ? "" : formatShare(row.window_share),
    },
    timeColumn(
      "delay",
      "Starts after",
      unit,
      (row) => row.start_delay_ns,
      "From the start of the window to the first event",
    ),
    {
      id: "queue",
      title: "Queue",
      about: "Events launched and not started: the mean over wall time",
      align: "end",
      width: 76,
      value: (row) => row.queue?.mean ?? null,
      cell: (row) => row.queue ? valued(row.queue.mean, decimal(row.queue.mean, 2)) : "",
    },
    countColumn("most", "At most", (row) => row.queue?.max ?? null),
    timeColumn(
      "latency",
      "Latency",
      unit,
      (row) => row.launch_latency?.median_ns ?? null,
      "End of the launching call to start of the event, the median",
    ),
  ];
  const wall = trace?.wall_ns ?? active.reduce((sum, one) => sum + one.value, 0);
  return gridSection(
    "Streams",
    "Per iteration.",
    words,
    {
      label: "Streams",
      rows: signal(streams),
      columns,
      leaving: ["latency", "delay", "most", "queue", "idle", "share", "events", "busy", "families"],
      order: { column: "device", descending: true },
      key: streamName,
      isSelected: (row) => {
        const selection = context.state.selection.value;
        return selection?.kind === "stream" && selection.run === run.index && selection.id === laneName(row);
      },
      onSelect: (row) => context.navigate({ kind: "stream", run: run.index, id: laneName(row) }),
      textOf: (row) => `${streamName(row)} ${laneName(row)} ${row.families.map((one) => one.name).join(" ")}`,
      csv: [
        ["stream", streamName],
        ["events", (row) => row.count],
        ["runtime_ns", (row) => row.runtime_ns],
        ["busy_ns", (row) => row.busy_ns],
        ["idle_ns", (row) => row.idle_ns],
        ["window_share", (row) => row.window_share],
        ["start_delay_ns", (row) => row.start_delay_ns],
        ["queue_mean", (row) => row.queue?.mean ?? null],
        ["queue_max", (row) => row.queue?.max ?? null],
        ["launch_latency_median_ns", (row) => row.launch_latency?.median_ns ?? null],
      ],
    },
    active.length > 0
      ? [
        h("h3", null, "Streams that are active at once"),
        dividedBar("Streams that are active at once", active, wall),
        colourKey(active),
      ]
      : null,
    h("h3", null, "Device time by family of kernels"),
    colourKey(parts),
  );
}

/** Queues beyond this number, those that were never long, are not drawn. */
const MOST_QUEUES = 12;

function queueSection(run: RunData): Node | null {
  const all = queues(run).filter((one) => one.most > 0).sort((a, b) => b.most - a.most);
  if (all.length === 0) return null;
  const shown = all.slice(0, MOST_QUEUES);
  const from = Math.min(...shown.map((one) => one.ends[0]!)), to = Math.max(...shown.map((one) => one.ends.at(-1)!));
  const name = run.report.trace?.representative;
  return section(
    "Queues",
    `Events that were launched and had not started${
      name ? `, in ${name}` : ""
    }. A queue that is empty leaves the device without work.`,
    null,
    shown.map((series, i) => queueChart(series, from, to, i === shown.length - 1)),
    all.length > shown.length
      ? h(
        "p",
        { class: "soft" },
        `The queues of ${all.length - shown.length} more streams were at most ${shown.at(-1)!.most}.`,
      )
      : null,
  );
}

function queueChart(series: QueueSeries, from: number, to: number, isLast: boolean): HTMLElement {
  return h(
    "div",
    { class: "queue" },
    h("h3", null, series.stream, h("span", { class: "soft" }, " at most ", formatCount(series.most))),
    chart({
      label: `Queue of ${series.stream} over time, at most ${series.most}`,
      height: isLast ? 110 : 92,
      below: isLast ? 38 : 20,
      left: 40,
      right: 24,
      draw: (box) => {
        const x = linearScale(from, to, box.left, box.right), y = linearScale(0, series.most, box.bottom, box.top);
        const thin = thinned(series, Math.max(1, Math.floor(box.right - box.left)));
        return [
          axes(box, {
            label: isLast ? "Time from the start" : "",
            scale: x,
            ticks: ticksOf(0, to - from, box.right - box.left, 110).map((tick) => [tick.ns + from, tick.text]),
          }, {
            label: "",
            scale: y,
            ticks: linearTicks(0, series.most, 2).filter(Number.isInteger).map((tick) => [tick, String(tick)]),
          }),
          s("path", { d: stepPath(thin.ends, thin.waiting, x, y, box.bottom), class: "area" }),
        ];
      },
    }),
  );
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
    csv: [["call", (row) => row.name], ["ns", (row) => row.ns], ["count", (row) => row.count]],
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
      timeColumn("self", "Self", unit, (row) => row.self, "Without the events inside of it; not known of annotations"),
      timeColumn("total", "Total", unit, (row) => row.total, "With them"),
    ],
    leaving: ["kind", "calls", "total"],
    order: { column: "self", descending: true },
    key: (row) => `${row.kind}/${row.name}`,
    textOf: (row) => `${row.kind} ${row.name}`,
    csv: [
      ["kind", (row) => row.kind],
      ["name", (row) => row.name],
      ["calls", (row) => row.calls],
      ["self_ns", (row) => row.self],
      ["total_ns", (row) => row.total],
    ],
  }, pick ? h("div", null, pick) : null);
}
