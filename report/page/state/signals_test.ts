import { batch, computed, effect, onCleanup, scope, signal } from "./signals.ts";
import { equal } from "../data/testing.ts";

Deno.test("an effect runs once for a batch, and not for an equal value", () => {
  const a = signal(1), b = signal(2);
  const seen: number[] = [];
  const stop = effect(() => void seen.push(a.value + b.value));
  batch(() => {
    a.value = 2;
    b.value = 3;
  });
  a.value = 2;
  stop();
  a.value = 9;
  equal(seen, [3, 5]);
});

Deno.test("a computed value is made once for each change, and only if it is read", () => {
  const a = signal(1);
  let runs = 0;
  const twice = computed(() => (runs++, a.value * 2));
  equal(runs, 0);
  equal([twice.value, twice.value, runs], [2, 2, 1]);
  const seen: number[] = [];
  const stop = effect(() => void seen.push(twice.value));
  a.value = 5;
  stop();
  equal([seen, runs], [[2, 10], 2]);
});

Deno.test("the end of a scope ends its effects and what they own", () => {
  const a = signal(1);
  const seen: string[] = [];
  const [, end] = scope(() => {
    effect(() => {
      const value = a.value;
      effect(() => void seen.push(`inner ${value}`));
      onCleanup(() => seen.push(`left ${value}`));
    });
  });
  a.value = 2;
  end();
  a.value = 3;
  equal(seen, ["inner 1", "left 1", "inner 2", "left 2"]);
});
