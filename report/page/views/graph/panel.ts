/** The graph of one run: its state, and what is drawn of it. */
import { forwardsOfKernels } from "../../model/parts.ts";
import type { Palette } from "../../draw/colours.ts";
import { frames } from "../../draw/frame_loop.ts";
import { CanvasRenderer } from "../../draw/renderer.ts";
import { schemePalette } from "../../draw/scheme.ts";
import { matches, searchWords } from "../../model/sorting.ts";
import { computed, effect, onCleanup, type Readable, signal } from "../../state/signals.ts";
import type { RunData } from "../../data/tables.ts";
import { choice, toggle } from "../../view/controls.ts";
import { button, capitalised, h } from "../../view/elements.ts";
import { selectedKernel } from "../../view/selected.ts";
import type { ViewContext } from "../../view/view.ts";
import { nodeContent, spokenNode } from "./details.ts";
import { drawGraph } from "./painter.ts";
import {
  fitting,
  FOLDS,
  GraphIndex,
  type GraphNode,
  type PlacedGraph,
  readableFold,
  type Viewport,
  whole,
  zoomedAt,
} from "./placed_graph.ts";

/** A press that moves less than this is a click. */
const DRAG_FROM = 4;
/** A node that was chosen elsewhere is shown at least so large. */
const READABLE = 0.8;

/** The elements of a run's graph, which is folded in the ways of `graphs`. */
export class GraphPanel {
  readonly element: HTMLElement;
  readonly #context: ViewContext;
  readonly #run: RunData;
  readonly #renderer: CanvasRenderer;
  #unrevealed: number | null = null;
  readonly #surface: HTMLElement;
  readonly #option = h("div", { role: "option", class: "graph-option", "aria-selected": true });
  readonly #fold = signal<string>("");
  readonly #pathOnly = signal(false);
  readonly #viewport = signal<Viewport | null>(null);
  readonly #index: Readable<GraphIndex>;
  readonly #chosen = signal<number | null>(null);
  readonly #found: Readable<ReadonlySet<number> | null>;
  readonly #palette: Readable<Palette>;
  #isFocused = false;
  readonly #draw = (): void => this.#frame();

  constructor(context: ViewContext, run: RunData, graphs: ReadonlyMap<string, PlacedGraph>) {
    this.#context = context;
    this.#run = run;
    this.#palette = schemePalette(context.state);
    const indices = new Map([...graphs].map(([fold, graph]) => [fold, new GraphIndex(graph)]));
    this.#fold.value = readableFold(graphs);
    const empty = new GraphIndex({ width: 1, height: 1, nodes: [], boxes: [], frames: [], edges: [], notes: [] });
    this.#index = computed(() => indices.get(this.#fold.value) ?? empty);
    this.#found = computed(() => this.#findNodes());
    const canvas = h("canvas", { "aria-hidden": true });
    this.#renderer = new CanvasRenderer(canvas);
    this.#option.id = "graph-option";
    this.#surface = h(
      "div",
      {
        class: "graph-surface",
        role: "listbox",
        tabindex: 0,
        "aria-label": "Nodes of the graph",
        "aria-activedescendant": this.#option.id,
        onfocus: () => this.#focus(true),
        onblur: () => this.#focus(false),
        onkeydown: (event: KeyboardEvent) => this.#key(event),
      },
      canvas,
      this.#option,
    );
    const below = h("div", { class: "graph-below" });
    this.element = h(
      "div",
      { role: "group", "aria-label": "Graph", class: "graph view" },
      h("div", { class: "graph-tools" }, this.#tools([...indices.keys()])),
      this.#surface,
      below,
    );
    this.#listen();
    this.#follow(below);
  }

  #tools(folds: readonly string[]): HTMLElement[] {
    const values = FOLDS.filter(([fold]) => folds.includes(fold));
    const tools: HTMLElement[] = [];
    if (values.length > 1) tools.push(choice("Folding", values, this.#fold, (fold) => this.#fold.value = fold));
    tools.push(
      toggle("Only the critical path", this.#pathOnly, (on) => this.#pathOnly.value = on),
      button("Show all", () => this.#showAll(), { class: "quiet" }),
      h(
        "span",
        { class: "graph-zoom" },
        button("+", () => this.#zoom(1.4), { class: "quiet", "aria-label": "Zoom in" }),
        button("\u2212", () => this.#zoom(1 / 1.4), { class: "quiet", "aria-label": "Zoom out" }),
      ),
      h("div", { role: "status", "aria-label": "Nodes", class: "graph-count" }, () => {
        const all = this.#index.value.graph.nodes.length;
        const found = this.#found.value;
        return found === null ? `${all} nodes` : `${found.size} of ${all} nodes`;
      }),
    );
    return tools;
  }

  #forwards: ReturnType<typeof forwardsOfKernels> | null = null;

  /** Nodes that the search, the filters and the path let stand out; null for all. */
  #findNodes(): ReadonlySet<number> | null {
    const { search, filters } = this.#context.state;
    const words = searchWords(search.value);
    const { category, phase, forward } = filters.value;
    if (words.length === 0 && category === null && phase === null && forward === null && !this.#pathOnly.value) {
      return null;
    }
    this.#forwards ??= forwardsOfKernels(this.#run);
    const found = new Set<number>();
    this.#index.value.graph.nodes.forEach((node, at) => {
      if (this.#pathOnly.value && !node.critical) return;
      const kernel = node.kernel === null ? undefined : this.#run.report.kernels[node.kernel];
      if (category !== null && this.#categoryOf(node) !== category) return;
      if (phase !== null && kernel?.phase !== phase) return;
      if (forward !== null && !this.#forwards![node.kernel ?? -1]?.has(forward)) return;
      if (matches(words, [node.name, kernel?.scope ?? "", ...(kernel?.nodes ?? [])].join(" "))) found.add(at);
    });
    return found;
  }

  #categoryOf(node: GraphNode): string {
    const kernel = node.kernel === null ? undefined : this.#run.report.kernels[node.kernel];
    return kernel?.category ?? node.facts?.find(([key]) => key === "category")?.[1] ?? "";
  }

  #follow(below: HTMLElement): void {
    const { state } = this.#context;
    effect(() => {
      void [this.#viewport.value, this.#index.value, this.#found.value, this.#palette.value, this.#chosen.value];
      this.#redraw();
    });
    // Another fold is another picture.
    effect(() => {
      void this.#index.value;
      this.#viewport.value = null;
      this.#chosen.value = null;
    });
    effect(() => {
      const selection = state.selection.value;
      const index = this.#index.value;
      const kernel = selectedKernel(selection, this.#run);
      const node = kernel === null ? undefined : index.nodeOfKernel(kernel);
      if (node === undefined || node === this.#chosen.peek()) return;
      this.#chosen.value = node;
      this.#reveal(node);
    });
    effect(() => {
      const at = this.#chosen.value;
      const index = this.#index.value;
      const node = at === null ? undefined : index.graph.nodes[at];
      this.#option.textContent = at === null || node === undefined
        ? `${index.graph.nodes.length} nodes; the arrow keys move along edges`
        : spokenNode(node, at, index.graph.nodes.length);
      below.replaceChildren();
      if (at !== null && node !== undefined) {
        below.append(nodeContent(this.#run, index, at, (next) => this.#choose(next, true)));
      } else {
        const notes = index.graph.notes.map((note) => h("p", { class: "soft" }, `${capitalised(note)}.`));
        below.append(
          ...notes,
          index.graph.nodes.some((node) => node.columns.some((text) => text.startsWith("\u2264")))
            ? h(
              "p",
              { class: "soft" },
              "In a kernel: its time, its share of busy time, and after \u2264 how many times as fast busy time were at most without it.",
            )
            : "",
          h("p", { class: "soft" }, "Click a node to see what it is. Drag to move, Ctrl + wheel to zoom."),
        );
      }
    });
    const observer = new ResizeObserver(() => {
      if (this.#unrevealed !== null) this.#reveal(this.#unrevealed);
      this.#redraw();
    });
    observer.observe(this.#surface);
    // Paper shows all of the graph.
    const print = () => {
      this.#showAll();
      this.#frame();
    };
    addEventListener("beforeprint", print);
    onCleanup(() => {
      observer.disconnect();
      removeEventListener("beforeprint", print);
      frames.forget(this.#draw);
    });
  }

  /** What is shown now: until the user moves it, as much of the graph as can be read. */
  get #shown(): Viewport {
    const { clientWidth, clientHeight } = this.#surface;
    return this.#viewport.peek() ??
      fitting(this.#index.peek().graph, Math.max(1, clientWidth), Math.max(1, clientHeight));
  }

  #showAll(): void {
    const { clientWidth, clientHeight } = this.#surface;
    this.#viewport.value = whole(this.#index.peek().graph, Math.max(1, clientWidth), Math.max(1, clientHeight));
  }

  #redraw(): void {
    frames.mark(this.#draw);
  }

  #frame(): void {
    const { clientWidth, clientHeight } = this.#surface;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.#renderer.resize(clientWidth, clientHeight);
    const index = this.#index.peek();
    const found = this.#found.peek();
    let largestShare = 0;
    for (const { share } of index.graph.nodes) largestShare = Math.max(largestShare, share ?? 0);
    drawGraph(this.#renderer, {
      index,
      viewport: this.#shown,
      palette: this.#palette.peek(),
      categoryOf: (node) => this.#categoryOf(node),
      largestShare,
      stands: (node) => found === null || found.has(node),
      selected: this.#chosen.peek(),
      isFocused: this.#isFocused,
    });
  }

  #focus(isFocused: boolean): void {
    this.#isFocused = isFocused;
    this.#redraw();
  }

  #zoom(factor: number, left = this.#surface.clientWidth / 2, top = this.#surface.clientHeight / 2): void {
    this.#viewport.value = zoomedAt(this.#shown, factor, left, top);
  }

  /** Moves by pixels. */
  #move(left: number, top: number): void {
    const { x, y, zoom } = this.#shown;
    this.#viewport.value = { x: x + left / zoom, y: y + top / zoom, zoom };
  }

  /** Moves the canvas to a node unless it is in sight and can be read. */
  #reveal(node: number): void {
    const area = this.#index.peek().areas[node];
    if (area === undefined) return;
    const { clientWidth, clientHeight } = this.#surface;
    // An element that is not shown yet has no size.
    this.#unrevealed = clientWidth === 0 ? node : null;
    if (clientWidth === 0) return;
    const { x, y, zoom } = this.#shown;
    const [left, top, width, height] = area;
    const isInside = left >= x && top >= y && left + width <= x + clientWidth / zoom &&
      top + height <= y + clientHeight / zoom;
    if (isInside && zoom >= READABLE / 2) return;
    const next = Math.max(zoom, READABLE);
    this.#viewport.value = {
      x: left + width / 2 - clientWidth / next / 2,
      y: top + height / 2 - clientHeight / next / 2,
      zoom: next,
    };
  }

  #choose(node: number | null, reveals: boolean): void {
    this.#chosen.value = node;
    const kernel = node === null ? null : (this.#index.peek().graph.nodes[node]?.kernel ?? null);
    const { selection } = this.#context.state;
    selection.value = kernel === null ? null : { kind: "kernel", run: this.#run.index, id: kernel };
    if (node !== null && reveals) this.#reveal(node);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.#surface) return;
    const index = this.#index.peek();
    const count = index.graph.nodes.length;
    const at = this.#chosen.peek();
    const go = (node: number | undefined): void => {
      if (node !== undefined && node >= 0 && node < count) this.#choose(node, true);
    };
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => go(at === null ? 0 : index.after[at]?.[0]),
      ArrowUp: () => go(at === null ? 0 : index.before[at]?.[0]),
      ArrowRight: () => go(at === null ? 0 : at + 1),
      ArrowLeft: () => go(at === null ? 0 : at - 1),
      Home: () => go(0),
      End: () => go(count - 1),
      n: () => go(this.#nextFound(at ?? -1)),
      w: () => this.#zoom(1.4),
      s: () => this.#zoom(1 / 1.4),
      a: () => this.#move(-80, 0),
      d: () => this.#move(80, 0),
      "0": () => this.#showAll(),
      f: () => {
        if (at !== null) this.#reveal(at);
      },
      Escape: () => this.#choose(null, false),
    };
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (action === undefined) return;
    event.preventDefault();
    action();
  }

  /** The next node that stands out, or the first one after the last. */
  #nextFound(at: number): number | undefined {
    const found = [...(this.#found.peek() ?? [])];
    return found.find((node) => node > at) ?? found[0];
  }

  #listen(): void {
    const surface = this.#surface;
    let press: { id: number; x: number; y: number; drags: boolean } | null = null;
    const place = (event: MouseEvent): [number, number] => {
      const box = surface.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    surface.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const [x, y] = place(event);
      press = { id: event.pointerId, x, y, drags: false };
      surface.setPointerCapture(event.pointerId);
    });
    surface.addEventListener("pointermove", (event) => {
      if (press === null || press.id !== event.pointerId) return;
      const [x, y] = place(event);
      if (!press.drags && Math.hypot(x - press.x, y - press.y) < DRAG_FROM) return;
      this.#move(press.x - x, press.y - y);
      press = { id: press.id, x, y, drags: true };
    });
    surface.addEventListener("pointerup", (event) => {
      const isClick = press !== null && !press.drags;
      press = null;
      if (!isClick) return;
      const [left, top] = place(event);
      const { x, y, zoom } = this.#shown;
      this.#choose(this.#index.peek().nodeAt(x + left / zoom, y + top / zoom) ?? null, false);
    });
    surface.addEventListener("pointercancel", () => press = null);
    surface.addEventListener("wheel", (event) => {
      event.preventDefault();
      const [left, top] = place(event);
      if (event.ctrlKey || event.metaKey) {
        this.#zoom(Math.exp(-Math.max(-100, Math.min(100, event.deltaY)) * 0.005), left, top);
      } else if (event.shiftKey) {
        this.#move(event.deltaY, 0);
      } else {
        this.#move(event.deltaX, event.deltaY);
      }
    }, { passive: false });
  }
}
