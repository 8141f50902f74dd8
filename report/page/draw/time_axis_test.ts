import { equal } from "../data/testing.ts";
import { absoluteNs, decimalText, ticksOf, tickStep } from "./time_axis.ts";

Deno.test("Decimals are rounded half to even, with integers alone", () => {
  equal(decimalText(12500, 1000, 0), "12");
  equal(decimalText(13500, 1000, 0), "14");
  equal(decimalText(999_999_999, 1e6, 3), "1000.000");
  equal(decimalText(9_007_199_254_740_991, 1e9, 3), "9007199.255");
  equal(decimalText(-4, 1000, 2), "0.00");
});

Deno.test("A time of the trace beyond 2^53 is exact", () => {
  equal(absoluteNs("1795773410123456789", 1), "1795773410123456790");
});

Deno.test("Steps are 1, 2 or 5 times a power of ten", () => {
  equal([0.3, 1, 1.1, 3, 5.1, 130].map(tickStep), [1, 1, 2, 5, 10, 200]);
});

Deno.test("Ticks are within the range, apart, and tell what differs", () => {
  equal(ticksOf(0, 4_000_000, 400, 90).map((tick) => tick.text), ["0 ms", "1 ms", "2 ms", "3 ms", "4 ms"]);
  equal(ticksOf(3_800_000, 4_000_100, 300, 100).map((tick) => tick.text), ["3.8 ms", "3.9 ms", "4.0 ms"]);
  equal(ticksOf(1_000_000_003, 1_000_000_005, 200, 90).map((tick) => tick.text), [
    "1.000000003 s",
    "1.000000004 s",
    "1.000000005 s",
  ]);
  equal(ticksOf(5, 5, 100, 10), []);
});
