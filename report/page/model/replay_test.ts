import { equal } from "../data/testing.ts";
import type { Trace } from "../contract/report.ts";
import { divideHalfEven, newTimeText, parseSpeedUp, reportedIterations } from "./replay.ts";

Deno.test("a speed-up that a person writes is an exact factor, and its text asks the command for the same", () => {
  const texts = (text: string) => {
    const factor = parseSpeedUp(text);
    return factor && [`${factor.numerator}/${factor.denominator}`, newTimeText(factor)];
  };
  equal(texts("2x"), ["1/2", "2x"]);
  equal(texts("1.5"), ["2/3", "1.5x"]);
  equal(texts("4/3x"), ["3/4", "4/3x"]);
  equal(texts("1.67x"), ["100/167", "1.67x"]);
  equal(texts("0.25"), ["4/1", "0.25x"]);
  equal(texts("0"), ["0/1", "0"]);
  for (const text of ["", "x", "-1", "1e3", "1/0", "0/2", "0.0", "Infinity"]) equal(texts(text), null);
});

Deno.test("predicted times are per iteration, and are divided as the command divides", () => {
  const steps = [true, false, true].map((selected, i) => ({ name: String(i), recording: 0, selected }));
  const trace = (statistic: string) => ({ statistic, steps }) as unknown as Trace;
  equal([trace("mean"), trace("median"), null].map(reportedIterations), [2, 1, 1]);
  const divided = (total: bigint, count: bigint) => Number(divideHalfEven(total, count));
  equal([5n, 7n, 6n, 0n].map((total) => divided(total, 2n)), [2, 4, 3, 0]);
  equal([7n, 8n, 9n].map((total) => divided(total, 3n)), [2, 3, 3]);
});
