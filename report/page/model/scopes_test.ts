import type { Kernel, ScopeAggregate } from "../contract/report.ts";
import { equal } from "../data/testing.ts";
import { pathTo, type ScopeNode, scopeTree, searchTree } from "./scopes.ts";

const TIMES: Record<string, number> = {
  "model": 100,
  "model.layer": 90,
  "model.layer.0": 40,
  "model.layer.0.mlp": 30,
  "model.layer.1": 50,
  "model.layer.1.mlp": 35,
  "model.norm": 10,
};
const scopes = Object.entries(TIMES).map(([name, ns]) =>
  ({ name, duration_ns: ns, own_duration_ns: 0, own_kernels: 1, kernels: 1, ratio: ns / 100 }) as ScopeAggregate
);
const kernels = ["model.layer.0.mlp", "model.layer.1.mlp", "model.norm"].map((scope, id) =>
  ({ id, scope, category: "gemm", duration_ns: 1 }) as Kernel
);
const outline = (nodes: readonly ScopeNode[]): unknown =>
  nodes.map((node) => [node.title, node.names.length, node.ns, node.least, node.most, outline(node.children)]);

Deno.test("repeated blocks are one node with their sum and spread, and so are their insides", () => {
  equal(outline(scopeTree(scopes, kernels, true)), [["model", 1, 100, 100, 100, [
    ["layer", 1, 90, 90, 90, [["[0–1]", 2, 90, 40, 50, [["mlp", 2, 65, 30, 35, []]]]]],
    ["norm", 1, 10, 10, 10, []],
  ]]]);
});

Deno.test("without folding every scope is a node", () => {
  const [model] = scopeTree(scopes, kernels, false);
  equal(model!.children[0]!.children.map((node) => node.title), ["0", "1"]);
  equal(pathTo([model!], "model.layer.1.mlp").map((node) => node.title), ["model", "layer", "1", "mlp"]);
});

Deno.test("a search keeps the ways to what it finds", () => {
  equal(outline(searchTree(scopeTree(scopes, kernels, true), ["norm"])), [["model", 1, 100, 100, 100, [[
    "norm",
    1,
    10,
    10,
    10,
    [],
  ]]]]);
});

Deno.test("a node can have more members than a call takes arguments", () => {
  const count = 130_000;
  const layers = Array.from(
    { length: count },
    (_, i) => ({ name: `layer.${i}`, duration_ns: i + 1, kernels: 1, ratio: 0 }),
  );
  const all = [{ name: "layer", duration_ns: 1, kernels: 1, ratio: 0 }, ...layers] as ScopeAggregate[];
  const found: ScopeNode[] = [];
  const visit = (nodes: readonly ScopeNode[]): void =>
    nodes.forEach((node) => (found.push(node), visit(node.children)));
  visit(scopeTree(all, [], true));
  equal(found.filter((node) => node.names.length === count).map((node) => [node.least, node.most]), [[1, count]]);
});
