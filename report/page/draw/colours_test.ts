import { equal } from "../data/testing.ts";
import { holds } from "../model/test_data.ts";
import { channelsOf, DARK, hueOf, hueOfCause, HUES, LIGHT, luminance, mix, type Palette, textOn } from "./colours.ts";

type Vector = readonly [number, number, number];
type Matrix = readonly [Vector, Vector, Vector];

/** How colours are seen without one kind of cones: Machado, Oliveira and Fernandes 2009, severity 1, linear RGB. */
const VISIONS: Readonly<Record<string, Matrix>> = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

function times(matrix: Matrix, v: Vector): Vector {
  const row = ([a, b, c]: Vector): number => a * v[0] + b * v[1] + c * v[2];
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])];
}

/** Coordinates of Oklab, of a colour as it is seen. */
function seen(colour: string, vision: Matrix): Vector {
  const [r, g, b] = channelsOf(colour).map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const rgb = times(vision, [r ?? 0, g ?? 0, b ?? 0]).map((value) => Math.min(1, Math.max(0, value)));
  const [l, m, s] = times([
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
  ], [rgb[0] ?? 0, rgb[1] ?? 0, rgb[2] ?? 0]).map(Math.cbrt);
  return times([
    [0.2104542553, 0.793617785, -0.0040720468],
    [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766],
  ], [l ?? 0, m ?? 0, s ?? 0]);
}

/** The least distance in Oklab of two hues, of which 0.02 is just noticed. */
const LEAST_DISTANCE = 0.06;

for (const [scheme, palette] of Object.entries({ light: LIGHT, dark: DARK }) as [string, Palette][]) {
  Deno.test(`Any two hues of the ${scheme} scheme differ for every kind of colour vision`, () => {
    for (const [name, vision] of Object.entries(VISIONS)) {
      for (const a of HUES) {
        for (const b of HUES) {
          if (a >= b) continue;
          const x = seen(palette.hues[a], vision);
          const y = seen(palette.hues[b], vision);
          const distance = Math.hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
          holds(distance >= LEAST_DISTANCE, `${a} and ${b} with ${name}: ${distance.toFixed(3)}`);
        }
      }
    }
  });

  Deno.test(`Text has enough contrast on every colour of the ${scheme} scheme`, () => {
    const contrast = (a: string, b: string): number => {
      const [x, y] = [luminance(a), luminance(b)];
      return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    };
    for (const colour of [...Object.values(palette.hues), palette.host]) {
      holds(contrast(textOn(colour), colour) >= 4.5, colour);
    }
    for (const ground of [palette.background, palette.band]) {
      for (const text of [palette.text, palette.muted, palette.accent]) holds(contrast(text, ground) >= 4.5, text);
    }
  });
}

Deno.test("A category has a hue, also one that no rule has", () => {
  equal(hueOf("gemm"), "gemm");
  equal(hueOf("activation"), "elementwise");
  equal(hueOf("toString"), "other");
  equal(hueOfCause("launch-latency"), "softmax");
  equal(hueOfCause("unknown"), "other");
});

Deno.test("A mixture is between its colours", () => {
  equal(mix("#ffffff", "#000000", 0.5), "#808080");
  equal(mix("#123456", "#000000", 1), "#123456");
  equal(mix("CanvasText", "#000000", 0.5), "CanvasText");
});
