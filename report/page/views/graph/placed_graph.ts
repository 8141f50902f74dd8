/** The graph of a run's kernels as the command placed it, and what is where in it. */

/** Left, top, width and height, in points. */
export type Area = readonly [left: number, top: number, width: number, height: number];

/** A kernel, a value, or several kernels that are drawn as one. */
export interface GraphNode {
  readonly name: string;
  readonly kind:
    | "plain"
    | "measured"
    | "no-device-work"
    | "missed"
    | "not-executed"
    | "ambiguous"
    | "tensor"
    | "terminal"
    | "module";
  /** Texts of its row: its name, then numbers. */
  readonly columns: readonly string[];
  /** Number of nodes that it stands for. */
  readonly count: number;
  readonly critical: boolean;
  /** Of busy time; null without a time. */
  readonly share: number | null;
  readonly time_ns: number | null;
  /** Its id in the report; null if it stands for several or none. */
  readonly kernel: number | null;
  /** What is known of a node that is no kernel of the report. */
  readonly facts?: readonly (readonly [key: string, value: string])[];
}

/** Rows of nodes, each of which needs the one above. */
export interface GraphBox {
  readonly area: Area;
  readonly nodes: readonly number[];
  readonly widths: readonly number[];
}

/** A module around boxes, or the body of a node. */
export interface GraphFrame {
  readonly name: string;
  readonly area: Area;
  readonly owner: number | null;
}

/** A dependence. Without points it is within a box. */
export interface GraphEdge {
  readonly from: number;
  readonly to: number;
  readonly critical?: true;
  readonly points?: readonly number[];
  readonly label?: string;
  readonly label_at?: readonly [x: number, y: number];
}

/** A graph that is folded in one way. */
export interface PlacedGraph {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly GraphNode[];
  readonly boxes: readonly GraphBox[];
  readonly frames: readonly GraphFrame[];
  readonly edges: readonly GraphEdge[];
  readonly notes: readonly string[];
}

/** Ways to fold the graph, in the order of the choice, with what each is called. */
export const FOLDS = [["auto", "Folded"], ["none", "All kernels"], ["0", "Modules"], ["1", "1 level"], [
  "2",
  "2 levels",
], [
  "3",
  "3 levels",
]] as const;
/** A way to fold the graph. */
export type Fold = (typeof FOLDS)[number][0];

/** With more nodes a graph is shown in another way first, if it is folded in one with fewer. */
const MOST_AT_FIRST = 120;

/** The way to fold a graph that is shown first: of the others the one with the most nodes that can be read. */
export function readableFold(graphs: ReadonlyMap<string, PlacedGraph>): string {
  const [first] = graphs;
  if (first === undefined || first[1].nodes.length <= MOST_AT_FIRST) return first?.[0] ?? "";
  const others = [...graphs].filter(([, { nodes }]) => nodes.length <= MOST_AT_FIRST);
  return (others.sort((a, b) => b[1].nodes.length - a[1].nodes.length)[0] ?? first)[0];
}

/** Height of a row, in points, as the command has it. */
export const ROW_HEIGHT = 20;

/** Where the nodes of a graph are, and which follow which. */
export class GraphIndex {
  readonly graph: PlacedGraph;
  /** By node. */
  readonly areas: readonly Area[];
  readonly boxOf: readonly number[];
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
  /** By edge: where its label is. */
  readonly labels: readonly (readonly [x: number, y: number] | undefined)[];
  /** By edge: the rectangle around its points; undefined within a box. */
  readonly bounds: readonly (Area | undefined)[];
  readonly #nodeOfKernel = new Map<number, number>();

  constructor(graph: PlacedGraph) {
    this.graph = graph;
    const areas: Area[] = [];
    const boxOf: number[] = [];
    graph.boxes.forEach((box, index) => {
      const [left, top, width] = box.area;
      box.nodes.forEach((node, row) => {
        areas[node] = [left, top + row * ROW_HEIGHT, width, ROW_HEIGHT];
        boxOf[node] = index;
      });
    });
    this.areas = areas;
    this.boxOf = boxOf;
    const before: number[][] = graph.nodes.map(() => []);
    const after: number[][] = graph.nodes.map(() => []);
    for (const { from, to } of graph.edges) {
      before[to]?.push(from);
      after[from]?.push(to);
    }
    this.before = before;
    this.after = after;
    this.labels = labelPlaces(graph.edges);
    this.bounds = graph.edges.map(({ points }) => points === undefined ? undefined : boundsOf(points));
    graph.nodes.forEach(({ kernel }, node) => {
      if (kernel !== null) this.#nodeOfKernel.set(kernel, node);
    });
  }

  /** The node of a kernel; undefined where it is folded into another one. */
  nodeOfKernel(kernel: number): number | undefined {
    return this.#nodeOfKernel.get(kernel);
  }

  /** The node at a point. */
  nodeAt(x: number, y: number): number | undefined {
    for (const box of this.graph.boxes) {
      const [left, top, width, height] = box.area;
      if (x < left || x >= left + width || y < top || y >= top + height) continue;
      return box.nodes[Math.floor((y - top) / ROW_HEIGHT)];
    }
    return undefined;
  }
}

/** The height of a line of labels, and about half of the width of a character. */
const LABEL_LINE = 11, HALF_CHARACTER = 2.5;

/** Where the labels of edges are: one that would lie on another one is below it. */
function labelPlaces(edges: PlacedGraph["edges"]): (readonly [x: number, y: number] | undefined)[] {
  const lines = new Map<number, [x: number, y: number, half: number][]>();
  return edges.map(({ label, label_at }) => {
    if (label === undefined || label_at === undefined) return undefined;
    const x = label_at[0], half = label.length * HALF_CHARACTER;
    for (let y = label_at[1];; y += LABEL_LINE) {
      const line = Math.round(y / LABEL_LINE);
      const isFree = [line - 1, line, line + 1].every((near) =>
        (lines.get(near) ?? []).every(([otherX, otherY, otherHalf]) =>
          Math.abs(otherX - x) >= half + otherHalf || Math.abs(otherY - y) >= LABEL_LINE
        )
      );
      if (!isFree) continue;
      lines.set(line, [...(lines.get(line) ?? []), [x, y, half]]);
      return [x, y];
    }
  });
}

function boundsOf(points: readonly number[]): Area {
  const xs = points.filter((_, i) => i % 2 === 0);
  const ys = points.filter((_, i) => i % 2 === 1);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return [left, top, Math.max(...xs) - left, Math.max(...ys) - top];
}

/** Whether two rectangles have a common part, or touch. */
export function meets(a: Area, b: Area): boolean {
  return a[0] <= b[0] + b[2] && b[0] <= a[0] + a[2] && a[1] <= b[1] + b[3] && b[1] <= a[1] + a[3];
}

/** What part of the graph is shown: a point at the upper left corner, and pixels per point. */
export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** Least and largest pixels per point. */
export const ZOOMS = [0.02, 4] as const;

/** The viewport with a zoom that is `factor` as large; the point at this place of the canvas stays there. */
export function zoomedAt({ x, y, zoom }: Viewport, factor: number, left: number, top: number): Viewport {
  const next = Math.min(Math.max(zoom * factor, ZOOMS[0]), ZOOMS[1]);
  return { x: x + left / zoom - left / next, y: y + top / zoom - top / next, zoom: next };
}

/** Least pixels per point of a graph that is shown first: names of nodes can be read. */
const READABLE = 0.85;

/** All of the graph in a canvas of this size, as far as its names can be read; else from its top, where the critical path begins if it does so there. */
export function fitting(graph: PlacedGraph, width: number, height: number): Viewport {
  const room = 16;
  const byWidth = (width - 2 * room) / Math.max(1, graph.width);
  const byHeight = (height - 2 * room) / Math.max(1, graph.height);
  const zoom = Math.min(1.25, Math.max(Math.min(byWidth, byHeight), READABLE));
  const byTop = [...graph.boxes].sort((a, b) => a.area[1] - b.area[1]);
  const start =
    byTop.find((box) => box.area[1] < height / zoom / 2 && box.nodes.some((node) => graph.nodes[node]?.critical)) ??
      byTop[0];
  const [left, , boxWidth] = start?.area ?? [0, 0, graph.width];
  // What does not fit begins at an edge of the graph, and holds the box that the path begins in.
  const from = (size: number, canvas: number, wanted: number): number =>
    size * zoom + 2 * room <= canvas
      ? (size - canvas / zoom) / 2
      : Math.max(-room / zoom, Math.min(size + (room - canvas) / zoom, wanted));
  return {
    x: from(graph.width, width, left + boxWidth / 2 - width / zoom / 2),
    y: from(graph.height, height, -room / zoom),
    zoom,
  };
}

/** All of the graph, however small its names are. */
export function whole(graph: PlacedGraph, width: number, height: number): Viewport {
  const zoom = Math.min(1.25, (width - 32) / Math.max(1, graph.width), (height - 32) / Math.max(1, graph.height));
  return { x: (graph.width - width / zoom) / 2, y: (graph.height - height / zoom) / 2, zoom };
}
