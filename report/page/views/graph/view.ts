/** The view Graph: the kernels of a run and what they need of each other, as the command placed them. */
import { PART_COLUMNS } from "../../model/parts.ts";
import "./style.css";
import type { RunData } from "../../data/tables.ts";
import { effect, scope, untracked } from "../../state/signals.ts";
import { h } from "../../view/elements.ts";
import type { Mounted, View, ViewContext } from "../../view/view.ts";
import { GraphPanel } from "./panel.ts";
import { FOLDS, type PlacedGraph } from "./placed_graph.ts";

function isPlaced(run: RunData): boolean {
  return FOLDS.some(([fold]) => run.hasColumn(`graph.${fold}`));
}

async function graphsOf(run: RunData): Promise<Map<string, PlacedGraph>> {
  const graphs = new Map<string, PlacedGraph>();
  const decoder = new TextDecoder();
  for (const [fold] of FOLDS) {
    const column = await run.column(`graph.${fold}`);
    if (column !== null) graphs.set(fold, JSON.parse(decoder.decode(column as Uint8Array)) as PlacedGraph);
  }
  return graphs;
}

function mount({ page, state, navigate }: ViewContext): Mounted {
  const element = h("div", { class: "view" });
  let end = (): void => {};
  let turn = 0;
  const show = async (run: RunData): Promise<void> => {
    const mine = ++turn;
    end();
    end = () => {};
    const graphs = await graphsOf(run);
    if (mine !== turn) return;
    if (graphs.size === 0) {
      element.replaceChildren(
        h("p", { class: "soft" }, "The graph of this run is too large to be placed, or has no kernels."),
      );
      return;
    }
    const [panel, stop] = scope(() => new GraphPanel({ page, state, navigate }, run, graphs).element);
    end = stop;
    element.replaceChildren(panel);
  };
  effect(() => {
    const run = page.runs[state.run.value];
    if (run !== undefined) untracked(() => void show(run));
  });
  return {
    element,
    dispose: () => {
      ++turn;
      end();
    },
  };
}

/** The kernel graph. */
export const graphView: View = {
  id: "graph",
  title: "Graph",
  order: 50,
  // Events belong to kernels.
  tables: ["event"],
  columns: [...PART_COLUMNS, ...FOLDS.map(([fold]) => `graph.${fold}`)],
  filters: ["phase", "forward", "category"],
  describesSelection: true,
  isAvailable: (page) => page.runs.some(isPlaced),
  mount,
};
