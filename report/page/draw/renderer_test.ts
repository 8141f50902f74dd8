import { equal } from "../data/testing.ts";
import { Batch, fittingText, type Renderer } from "./renderer.ts";

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

Deno.test("A batch draws each colour once, and is empty afterwards", () => {
  const drawn: [string, number[]][] = [];
  const renderer = {
    fillAll: (colour: string, rectangles: Float64Array, count: number) =>
      drawn.push([colour, [...rectangles.subarray(0, count)]]),
  } as unknown as Renderer;
  const batch = new Batch();
  batch.add(2, 1, 2, 3, 4);
  for (let i = 0; i < 400; ++i) batch.add(0, i, 0, 1, 1);
  batch.add(2, 5, 6, 7, 8);
  batch.draw(renderer, (style) => `style ${style}`);
  equal(drawn.map(([colour, rectangles]) => [colour, rectangles.length]), [["style 0", 1600], [
    "style 2",
    8,
  ]]);
  equal(drawn[1]?.[1], [1, 2, 3, 4, 5, 6, 7, 8]);
  batch.draw(renderer, String);
  equal(drawn.length, 2);
});
