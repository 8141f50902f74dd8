/** The module scopes of a run: as a tree, and as an icicle that opens into what is inside. */

import { forwardsOfKernels, PART_COLUMNS } from "../../model/parts.ts";
import "./style.css";
import type { ScopeAggregate } from "../../contract/report.ts";
import type { RunData } from "../../data/tables.ts";
import { csvOf } from "../../model/csv.ts";
import { largest } from "../../model/largest.ts";
import { pathTo, type ScopeNode, scopeTree, searchTree } from "../../model/scopes.ts";
import { computed, effect, type Readable, type Signal, signal } from "../../state/signals.ts";
import { copyButton, toggle } from "../../view/controls.ts";
import { type Child, h } from "../../view/elements.ts";
import { chosenWords, passes, viewOfRun } from "../../view/filtering.ts";
import { icicle } from "../../view/icicle.ts";
import { categoryHue, categorySwatch } from "../../view/marks.ts";
import { formatCount, formatShare, formatTime, shareText, timeText, valued } from "../../view/number.ts";
import { tree } from "../../view/tree.ts";
import type { Mounted, View, ViewContext } from "../../view/view.ts";

/** Where in the model the time goes. */
export const MODULES: View = {
  id: "modules",
  title: "Modules",
  order: 30,
  columns: PART_COLUMNS,
  filters: ["phase", "forward", "category"],
  isAvailable: (page) => page.runs.some((run) => (run.report.aggregates?.scope.length ?? 0) > 0),
  mount,
};

function mount(context: ViewContext): Mounted {
  const words = chosenWords(context);
  const folded = signal(true);
  return viewOfRun(context, "modules", (run) => content(context, run, words, folded));
}

function content(
  context: ViewContext,
  run: RunData,
  words: Readable<readonly string[]>,
  folded: Signal<boolean>,
): Node[] {
  const { state, navigate } = context;
  const scopes = run.report.aggregates?.scope ?? [];
  if (scopes.length === 0) return [h("p", { class: "soft" }, "The kernels of this run have no module scopes.")];
  const all = computed(() => scopeTree(scopes, run.report.kernels, folded.value));
  const roots = computed(() => searchTree(filteredTree(all.value, run, context), words.value));
  const isSelected = (node: ScopeNode): boolean => {
    const selection = state.selection.value;
    return selection?.kind === "scope" && selection.run === run.index && node.names.includes(String(selection.id));
  };
  const onSelect = (node: ScopeNode) => navigate({ kind: "scope", run: run.index, id: node.names[0]! });
  const whole = Math.max(1, largest(all.peek().map((node) => node.ns)));
  const selection = state.selection.peek();
  const open = selection?.kind === "scope" ? pathTo(all.peek(), String(selection.id)).slice(0, -1) : [];
  const made = tree<ScopeNode>({
    label: "Modules",
    roots,
    key: (node) => node.key,
    children: (node) => node.children,
    row: (node) => treeRow(node, whole),
    isSelected,
    onSelect,
    open: [...open, ...opened(all.peek())].map((node) => node.key),
  });
  // A search opens the ways to what it finds.
  effect(() => {
    if (words.value.length > 0) made.open(branches(roots.value).slice(0, 200).map((node) => node.key));
  });
  const picture = icicle<ScopeNode>({
    label: "Modules by time",
    roots,
    key: (node) => node.key,
    title: titleOf,
    about: (node) => `${timeText(node.ns)}${node.ratio === null ? "" : `, ${shareText(node.ratio)} of busy time`}`,
    value: (node) => Math.max(node.ns, node.children.reduce((sum, one) => sum + one.ns, 0)),
    children: (node) => node.children,
    colour: (node) => categoryHue(node.category),
    isSelected,
    onSelect,
  });
  const repeats = all.peek().some(hasRepeats);
  const head = h(
    "div",
    { class: "view-head" },
    repeats ? toggle("Put repeated modules together", folded, (on) => folded.value = on) : null,
    h(
      "span",
      { class: "soft" },
      () =>
        `${scopes.length} modules${
          Object.values(state.filters.value).some((one) => one !== null)
            ? "; those with what passes the filters, with all of their time"
            : ""
        }`,
    ),
    h("span", { class: "end" }, copyButton("Copy as CSV", () => scopesCsv(run))),
  );
  const columns = h(
    "div",
    { class: "tree-head", "aria-hidden": true },
    h("span", null, "Module"),
    h("span", null, "Own"),
    h("span", null, "With its inside"),
    h("span", null, "Of busy"),
  );
  const beyond = scopes.some(hasOtherShare)
    ? h(
      "p",
      { class: "soft" },
      "A time is the median of the module over the iterations. A share is of busy time with each kernel at its own median: where iterations differ, it is not the time over busy time.",
    )
    : null;
  const parts = [head, picture, beyond, h("div", { class: "module-tree" }, columns, made.element)];
  return parts.filter((one) => one !== null);
}

/** Whether the time of a module differs much from what it takes with each kernel at its median. */
const hasOtherShare = ({ duration_ns, undisturbed_ns }: ScopeAggregate): boolean =>
  duration_ns !== null && duration_ns > 0 && Math.abs(duration_ns - undisturbed_ns) / duration_ns > 0.02;

/** The tree without modules that have no kernel which passes the filters. */
function filteredTree(roots: readonly ScopeNode[], run: RunData, context: ViewContext): readonly ScopeNode[] {
  const filters = context.state.filters.value;
  if (filters.category === null && filters.phase === null && filters.forward === null) return roots;
  const forwards = forwardsOfKernels(run);
  const kept = new Set<string>();
  for (const [place, kernel] of run.report.kernels.entries()) {
    const { phase, category } = kernel;
    if (!passes({ ...filters, stream: null }, { phase, category, forwards: forwards[place]! })) continue;
    for (let name = kernel.scope; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) kept.add(name);
  }
  const keep = (nodes: readonly ScopeNode[]): ScopeNode[] =>
    nodes.filter((node) => node.names.some((name) => kept.has(name))).map((node) => ({
      ...node,
      children: keep(node.children),
    }));
  return keep(roots);
}

const titleOf = (node: ScopeNode): string => node.names.length > 1 ? `${node.title} ×${node.names.length}` : node.title;
const hasRepeats = (node: ScopeNode): boolean => node.names.length > 1 || node.children.some(hasRepeats);
const branches = (nodes: readonly ScopeNode[]): ScopeNode[] =>
  nodes.flatMap((node) => node.children.length > 0 ? [node, ...branches(node.children)] : []);

/** What is open at first: from the roots on as long as there are few. */
function opened(roots: readonly ScopeNode[]): ScopeNode[] {
  const open: ScopeNode[] = [];
  let level = [...roots], rows = level.length;
  while (level.length > 0) {
    const next = level.flatMap((node) => [...node.children]);
    if (next.length === 0 || rows + next.length > 24) break;
    open.push(...level);
    rows += next.length;
    level = next;
  }
  return open;
}

function treeRow(node: ScopeNode, whole: number): Child {
  const repeated = node.names.length > 1;
  return [
    h(
      "span",
      { class: "module-name", title: node.names.slice(0, 20).join("\n") },
      categorySwatch(node.category),
      node.title,
    ),
    repeated
      ? h(
        "span",
        { class: "repeats", title: "How many, and the time of the shortest and the longest" },
        "×",
        formatCount(node.names.length),
        h("span", { class: "soft spread" }, `${timeText(node.least)} – ${timeText(node.most)}`),
      )
      : null,
    h("span", { class: "module-own" }, node.ownNs > 0 ? formatTime(node.ownNs) : valued(0, "")),
    h(
      "span",
      { class: "module-time", style: { "--share": `${Math.min(100, (100 * node.ns) / whole).toFixed(2)}%` } },
      h("span", { class: "bar-track", "aria-hidden": true }),
      formatTime(node.ns),
    ),
    h("span", { class: "module-share" }, node.ratio === null ? "" : formatShare(node.ratio)),
  ];
}

function scopesCsv(run: RunData): string {
  return csvOf<ScopeAggregate>([
    ["run", () => run.label],
    ["scope", (one) => one.name],
    "kernels",
    "events",
    "duration_ns",
    "own_duration_ns",
    "ratio",
    "max_speedup",
    "max_speedup_wall",
  ], run.report.aggregates?.scope ?? []);
}
