import { equal } from "../data/testing.ts";
import { visitNested } from "./nesting.ts";

Deno.test("events are visited around those inside of them, also where a parent comes later in the table", () => {
  const visited: string[] = [];
  visitNested([-1, 2, 0, 0, -1], (event) => visited.push(`<${event}`), (event) => visited.push(`${event}>`));
  equal(visited.join(" "), "<0 <2 <1 1> 2> <3 3> 0> <4 4>");
  visitNested([], () => visited.push("no event"), () => {});
  equal(visited.length, 10);
});

Deno.test("a chain of a million events is visited once", () => {
  const parent = Int32Array.from({ length: 1_000_000 }, (_, i) => i - 1);
  let depth = 0, most = 0;
  visitNested(parent, () => most = Math.max(most, ++depth), () => depth--);
  equal([depth, most], [0, 1_000_000]);
});
