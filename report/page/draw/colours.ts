/**
 * Colours of categories of operators and of causes of idle time, the same in every view.
 *
 * The hues were chosen so that any two differ for people with each kind of colour blindness, also by lightness; the unit
 * test computes how they are seen. The path is drawn in the colour that the pictures of the command give it.
 */

/** Groups of categories that have one colour. */
export const HUES = [
  "gemm",
  "convolution",
  "attention",
  "normalization",
  "softmax",
  "elementwise",
  "reduction",
  "indexing",
  "copy",
  "communication",
  "recurrent",
  "other",
] as const;
/** A group of categories that has a colour. */
export type Hue = (typeof HUES)[number];

/** Categories of rules, families of kernels, and the hue of each. A category that is not here is `other`. */
const HUE_OF: Readonly<Record<string, Hue>> = {
  gemm: "gemm",
  gemv: "gemm",
  convolution: "convolution",
  attention: "attention",
  normalization: "normalization",
  softmax: "softmax",
  loss: "softmax",
  elementwise: "elementwise",
  activation: "elementwise",
  fused: "elementwise",
  random: "elementwise",
  optimizer: "elementwise",
  reduction: "reduction",
  reduce: "reduction",
  pooling: "reduction",
  scan: "reduction",
  "split-k": "reduction",
  indexing: "indexing",
  index: "indexing",
  embedding: "indexing",
  "embedding-forward": "indexing",
  "embedding-backward": "indexing",
  sort: "indexing",
  search: "indexing",
  copy: "copy",
  view: "copy",
  layout: "copy",
  permute: "copy",
  concat: "copy",
  transform: "copy",
  resampling: "copy",
  fill: "copy",
  set: "copy",
  communication: "communication",
  collective: "communication",
  recurrent: "recurrent",
};

/** Causes of idle time and their hues: those of categories, but drawn hatched. */
const HUE_OF_CAUSE: Readonly<Record<string, Hue>> = {
  host: "elementwise",
  synchronization: "attention",
  input: "indexing",
  "launch-call": "recurrent",
  "launch-latency": "softmax",
  "kernel-gap": "gemm",
  dependency: "reduction",
  "hand-over": "communication",
};

/** The hue of a category of a kernel. */
export function hueOf(category: string): Hue {
  return Object.hasOwn(HUE_OF, category) ? (HUE_OF[category] ?? "other") : "other";
}

/** The hue of a cause of idle time. */
export function hueOfCause(cause: string): Hue {
  return Object.hasOwn(HUE_OF_CAUSE, cause) ? (HUE_OF_CAUSE[cause] ?? "other") : "other";
}

/** Colours of a scheme, as `#rrggbb`, or as names of the system's colours where those are forced. */
export interface Palette {
  readonly hues: Readonly<Record<Hue, string>>;
  readonly background: string;
  /** Behind titles of sections, and every second lane. */
  readonly band: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly accent: string;
  /** Events of the host. */
  readonly host: string;
  readonly path: string;
  readonly isForced: boolean;
}

/** On a light ground. What is not a hue is as the page's style has it. */
export const LIGHT: Palette = {
  hues: {
    gemm: "#8ca1fa",
    convolution: "#af5fc7",
    attention: "#872330",
    normalization: "#679731",
    softmax: "#edc0e7",
    elementwise: "#d4af13",
    reduction: "#457b71",
    indexing: "#b4e471",
    copy: "#14546d",
    communication: "#92591f",
    recurrent: "#743eac",
    other: "#9b9b9b",
  },
  background: "#ffffff",
  band: "#f6f7f9",
  text: "#1c2127",
  muted: "#59626d",
  line: "#e3e6ea",
  accent: "#1257b8",
  host: "#c9d2de",
  path: "#d55e00",
  isForced: false,
};

/** On a dark ground. */
export const DARK: Palette = {
  hues: {
    gemm: "#4c5bad",
    convolution: "#d3c5f0",
    attention: "#9e4329",
    normalization: "#529343",
    softmax: "#c66ac2",
    elementwise: "#ffcf87",
    reduction: "#77bcbc",
    indexing: "#bdb941",
    copy: "#029bec",
    communication: "#d89481",
    recurrent: "#815173",
    other: "#868686",
  },
  background: "#14171b",
  band: "#1b1f24",
  text: "#e4e7eb",
  muted: "#a0a9b4",
  line: "#2b3138",
  accent: "#7db2ff",
  host: "#3c4654",
  path: "#ff8a3d",
  isForced: false,
};

/** Where the user's system chooses all colours: categories differ by their texts alone. */
export const FORCED: Palette = {
  hues: Object.fromEntries(HUES.map((hue) => [hue, "CanvasText"])) as Record<Hue, string>,
  background: "Canvas",
  band: "Canvas",
  text: "CanvasText",
  muted: "CanvasText",
  line: "GrayText",
  accent: "Highlight",
  host: "GrayText",
  path: "LinkText",
  isForced: true,
};

/** The hues as properties of a style, `--hue-gemm` and so on, for elements: each has the colour of the scheme in use. */
export function hueProperties(): [name: string, value: string][] {
  return [...HUES, "host" as const].map((hue) => {
    const [light, dark] = hue === "host" ? [LIGHT.host, DARK.host] : [LIGHT.hues[hue], DARK.hues[hue]];
    return [`--hue-${hue}`, `light-dark(${light}, ${dark})`];
  });
}

/** Red, green and blue from 0 to 255 of `#rrggbb`. */
export function channelsOf(colour: string): readonly [number, number, number] {
  const value = Number.parseInt(colour.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** `part` of a colour on another one, which stays where `part` is 0. A colour of the system stays as it is. */
export function mix(colour: string, on: string, part: number): string {
  if (!colour.startsWith("#") || !on.startsWith("#")) return colour;
  const top = channelsOf(colour);
  const ground = channelsOf(on);
  const channel = (i: 0 | 1 | 2): string =>
    Math.round(ground[i] + (top[i] - ground[i]) * part).toString(16).padStart(2, "0");
  return `#${channel(0)}${channel(1)}${channel(2)}`;
}

function linear(channel: number): number {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** Relative luminance, as WCAG defines it. */
export function luminance(colour: string): number {
  const [red, green, blue] = channelsOf(colour);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** Black or white, whichever has more contrast to this colour; on a colour of the system, that of its ground. */
export function textOn(colour: string): string {
  if (!colour.startsWith("#")) return colour === "Highlight" ? "HighlightText" : "Canvas";
  return luminance(colour) < 0.18 ? "#ffffff" : "#000000";
}
