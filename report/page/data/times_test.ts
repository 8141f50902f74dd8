import { equal } from "./testing.ts";
import { Times } from "./times.ts";

Deno.test("times are exact, near and far from each other, and in any order", () => {
  const near = Array.from({ length: 1000 }, (_, i) => 2 ** 52 + 7 * i), far = near.map((_, i) => i * 2 ** 33 + 1);
  for (const values of [[], [5], near, near.toReversed(), far, [...near, ...far], [-3, -9, 4]]) {
    equal([...Times.of(...values).toArray()], values);
    equal(new Times(values.length, (at) => values[at]!).at(values.length - 1), values.at(-1) ?? NaN);
  }
});
