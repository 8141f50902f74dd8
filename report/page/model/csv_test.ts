import { csvField, csvTable } from "./csv.ts";
import { equal } from "../data/testing.ts";

Deno.test("fields are quoted where they must, and control characters are replaced", () => {
  equal(
    csvTable(["a", "b"], [["x,y", 'say "no"'], [null, true], ["a\nb", 1.5]]),
    'a,b\r\n"x,y","say ""no"""\r\n,true\r\na?b,1.5\r\n',
  );
});

Deno.test("numbers are written as the command writes them", () => {
  equal([0, 1e-7, 1.5e-10, 0.010134534654873205, 1e21].map(csvField), [
    "0",
    "1e-07",
    "1.5e-10",
    "0.010134534654873205",
    "1e+21",
  ]);
});

Deno.test("a text that a spreadsheet would compute gets an apostrophe, as `-csv-safe` writes it", () => {
  const texts = ["=1+1", "+x", "-a", "@sum", "＝1", "a;=b;-2", "-5", "-1.5e3", "-5x", "+5", "a=b", "=a,b", "\t=a"];
  equal(texts.map(csvField), [
    "'=1+1",
    "'+x",
    "'-a",
    "'@sum",
    "'＝1",
    "a;'=b;-2",
    "-5",
    "-1.5e3",
    "'-5x",
    "'+5",
    "a=b",
    '"\'=a,b"',
    "?=a",
  ]);
  equal([-1, -0.5].map(csvField), ["-1", "-0.5"]);
});
