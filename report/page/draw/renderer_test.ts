import { equal } from "../data/testing.ts";
import { fittingText, type Renderer, type Strip, Strips } from "./renderer.ts";

Deno.test("Text that is too wide ends with an ellipsis", () => {
  const widthOf = (): number => 10;
  equal(fittingText("gemm", 40, widthOf), "gemm");
  equal(fittingText("gemm", 39, widthOf), "ge…");
  equal(fittingText("gemm", 15, widthOf), "");
  equal(fittingText("", 15, widthOf), "");
});

Deno.test("A character of two code units is not cut", () => {
  equal(fittingText("a😀bc", 30, () => 10), "a😀…");
  equal(fittingText("😀😀😀", 25, () => 10), "😀…");
});

Deno.test("Strips have the newest pixel of each place, and nothing beyond their width", () => {
  const drawn: [number[], readonly Strip[]][] = [];
  const renderer = {
    strips: (pixels: Uint32Array, places: readonly Strip[]) =>
      drawn.push([[...pixels.subarray(0, 4 * places.length)], [...places]]),
  } as unknown as Renderer;
  const strips = new Strips();
  for (const pixel of [7, 8]) {
    strips.clear(4);
    strips.add(10, 16);
    strips.fill(pixel, -2, 3);
    strips.fill(9, 2, 6);
    strips.add(30, 14);
    strips.fill(pixel, 1, 2);
    strips.draw(renderer);
  }
  const places = [{ top: 10, height: 16 }, { top: 30, height: 14 }];
  equal(drawn, [[[7, 7, 9, 9, 0, 7, 0, 0], places], [[8, 8, 9, 9, 0, 8, 0, 0], places]]);
});
