import { chosenOf, parseFragment, writeFragment } from "./url.ts";
import { newState } from "./state.ts";
import { equal } from "../data/testing.ts";

Deno.test("what is written is read back", () => {
  const chosen = {
    ...chosenOf(newState()),
    tab: "what-if",
    run: 1,
    selection: { kind: "scope", run: 1, id: "bert.layer:0 = ä&#" } as const,
    search: "a b+c",
    filters: { phase: "forward", forward: "decode", stream: "stream 7", category: null },
    range: [-5, 17] as const,
    whatIf: [{ selector: "matmul", factor: "1/3" }, { selector: "nodes(a=b)", factor: "0.5" }, {
      selector: "cuda-graph",
      factor: null,
    }],
    scheme: "dark" as const,
  };
  equal(parseFragment(writeFragment(chosen)), { chosen, notice: null });
});

Deno.test("a state in which nothing is chosen is short", () => {
  equal(writeFragment(chosenOf(newState())), "#v=1");
  equal(parseFragment(""), { chosen: {}, notice: null });
});

Deno.test("other versions, garbage and a megabyte are ignored, and this is said", () => {
  for (const text of ["#v=2&tab=kernels", "#%E0%A4%A", "#\u0000", `#v=1&search=${"x".repeat(1 << 20)}`]) {
    const { chosen, notice } = parseFragment(text);
    equal([chosen, typeof notice], [{}, "string"]);
  }
});

Deno.test("a part that is not understood is left out, the others stay", () => {
  const { chosen } = parseFragment("#v=1&tab=<b>&run=-1&select=kernel:0:x&range=9-3&scheme=pink&search=q");
  equal(chosen, { search: "q" });
});
