import { equal } from "./testing.ts";
import { PackedIntegers } from "./packed_integers.ts";

Deno.test("Packed integers are exact, near and far from each other, and in any order", () => {
  const near = Array.from({ length: 1000 }, (_, i) => 2 ** 52 + 7 * i), far = near.map((_, i) => i * 2 ** 33 + 1);
  const apart = near.map((_, i) => i * 300);
  for (
    const values of [[], [5], near, near.toReversed(), far, [...near, ...far], apart, [...near, ...apart, ...far], [
      -3,
      -9,
      4,
    ]]
  ) {
    equal([...PackedIntegers.of(...values).toArray()], values);
    equal(new PackedIntegers(values.length, (at) => values[at]!).at(values.length - 1), values.at(-1) ?? NaN);
  }
});
