import { equal } from "../data/testing.ts";
import { newTimeText, parseSpeedUp } from "./replay.ts";

Deno.test("a speed-up that a person writes is an exact factor, and its text asks the command for the same", () => {
  const texts = (text: string) => {
    const factor = parseSpeedUp(text);
    return factor && [`${factor.numerator}/${factor.denominator}`, newTimeText(factor)];
  };
  equal(texts("2x"), ["1/2", "2x"]);
  equal(texts("1.5"), ["2/3", "3/2x"]);
  equal(texts("3/2x"), ["2/3", "3/2x"]);
  equal(texts("0.25"), ["4/1", "1/4x"]);
  equal(texts("0"), ["0/1", "0"]);
  for (const text of ["", "x", "-1", "1e3", "1/0", "0/2", "0.0", "Infinity"]) equal(texts(text), null);
});
