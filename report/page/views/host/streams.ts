/** The streams of the device, and how long their queues of launches are. */

import type { Stream } from "../../contract/report.ts";
import type { RunData } from "../../data/tables.ts";
import { hueOf } from "../../draw/colours.ts";
import { linearScale, linearTicks } from "../../draw/scales.ts";
import { ticksOf } from "../../draw/time_axis.ts";
import { largest } from "../../model/largest.ts";
import { type Readable, signal } from "../../state/signals.ts";
import { h, s } from "../../view/elements.ts";
import type { GridColumn } from "../../view/grid.ts";
import { hueColour } from "../../view/marks.ts";
import { decimal, formatCount, formatShare, formatTime, tableUnit, valued } from "../../view/number.ts";
import { axes, chart, stepPath } from "../../view/plot.ts";
import { countColumn, gridSection, timeColumn } from "../../view/searched_grid.ts";
import { colourKey, dividedBar, type Part, section } from "../../view/sections.ts";
import type { ViewContext } from "../../view/view.ts";
import { laneName, queues, type QueueSeries, streamName, thinned } from "./data.ts";

/** What each stream does; null where none is known. */
export function streamsSection(
  context: ViewContext,
  run: RunData,
  words: Readable<readonly string[]>,
): Node | null {
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
      width: 110,
      // Columns are as wide as their values, and so this is what is seen.
      value: shownName,
      cell: (row) => valued(streamName(row), shownName(row)),
    },
    {
      id: "families",
      title: "Families of kernels",
      about:
        "By the name of each device kernel. A category is of a whole kernel of the graph, whose copies count with it",
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
        "runtime_ns",
        "busy_ns",
        "idle_ns",
        "window_share",
        "start_delay_ns",
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

/** Queues over time; null where no launch ever waited. */
export function queueSection(run: RunData): Node | null {
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
