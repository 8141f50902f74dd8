/** What is selected, in words, beside every view, with ways to the other views. */

import type { Kernel } from "../contract/report.ts";
import type { RunData } from "../data/tables.ts";
import { searchUnbound } from "../model/kernels.ts";
import { largest } from "../model/largest.ts";
import type { Selection } from "../state/state.ts";
import { facts, link } from "../view/controls.ts";
import { button, type Child, h } from "../view/elements.ts";
import { categorySwatch } from "../view/marks.ts";
import { selectedKernel } from "../view/selected.ts";
import { formatBytes, formatCount, formatFactor, formatShare, formatTime } from "../view/number.ts";
import type { View, ViewContext } from "../view/view.ts";

/** What a selection is called, and what is known of it. */
interface Described {
  title: Child;
  kind: string;
  content: Child;
  /** Views that show it. */
  views: readonly string[];
}

const TITLES: Record<string, string> = {
  operators: "Operators",
  kernels: "Kernels",
  modules: "Modules",
  timeline: "Timeline",
  graph: "Graph",
  "what-if": "What-if",
};

/** The panel. It is hidden without a selection that can be described, and where the view describes it. */
export function selectionPanel(context: ViewContext, shown: readonly View[]): HTMLElement {
  const views = new Set(shown.map((view) => view.id));
  const silent = new Set(
    shown.filter((view) => view.describesSelection || view.id === "summary").map((view) => view.id),
  );
  const { page, state } = context;
  const describe = (): Described | null => {
    const selection = silent.has(state.tab.value) ? null : state.selection.value;
    const run = selection && page.runs[selection.run];
    return run ? DESCRIBE[selection.kind]?.(context, run, selection) ?? null : null;
  };
  return h("aside", { class: "selection", "aria-label": "Selection", hidden: () => describe() === null }, () => {
    const found = describe();
    if (!found) return null;
    const selection = state.selection.value;
    const elsewhere = found.views.filter((view) => views.has(view) && view !== state.tab.value);
    return [
      h(
        "div",
        { class: "selection-head" },
        h("span", { class: "soft" }, found.kind),
        button("×", () => state.selection.value = null, {
          class: "quiet",
          "aria-label": "Clear the selection",
          title: "Clear the selection",
        }),
      ),
      h("h2", null, found.title),
      elsewhere.length > 0
        ? h(
          "p",
          { class: "elsewhere" },
          "Show in ",
          elsewhere.map((
            view,
            index,
          ) => [index > 0 ? ", " : "", link(TITLES[view] ?? view, () => context.navigate(selection, view))]),
        )
        : null,
      found.content,
    ];
  });
}

type Describe = (context: ViewContext, run: RunData, selection: Selection) => Described | null;

const DESCRIBE: Partial<Record<Selection["kind"], Describe>> = {
  // What other views have of an event is its kernel.
  event: (context, run, selection) => {
    const id = selectedKernel(selection, run);
    const kernel = run.report.kernels.find((one) => one.id === id);
    return kernel ? describeKernel(context, run, kernel) : null;
  },
  kernel: (context, run, { id }) => {
    const kernel = run.report.kernels.find((one) => one.id === id);
    return kernel ? describeKernel(context, run, kernel) : null;
  },
  operator: (_, run, { id }) => {
    const unbound = searchUnbound(run.report.unbound ?? [], [String(id).toLowerCase()]).length;
    const overheads = run.report.overheads?.operators[String(id) as keyof object] as {
      t2?: { median_ns: number; count: number } | null;
    } | undefined;
    // The view says the rest.
    if (!overheads?.t2 && unbound === 0) return null;
    return {
      kind: "Operator",
      title: String(id),
      views: ["operators"],
      content: facts([
        [
          "Before its first launch (T2)",
          overheads?.t2
            ? ["median ", formatTime(overheads.t2.median_ns), ", ", formatCount(overheads.t2.count), " calls"]
            : null,
        ],
        ["Unbound events that name it", unbound || null],
      ]),
    };
  },
  scope: (context, run, { id }) => {
    const scope = run.report.aggregates?.scope.find((one) => one.name === id);
    if (!scope) return null;
    const kernels = run.report.kernels.filter((one) => one.scope === id || one.scope.startsWith(`${id}.`));
    return {
      kind: "Module",
      title: scope.name,
      views: ["modules", "graph"],
      content: [
        facts([
          ["Time", time(scope.duration_ns)],
          ["Own time", time(scope.own_duration_ns)],
          ["Share of busy time", scope.ratio === null ? null : formatShare(scope.ratio)],
          ["Kernels", formatCount(scope.kernels)],
          ["Events", scope.events === null ? null : formatCount(scope.events)],
          ["Limit of busy time", scope.duration_ns ? formatFactor(scope.max_speedup) : null],
          ["Limit of wall time", scope.duration_ns ? formatFactor(scope.max_speedup_wall) : null],
        ]),
        longest(context, run, kernels),
      ],
    };
  },
  category: (context, run, { id }) =>
    describeGroup(context, run, "Category", String(id), run.report.aggregates?.category, (one) => one.category === id),
  rule: (context, run, { id }) =>
    describeGroup(
      context,
      run,
      "Rule",
      String(id),
      run.report.aggregates?.rule,
      (one) => (one.rule ?? one.label) === id,
    ),
  node: (context, run, { id }) => {
    const node = run.report.nodes.find((_, index) => nodeName(context, run, index) === id);
    const kernels = run.report.kernels.filter((one) => one.nodes.includes(String(id)));
    return {
      kind: "Node",
      title: String(id),
      views: ["graph"],
      content: [facts([["State", node?.state ?? null]]), longest(context, run, kernels)],
    };
  },
};

const time = (ns: number | null): Child => ns === null ? null : formatTime(ns);

function nodeName(context: ViewContext, run: RunData, index: number): string | undefined {
  return (run.report.model ?? context.page.report.model)?.nodes[index]?.name;
}

function describeGroup(
  context: ViewContext,
  run: RunData,
  kind: string,
  name: string,
  groups:
    | readonly { name: string; duration_ns: number | null; ratio: number | null; max_speedup: number | null }[]
    | undefined,
  has: (kernel: Kernel) => boolean,
): Described | null {
  const group = groups?.find((one) => one.name === name);
  if (!group) return null;
  return {
    kind,
    title: name,
    views: [],
    content: [
      facts([["Time", time(group.duration_ns)], [
        "Share of busy time",
        group.ratio === null ? null : formatShare(group.ratio),
      ], ["Limit of busy time", formatFactor(group.max_speedup)]]),
      longest(context, run, run.report.kernels.filter(has)),
    ],
  };
}

/** The kernels with the most time, as links. */
function longest(context: ViewContext, run: RunData, kernels: readonly Kernel[]): Child {
  const shown = kernels.filter((one) => (one.duration_ns ?? 0) > 0).sort((a, b) =>
    (b.duration_ns ?? 0) - (a.duration_ns ?? 0)
  ).slice(0, 8);
  if (shown.length === 0) return null;
  return [
    h("h3", null, "Longest kernels"),
    h(
      "ul",
      { class: "longest" },
      shown.map((one) =>
        h(
          "li",
          null,
          categorySwatch(one.category),
          link(
            `${one.label}${one.scope ? `, ${one.scope}` : ""}`,
            () => context.navigate({ kind: "kernel", run: run.index, id: one.id }),
          ),
          formatTime(one.duration_ns ?? 0),
        )
      ),
    ),
  ];
}

function describeKernel(context: ViewContext, run: RunData, kernel: Kernel): Described {
  const { roofline } = kernel;
  const scope = kernel.scope &&
    link(kernel.scope, () => context.navigate({ kind: "scope", run: run.index, id: kernel.scope }, "modules"));
  const samples = kernel.samples_ns?.flat() ?? [];
  return {
    kind: "Kernel",
    title: [categorySwatch(kernel.category), kernel.label],
    views: ["kernels", "timeline", "graph"],
    content: [
      kernel.doc ? h("p", { class: "soft" }, kernel.doc) : null,
      facts([
        ["Time", time(kernel.duration_ns)],
        [
          "Over iterations",
          samples.length > 1
            ? [formatTime(samples.reduce((a, b) => Math.min(a, b))), " to ", formatTime(largest(samples))]
            : null,
        ],
        ["Share of busy time", kernel.ratio === null ? null : formatShare(kernel.ratio)],
        ["Events", kernel.events === null ? null : formatCount(kernel.events)],
        ["Scope", scope],
        ["Operator", kernel.operator],
        [
          "Nodes",
          kernel.nodes.slice(0, 12).join(", ") +
          (kernel.nodes.length > 12 ? `, and ${kernel.nodes.length - 12} more` : ""),
        ],
        ["Category", kernel.category],
        ["Rule", kernel.rule],
        ["Phase", kernel.phase],
        ["Binding", kernel.state?.replaceAll("-", " ")],
        ["Reason", kernel.reason],
        ["Trips", kernel.trip_count],
      ]),
      kernel.duration_ns
        ? [
          h("h3", null, "If it took no time"),
          facts([
            ["Busy time", [formatFactor(kernel.max_speedup), " as fast"]],
            [
              "Wall time",
              kernel.max_speedup_wall === null ? null : [formatFactor(kernel.max_speedup_wall), " as fast"],
            ],
            ["Slack", kernel.critical ? "none: on the critical path" : time(kernel.slack_ns)],
          ]),
        ]
        : null,
      roofline && (roofline.bytes || roofline.flops)
        ? [
          h("h3", null, "What the device allows"),
          facts([
            ["Attainable", time(roofline.attainable_ns)],
            ["Bound by", roofline.bound],
            ["Read", roofline.read_bytes === null ? null : formatBytes(roofline.read_bytes)],
            ["Written", roofline.written_bytes === null ? null : formatBytes(roofline.written_bytes)],
            ["Operations", roofline.flops === null ? null : formatCount(roofline.flops)],
            ["Runs", roofline.runs === null ? null : formatCount(roofline.runs)],
          ]),
        ]
        : null,
    ],
  };
}
