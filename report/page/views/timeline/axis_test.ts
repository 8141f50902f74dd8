import { equal } from "../../data/testing.ts";
import { around, clampRange, including, LEAST_NS, moved, zoomed } from "./axis.ts";

Deno.test("A range stays within the extent", () => {
  equal(clampRange([-50, 50], [0, 1000]), [0, 100]);
  equal(clampRange([950, 1050], [0, 1000]), [900, 1000]);
  equal(clampRange([-5, 2000], [0, 1000]), [0, 1000]);
  equal(clampRange([500, 500], [0, 1000]), [500, 500 + LEAST_NS]);
});

Deno.test("Zoom keeps the time under the pointer in place", () => {
  equal(zoomed([0, 1000], 0.5, 250, [0, 1000]), [125, 625]);
  equal(zoomed([125, 625], 2, 250, [0, 1000]), [0, 1000]);
  equal(zoomed([100, 130], 0.1, 100, [0, 1000]), [100, 100 + LEAST_NS]);
});

Deno.test("A range moves by parts of its length, up to the ends", () => {
  equal(moved([100, 200], 0.25, [0, 1000]), [125, 225]);
  equal(moved([100, 200], -4, [0, 1000]), [0, 100]);
});

Deno.test("What is selected is shown with room around it", () => {
  equal(around([400, 500], [0, 1000]), [390, 510]);
  equal(including([0, 100], [20, 40], [0, 1000]), [0, 100]);
  equal(including([0, 100], [400, 420], [0, 1000]), [360, 460]);
  equal(including([0, 100], [400, 600], [0, 1000]), [380, 620]);
});
