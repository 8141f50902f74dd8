import { matches, searchWords, sorted } from "./sorting.ts";
import { equal } from "../data/testing.ts";

Deno.test("rows without a value are last in both directions, equal rows keep their order", () => {
  const rows: [string, number | null][] = [["a", 2], ["b", null], ["c", 1], ["d", 2]];
  const names = (descending: boolean) => sorted(rows, (row) => row[1], descending).map((row) => row[0]).join("");
  equal([names(false), names(true)], ["cadb", "adcb"]);
});

Deno.test("numbers within names are ordered as numbers, also in long tables", () => {
  const rows = Array.from({ length: 300 }, (_, i) => `layer.${299 - i}`);
  equal(sorted(rows, (row) => row, false).slice(0, 3), ["layer.0", "layer.1", "layer.2"]);
});

Deno.test("a search finds rows with all of its words in any case", () => {
  equal([matches(searchWords(" Layer  GEMM"), "gemm in layer.0"), matches(searchWords("layer x"), "gemm in layer.0")], [
    true,
    false,
  ]);
});
