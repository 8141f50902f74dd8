import { equal } from "./testing.ts";
import { PackedIntegers } from "./packed_integers.ts";

Deno.test("Packed integers are exact, near and far from each other, and in any order", () => {
  const near = Array.from({ length: 1000 }, (_, i) => 2 ** 52 + 7 * i), far = near.map((_, i) => i * 2 ** 33 + 1);
  const apart = near.map((_, i) => i * 300);
  const borders = [[0, 2 ** 16 - 1], [0, 2 ** 16], [0, 2 ** 32 - 1], [0, 2 ** 32], [-3, -9, 4], [5], []];
  for (const values of [near, near.toReversed(), far, apart, [...near, ...apart, ...far], ...borders]) {
    equal([...PackedIntegers.of(...values).toArray()], values);
    equal(new PackedIntegers(values.length, (at) => values[at]!).at(values.length - 1), values.at(-1) ?? NaN);
  }
});
