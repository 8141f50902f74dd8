import { equal } from "../../data/testing.ts";
import { holds } from "../../model/test_data.ts";
import {
  fitting,
  GraphIndex,
  type GraphNode,
  meets,
  type PlacedGraph,
  whole,
  zoomedAt,
  ZOOMS,
} from "./placed_graph.ts";

function nodeOf(name: string, kernel: number | null): GraphNode {
  return { name, kind: "measured", columns: [name], count: 1, critical: false, share: null, time_ns: null, kernel };
}

const GRAPH: PlacedGraph = {
  width: 200,
  height: 400,
  nodes: [nodeOf("a", 7), nodeOf("b", 8), nodeOf("folded", null)],
  boxes: [
    { area: [10, 20, 100, 40], nodes: [0, 1], widths: [50] },
    { area: [50, 100, 100, 20], nodes: [2], widths: [50] },
  ],
  frames: [],
  edges: [{ from: 0, to: 1 }, { from: 1, to: 2, points: [60, 60, 60, 80, 100, 80, 100, 100] }],
  notes: [],
};

Deno.test("Nodes are found by place, kernel and edge", () => {
  const index = new GraphIndex(GRAPH);
  equal(index.nodeAt(15, 25), 0);
  equal(index.nodeAt(15, 45), 1);
  equal(index.nodeAt(60, 119), 2);
  equal(index.nodeAt(60, 120), undefined);
  equal(index.nodeOfKernel(8), 1);
  equal(index.nodeOfKernel(9), undefined);
  equal(index.after, [[1], [2], []]);
  equal(index.before, [[], [0], [1]]);
  equal(index.areas[1], [10, 40, 100, 20]);
  equal(index.bounds, [undefined, [60, 60, 40, 40]]);
});

Deno.test("The point under the pointer stays there when the zoom changes", () => {
  const next = zoomedAt({ x: 10, y: 20, zoom: 1 }, 2, 100, 50);
  equal(next, { x: 60, y: 45, zoom: 2 });
  equal(zoomedAt(next, 1000, 0, 0).zoom, ZOOMS[1]);
  equal(zoomedAt(next, 1e-9, 0, 0).zoom, ZOOMS[0]);
});

Deno.test("A graph that fits is in the middle, a high one starts at its top", () => {
  const small = fitting(GRAPH, 1000, 1000);
  equal(small.x + 1000 / small.zoom / 2, 100);
  equal(small.y + 1000 / small.zoom / 2, 200);
  const high = fitting({ ...GRAPH, height: 100000 }, 300, 300);
  equal(high.zoom, 0.85);
  holds(high.y < 0 && high.y * high.zoom >= -16.01);
});

Deno.test("A graph that cannot be read at the size of the canvas is shown in part, from the first box that is critical", () => {
  const wide = fitting({ ...GRAPH, width: 100000, height: 100000 }, 300, 300);
  equal(wide.zoom, 0.85);
  const first = GRAPH.boxes.find((box) => box.nodes.some((node) => GRAPH.nodes[node]!.critical)) ?? GRAPH.boxes[0]!;
  const middle = first.area[0] + first.area[2] / 2;
  holds(wide.x <= middle && middle <= wide.x + 300 / wide.zoom);
  const all = whole({ ...GRAPH, width: 100000 }, 300, 300);
  equal([all.x < 0, all.x + 300 / all.zoom > 100000], [true, true]);
});

Deno.test("Labels of edges do not lie on each other", () => {
  const edge = (x: number, y: number) => ({
    from: 0,
    to: 1,
    label: "1.000 ms, 3.4 %",
    label_at: [x, y] as [number, number],
  });
  const edges = [edge(0, 0), edge(40, 5), edge(200, 5), edge(20, 0)];
  equal(new GraphIndex({ ...GRAPH, edges }).labels, [[0, 0], [40, 16], [200, 5], [20, 33]]);
});

Deno.test("Rectangles meet where they have a common part", () => {
  holds(meets([0, 0, 10, 10], [5, 5, 1, 1]));
  holds(!meets([0, 0, 10, 10], [11, 0, 5, 5]));
});
