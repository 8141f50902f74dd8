/** The ranks of a run side by side: who computes longer, who waits for whom, and what that costs. */

import "./style.css";
import type { AcrossRanks, Collective, RankWait, ReportRank } from "../../contract/report.ts";
import { largest } from "../../model/largest.ts";
import { signal } from "../../state/signals.ts";
import { colourKey, dividedBar, figures, type Part, section } from "../../view/sections.ts";
import { capitalised, type Child, h } from "../../view/elements.ts";
import { chosenWords } from "../../view/filtering.ts";
import type { GridColumn } from "../../view/grid.ts";
import { countColumn, gridSection, nameColumn, timeColumn } from "../../view/searched_grid.ts";
import { factorText, formatCount, formatShare, formatTime, tableUnit, valued } from "../../view/number.ts";
import type { Mounted, View, ViewContext } from "../../view/view.ts";
import { imbalanceOf, isStragglerKnown, PARTS, partsOf, rangesText, type RankPart } from "./data.ts";

/** Ranks of one run. */
export const RANKS: View = {
  id: "ranks",
  title: "Ranks",
  order: 100,
  isAvailable: (page) => page.report.ranks !== null && page.report.ranks.length > 0,
  mount,
};

const COLOURS: Record<RankPart["id"], { colour: string; hatched?: boolean }> = {
  computation: { colour: "var(--hue-gemm)" },
  waiting: { colour: "var(--hue-communication)", hatched: true },
  communication: { colour: "var(--hue-communication)" },
  copies: { colour: "var(--hue-copy)" },
  idle: { colour: "var(--line)" },
};

function mount(context: ViewContext): Mounted {
  const { ranks, across_ranks: across } = context.page.report;
  const element = h("div", { class: "view ranks" });
  element.append(
    ...[
      summary(ranks!, across),
      bars(ranks!),
      ranksSection(context, ranks!),
      across && across.waits.length > 0 ? waitsSection(context, across) : null,
      across && across.collectives.length > 0 ? collectivesSection(context, across) : null,
      across && across.data_problems.length > 0 ? problems(across) : null,
    ].filter((one): one is HTMLElement => one !== null),
  );
  return { element };
}

function summary(ranks: readonly ReportRank[], across: AcrossRanks | null): HTMLElement {
  const straggler = across?.straggler ?? null;
  const imbalance = imbalanceOf(ranks);
  const notes: Child[] = [];
  if (across) {
    const missing = rangesText(across.missing);
    if (across.missing_count > 0) {
      notes.push(
        h(
          "p",
          null,
          `Without a trace: ${formatted(across.missing_count)}, ${missing}${
            across.missing.length < across.missing_count ? ", ..." : ""
          }. They may be later than those that are shown.`,
        ),
      );
    }
    if (across.compared === 0) {
      notes.push(h("p", null, "No operation of several ranks could be compared, so that nothing is known of waiting."));
    } else if (!straggler && !isStragglerKnown(across)) {
      notes.push(
        h(
          "p",
          null,
          "Sends and receives are not matched; in the operations that are compared no rank holds up others.",
        ),
      );
    }
    if (across.clocks === "aligned") {
      notes.push(h("p", null, "Clocks are shifted so that the ranks end operations together."));
    }
    if (across.steps.length === 0) {
      notes.push(h("p", null, "The ranks have no step in common: times are of their own steps."));
    }
  }
  return h(
    "div",
    { class: "section" },
    straggler
      ? h(
        "div",
        { class: "straggler" },
        h("p", null, [
          h("strong", null, "Rank ", valued(straggler.rank, String(straggler.rank)), " holds up the others."),
          " ",
          formatShare(straggler.share),
          " of all waiting is for it: ",
          formatTime(straggler.wait_ns),
          " a step by each rank that waits, of which ",
          formatTime(straggler.exposed_wait_ns),
          " are exposed. It begins operations ",
          formatTime(straggler.behind_next_ns),
          " after the rank before it",
          straggler.more_computation_ns === null ? "." : [
            ", and computes ",
            formatTime(Math.abs(straggler.more_computation_ns)),
            straggler.more_computation_ns < 0 ? " less" : " more",
            " than the median of the others.",
          ],
        ]),
        h("p", null, `What to do: ${straggler.advice}.`),
      )
      : null,
    figures([
      [
        "Ranks",
        across?.world_size
          ? [formatCount(ranks.length), h("span", { class: "soft" }, " of ", formatCount(across.world_size))]
          : formatCount(ranks.length),
      ],
      ["Steps in common", across ? formatCount(across.steps.length) : null],
      ["Longest computation over the mean", imbalance === null ? null : valued(imbalance, factorText(imbalance))],
      ["Operations that are compared", across ? formatCount(across.compared) : null],
      ["Straggler", across && !straggler ? isStragglerKnown(across) ? "none" : "not known" : null],
    ]),
    notes,
  );
}

const formatted = (count: number): string => count === 1 ? "one rank" : `${count} ranks`;

function bars(ranks: readonly ReportRank[]): HTMLElement | null {
  const known = ranks.filter((rank) => partsOf(rank).length > 0);
  if (known.length === 0) return null;
  const longest = largest(known.map((rank) => rank.wall_ns));
  const partOf = ({ id, ns }: RankPart): Part => ({ name: PARTS[id], value: ns, shown: null, ...COLOURS[id] });
  const used = new Set(known.flatMap((rank) => partsOf(rank).filter((part) => part.ns > 0).map((part) => part.id)));
  return section(
    "Wall time of each rank",
    "Per step.",
    null,
    colourKey((Object.keys(PARTS) as RankPart["id"][]).filter((id) => used.has(id)).map((id) => partOf({ id, ns: 1 }))),
    h(
      "div",
      { class: "rank-bars" },
      known.map((rank) => [
        h("span", { class: "rank-name" }, `rank ${rank.rank}`),
        dividedBar(`Rank ${rank.rank}`, partsOf(rank).map(partOf), longest),
        h("span", { class: "rank-wall" }, formatTime(rank.wall_ns!)),
      ]),
    ),
  );
}

/** From this on times of steps are in milliseconds; the CSV has their nanoseconds. */
const LONG_STEP = 10_000_000;

function ranksSection(context: ViewContext, ranks: readonly ReportRank[]): HTMLElement {
  const unit = tableUnit(largest(ranks.flatMap((rank) => [rank.wall_ns, rank.busy_ns, rank.window_ns])), LONG_STEP);
  // What is nothing for all ranks is no column.
  const unlessAllZero = (of: (rank: ReportRank) => number | null): (rank: ReportRank) => number | null =>
    ranks.some((rank) => of(rank) !== null && of(rank) !== 0) ? of : () => null;
  const columns: GridColumn<ReportRank>[] = [
    {
      id: "rank",
      title: "Rank",
      align: "end",
      width: 84,
      value: (row) => row.rank,
      cell: (row) => valued(row.rank, String(row.rank)),
    },
    timeColumn("window", "Window", unit, (row) => row.window_ns, "The step or annotation on the host, per step"),
    timeColumn("wall", "Wall", unit, (row) => row.wall_ns, "First start to last end of device events, per step"),
    timeColumn("busy", "Busy", unit, (row) => row.busy_ns, "Union of device events, per step"),
    timeColumn(
      "computation",
      "Computes",
      unit,
      (row) => row.computation_ns,
      "Union of the kernels that compute, per step",
    ),
    timeColumn(
      "communication",
      "Communicates",
      unit,
      (row) => row.communication_ns,
      "Union of the kernels that communicate, per step",
    ),
    timeColumn(
      "exposed",
      "Exposed",
      unit,
      (row) => row.exposed_communication_ns,
      "Communication while nothing computes, per step",
    ),
    timeColumn(
      "copies",
      "Copies",
      unit,
      (row) => row.exposed_copies_ns,
      "Copies while nothing computes or communicates, per step",
    ),
    timeColumn(
      "waits",
      "Waits",
      unit,
      (row) => row.wait_ns,
      "For the last rank, in operations that need all of their ranks, per step",
    ),
    timeColumn(
      "exposed-wait",
      "Waits exposed",
      unit,
      (row) => row.exposed_wait_ns,
      "The part of it in which the rank computes nothing, per step",
    ),
    timeColumn(
      "skew",
      "Later by",
      unit,
      (row) => row.skew_ns,
      "How much later than the first rank it begins an operation, mean",
    ),
    {
      id: "last",
      title: "Last in",
      about: "Operations that it began last, of those that were compared",
      align: "end",
      width: 84,
      value: (row) => row.last,
      cell: (row) => [valued(row.last, String(row.last)), " of ", valued(row.operations, String(row.operations))],
    },
    timeColumn("waited-for", "Waited for", unit, (row) => row.waited_for_ns, "By the others together, over all steps"),
    timeColumn("clock", "Clock", unit, unlessAllZero((row) => row.clock_offset_ns), "What is added to its times"),
    timeColumn(
      "drift",
      "Drift",
      unit,
      unlessAllZero((row) => row.clock_drift_ns),
      "How much more is to be added at its last operation than at the first",
    ),
    countColumn("steps", "Steps", (row) => row.iterations),
    { id: "device", title: "Device", width: 150, value: (row) => row.device },
    nameColumn("file", "File", (row) => row.file, 150),
  ];
  return gridSection("Ranks", "Times are per step; exposed is what nothing computes beside.", chosenWords(context), {
    rows: signal(ranks),
    label: "Ranks",
    columns,
    leaving: [
      "drift",
      "clock",
      "device",
      "file",
      "steps",
      "copies",
      "window",
      "waited-for",
      "last",
      "exposed-wait",
      "communication",
      "skew",
      "waits",
      "computation",
      "exposed",
      "busy",
    ],
    order: { column: "rank", descending: false },
    key: (row) => row.rank,
    textOf: (row) => `rank ${row.rank} ${row.file} ${row.device ?? ""}`,
    csv: [
      "rank",
      "window_ns",
      "wall_ns",
      "busy_ns",
      "computation_ns",
      "communication_ns",
      "exposed_communication_ns",
      "exposed_copies_ns",
      "wait_ns",
      "exposed_wait_ns",
      "skew_ns",
      "operations",
      "last",
      "waited_for_ns",
      "clock_offset_ns",
      "file",
    ],
  });
}

function waitsSection(context: ViewContext, across: AcrossRanks): HTMLElement {
  const unit = tableUnit(largest(across.waits.map((one) => one.ns)));
  const all = across.waits.reduce((sum, one) => sum + one.ns, 0);
  return gridSection<RankWait>("Who waits for whom", "Over all compared steps.", chosenWords(context), {
    rows: signal(across.waits),
    label: "Waits of ranks",
    columns: [
      {
        id: "rank",
        title: "Rank",
        align: "end",
        width: 70,
        value: (row) => row.rank,
        cell: (row) => valued(row.rank, String(row.rank)),
      },
      {
        id: "for",
        title: "Waits for rank",
        align: "end",
        width: 140,
        value: (row) => row.for_rank,
        cell: (row) => valued(row.for_rank, String(row.for_rank)),
      },
      timeColumn("time", "Time", unit, (row) => row.ns, "Over all compared steps"),
      timeColumn(
        "exposed",
        "Exposed",
        unit,
        (row) => row.exposed_ns,
        "The part of it in which the rank computes nothing",
      ),
      {
        id: "share",
        title: "Of waiting",
        align: "end",
        width: 100,
        value: (row) => row.ns,
        cell: (row) => formatShare(all > 0 ? row.ns / all : 0),
      },
      {
        id: "bar",
        title: "Exposed, and beside computation",
        width: 120,
        grow: 1,
        value: (row) => row.ns,
        cell: (row) =>
          dividedBar(`Rank ${row.rank} for rank ${row.for_rank}`, [
            { name: "exposed", value: row.exposed_ns, shown: null, ...COLOURS.waiting },
            { name: "beside computation", value: row.ns - row.exposed_ns, shown: null, colour: "var(--bar)" },
          ], largest(across.waits.map((one) => one.ns))),
      },
    ],
    order: { column: "time", descending: true },
    key: (row) => `${row.rank}/${row.for_rank}`,
    textOf: (row) => `rank ${row.rank} rank ${row.for_rank}`,
    csv: [
      "rank",
      "for_rank",
      "ns",
      "exposed_ns",
    ],
  });
}

function collectivesSection(context: ViewContext, across: AcrossRanks): HTMLElement {
  const { collectives } = across;
  const unit = tableUnit(largest(collectives.flatMap((one) => [one.wait_ns, one.most_start_skew_ns])));
  const columns: GridColumn<Collective>[] = [
    nameColumn("operation", "Operation", (row) => row.operation),
    { id: "kind", title: "Kind", width: 120, value: (row) => row.kind },
    {
      id: "group",
      title: "Group",
      width: 110,
      value: (row) => row.group,
      cell: (row) => h("span", { title: row.group_ranks ?? "" }, row.group ?? ""),
    },
    countColumn("ranks", "Ranks", (row) => row.ranks),
    countColumn("count", "Number", (row) => row.count),
    timeColumn("wait", "Waiting", unit, (row) => row.wait_ns, "Of all ranks, over all compared steps"),
    timeColumn("skew", "Start skew", unit, (row) => row.start_skew_ns, "Last start less first start, mean"),
    timeColumn("most", "Most", unit, (row) => row.most_start_skew_ns, "The largest start skew"),
    timeColumn("end", "End skew", unit, (row) => row.end_skew_ns, "Last end less first end, mean"),
    {
      id: "last",
      title: "Most often last",
      width: 140,
      value: (row) => row.last_rank,
      cell: (row) =>
        row.last_rank === null || row.last_count === null ? "" : [
          "rank ",
          valued(row.last_rank, String(row.last_rank)),
          ", ",
          valued(row.last_count, String(row.last_count)),
          " times",
        ],
    },
  ];
  return gridSection<Collective>("Collectives", "Operations of several ranks.", chosenWords(context), {
    rows: signal(collectives),
    label: "Collectives",
    columns,
    leaving: ["end", "most", "group", "kind", "skew", "ranks", "last", "count"],
    order: { column: "wait", descending: true },
    key: (row) => `${row.operation}/${row.kind}/${row.group}/${row.ranks}`,
    textOf: (row) => `${row.operation} ${row.kind} ${row.group ?? ""}`,
    csv: [
      "operation",
      "kind",
      "group",
      "ranks",
      "count",
      "start_skew_ns",
      "most_start_skew_ns",
      "end_skew_ns",
      "wait_ns",
      "last_rank",
      "last_count",
    ],
  });
}

function problems(across: AcrossRanks): HTMLElement {
  return section(
    "Data problems",
    null,
    null,
    h(
      "ul",
      { class: "problems" },
      across.data_problems.map((one) =>
        h(
          "li",
          null,
          capitalised(one.what),
          h("span", { class: "soft" }, " ", one.name, ", ", formatCount(one.count), " times"),
        )
      ),
    ),
  );
}
