/** What is known of a node of the graph. */
import type { Branch } from "../../contract/report.ts";
import type { RunData } from "../../data/tables.ts";
import { facts, link } from "../../view/controls.ts";
import { type Child, h } from "../../view/elements.ts";
import { formatCount, formatFactor, formatShare, formatTime, timeText } from "../../view/number.ts";
import type { GraphIndex, GraphNode } from "./placed_graph.ts";

/** What a screen reader says of a node: its name, its numbers, and its place. */
export function spokenNode(node: GraphNode, at: number, count: number): string {
  const numbers = node.time_ns === null ? node.kind : timeText(node.time_ns);
  return `${node.name}, ${numbers}, node ${at + 1} of ${count}`;
}

/** What is known of a node: of a kernel from the report, of others as the command says; then the branches into it. */
export function nodeContent(run: RunData, index: GraphIndex, at: number, choose: (node: number) => void): HTMLElement {
  const node = index.graph.nodes[at];
  const kernel = run.report.kernels[node?.kernel ?? -1];
  const linked = (nodes: readonly number[] | undefined): Child =>
    (nodes ?? []).map((one) =>
      h("span", { class: "graph-link" }, link(index.graph.nodes[one]?.name ?? "", () => choose(one)))
    );
  const known: [string, Child][] = kernel === undefined ? (node?.facts ?? []).map(([key, value]) => [key, value]) : [
    ["time", kernel.duration_ns === null ? null : formatTime(kernel.duration_ns)],
    ["share of busy time", kernel.ratio === null ? null : formatShare(kernel.ratio)],
    ["limit of busy time", kernel.ratio === null ? null : formatFactor(kernel.max_speedup)],
    ["events", kernel.events === null ? null : formatCount(kernel.events)],
    ["slack", kernel.slack_ns === null ? null : formatTime(kernel.slack_ns)],
    ["rule", kernel.rule],
    ["category", kernel.category],
    ["state", kernel.state],
    ["missed because", kernel.reason],
    ["scope", kernel.scope],
    ["nodes", kernel.nodes.join(", ")],
  ];
  known.push(["needs", linked(index.before[at])], ["needed by", linked(index.after[at])]);
  const branches = (run.report.branches ?? []).filter((branch) => branch.join === kernel?.id);
  return h(
    "div",
    { class: "graph-details" },
    h(
      "div",
      null,
      h("h2", null, node?.name),
      facts(known.filter(([, value]) => !(Array.isArray(value) && value.length === 0))),
    ),
    branches.length > 1 && branchTable(run, branches),
  );
}

function branchTable(run: RunData, branches: readonly Branch[]): HTMLElement {
  const nameOf = (end: number | string | null): string =>
    end === null ? "start" : typeof end === "string" ? end : (run.report.kernels[end]?.label ?? "");
  const rows = [...branches].sort((a, b) => b.path_ns - a.path_ns);
  return h(
    "div",
    null,
    h("h2", null, `${rows.length} branches into this kernel`),
    h(
      "table",
      { class: "graph-branches" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          ["by way of", "longest path", "of busy", "all kernels"].map((title) => h("th", { scope: "col" }, title)),
        ),
      ),
      h(
        "tbody",
        null,
        rows.map((branch) =>
          h(
            "tr",
            null,
            h("td", null, nameOf(branch.via)),
            h("td", null, formatTime(branch.path_ns)),
            h("td", null, formatShare(branch.path_ratio)),
            h("td", null, branch.sum_ns === null ? "" : formatTime(branch.sum_ns)),
          )
        ),
      ),
    ),
  );
}
