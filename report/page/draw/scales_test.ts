import { equal } from "../data/testing.ts";
import { linearScale, linearTicks, logScale, logTicks, prefixedText } from "./scales.ts";

Deno.test("a scale places values, and finds them again", () => {
  const linear = linearScale(10, 20, 100, 0);
  equal([linear(10), linear(15), linear(20), linear.at(50)], [100, 50, 0, 15]);
  const log = logScale(0.1, 1000, 0, 400);
  equal([log(0.1), log(1), log(1000), Math.round(log.at(200))], [0, 100, 400, 10]);
  equal([linearScale(3, 3, 7, 9)(3), linearScale(3, 4, 7, 7).at(7)], [7, 3]);
});

Deno.test("ticks are round and inside the axis", () => {
  equal(linearTicks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
  equal(linearTicks(-3, 3, 3), [-2, 0, 2]);
  equal(Object.is(linearTicks(0, 1, 2)[0], 0), true);
  equal(linearTicks(5, 5, 3), [5]);
  equal(linearTicks(0, 3 * 1024 * 1024, 3, 1024), [0, 1048576, 2097152, 3145728]);
  equal(linearTicks(0, 1536, 2, 1024), [0, 1024]);
  equal(logTicks(0.5, 2000, 8), [1, 10, 100, 1000]);
  equal(logTicks(1e-3, 1e9, 5), [1e-3, 1, 1e3, 1e6, 1e9]);
});

Deno.test("a number has a prefix from a thousand on", () => {
  equal(prefixedText(989.4e12), "989 T");
  equal(prefixedText(999.9), "1 k");
  equal(prefixedText(999.9, true), "1.00 k");
  equal(prefixedText(12.345), "12.3 ");
  equal(prefixedText(0), "0 ");
});
