/** What is drawn on, in pixels of the page: rectangles, lines, curves and text. */

import { channelsOf } from "./colours.ts";

/** Where a strip of pixels is drawn: each of its pixels as high as the strip. */
export interface Strip {
  readonly top: number;
  readonly height: number;
}

/** A surface to draw on. Coordinates are pixels of the page from the upper left corner. */
export interface Renderer {
  readonly width: number;
  readonly height: number;
  /** Starts a picture with this colour. */
  clear(colour: string): void;
  fill(colour: string, left: number, top: number, width: number, height: number): void;
  /** The number that stands for a colour in the pixels of `strips`. */
  pixelOf(colour: string): number;
  /** Draws strips across the whole width: of each one number a pixel, 0 where what is below shows through. */
  strips(pixels: Uint32Array<ArrayBuffer>, places: readonly Strip[]): void;
  /** Fills with slanted lines. */
  hatch(colour: string, left: number, top: number, width: number, height: number): void;
  /** Fills with `part` of a colour, so that what is below shows through. */
  veil(colour: string, part: number, left: number, top: number, width: number, height: number): void;
  /** Draws the border of a rectangle, inside of it. */
  outline(colour: string, thickness: number, left: number, top: number, width: number, height: number): void;
  /** Draws lines from point to point: x and y of each. */
  line(colour: string, thickness: number, points: readonly number[]): void;
  /** Draws a curve that leaves and arrives horizontally, with a head at its end. */
  arrow(colour: string, x0: number, y0: number, x1: number, y1: number): void;
  /** Draws a line for two points, else a start and three points for each cubic Bezier curve. */
  curve(colour: string, thickness: number, points: readonly number[], isDashed: boolean): void;
  /** Draws the head of an arrow whose tip is at a point and that comes from another one. */
  head(colour: string, size: number, fromX: number, fromY: number, x: number, y: number): void;
  /** Draws text whose middle line is at `y`, with an ellipsis if it is wider than `maxWidth`. */
  text(
    colour: string,
    text: string,
    x: number,
    y: number,
    maxWidth: number,
    align?: "left" | "right" | "center",
    size?: number,
  ): void;
  /** What is drawn until `restore` shows within this rectangle only. */
  clip(left: number, top: number, width: number, height: number): void;
  restore(): void;
}

/** The part of a text that fits, with an ellipsis if it is not all; empty if nothing does. */
export function fittingText(text: string, maxWidth: number, widthOf: (character: string) => number): string {
  const ellipsis = widthOf("…");
  let width = 0;
  let fitting = 0;
  let index = 0;
  for (const character of text) {
    width += widthOf(character);
    if (width > maxWidth) return fitting > 0 ? `${text.slice(0, fitting)}…` : "";
    index += character.length;
    if (width + ellipsis <= maxWidth) fitting = index;
  }
  return text;
}

const FAMILY = 'system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';
/** Size of text, in pixels, where no other is given. */
export const TEXT_SIZE = 11;

function contextOf(canvas: HTMLCanvasElement, settings?: CanvasRenderingContext2DSettings): CanvasRenderingContext2D {
  const context = canvas.getContext("2d", settings);
  if (context === null) throw new Error("This browser draws no canvas.");
  return context;
}

/** A renderer on a canvas that is as large as its box on the page. */
export class CanvasRenderer implements Renderer {
  readonly canvas: HTMLCanvasElement;
  width = 0;
  height = 0;
  readonly #context: CanvasRenderingContext2D;
  readonly #widths = new Map<string, number>();
  readonly #hatches = new Map<string, CanvasPattern>();
  #strips: CanvasRenderingContext2D | null = null;
  readonly #family: string;
  #size = 0;
  #ratio = 1;

  /** `family` is that of the font of all texts. */
  constructor(canvas: HTMLCanvasElement, family: string = FAMILY) {
    this.canvas = canvas;
    this.#context = contextOf(canvas, { alpha: false });
    this.#family = family;
  }

  /** Takes the size of the canvas's box, in pixels of the page. */
  resize(width: number, height: number): void {
    const ratio = Math.max(1, globalThis.devicePixelRatio || 1);
    const wide = Math.round(width * ratio);
    const high = Math.round(height * ratio);
    if (this.canvas.width !== wide) this.canvas.width = wide;
    if (this.canvas.height !== high) this.canvas.height = high;
    this.width = width;
    this.height = height;
    if (ratio !== this.#ratio) this.#hatches.clear();
    this.#ratio = ratio;
  }

  clear(colour: string): void {
    const context = this.#context;
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    this.#size = 0;
    this.#setSize(TEXT_SIZE);
    context.textBaseline = "middle";
    context.direction = "ltr";
    context.fillStyle = colour;
    context.fillRect(0, 0, this.width, this.height);
  }

  fill(colour: string, left: number, top: number, width: number, height: number): void {
    this.#context.fillStyle = colour;
    this.#context.fillRect(left, top, width, height);
  }

  pixelOf(colour: string): number {
    // The browser tells what the name of a colour stands for.
    this.#context.fillStyle = colour;
    const text = String(this.#context.fillStyle);
    // Some colours of the system let what is below show through: `rgba(5, 0, 73, 0.8)`.
    const [red = 0, green = 0, blue = 0, part = 1] = text.startsWith("#")
      ? channelsOf(text)
      : (text.match(/[\d.]+/g) ?? []).map(Number);
    // All that browsers run on has the lowest byte first.
    return ((Math.round(255 * part) << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  }

  strips(pixels: Uint32Array<ArrayBuffer>, places: readonly Strip[]): void {
    const { width } = this;
    if (places.length === 0) return;
    const strips = this.#strips ??= contextOf(document.createElement("canvas"));
    if (strips.canvas.width !== width) strips.canvas.width = width;
    if (strips.canvas.height < places.length) strips.canvas.height = places.length;
    const data = new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, 4 * width * places.length);
    strips.putImageData(new ImageData(data, width), 0, 0);
    this.#context.imageSmoothingEnabled = false;
    places.forEach(({ top, height }, at) =>
      this.#context.drawImage(strips.canvas, 0, at, width, 1, 0, top, width, height)
    );
  }

  hatch(colour: string, left: number, top: number, width: number, height: number): void {
    this.#context.fillStyle = this.#hatchOf(colour);
    this.#context.fillRect(left, top, width, height);
  }

  veil(colour: string, part: number, left: number, top: number, width: number, height: number): void {
    this.#context.globalAlpha = part;
    this.fill(colour, left, top, Math.max(0, width), height);
    this.#context.globalAlpha = 1;
  }

  outline(colour: string, thickness: number, left: number, top: number, width: number, height: number): void {
    const context = this.#context;
    context.strokeStyle = colour;
    context.lineWidth = thickness;
    context.strokeRect(
      left + thickness / 2,
      top + thickness / 2,
      Math.max(0, width - thickness),
      Math.max(0, height - thickness),
    );
  }

  line(colour: string, thickness: number, points: readonly number[]): void {
    const context = this.#context;
    context.strokeStyle = colour;
    context.lineWidth = thickness;
    context.lineJoin = "round";
    context.beginPath();
    for (let i = 0; i + 1 < points.length; i += 2) context.lineTo(points[i] ?? 0, points[i + 1] ?? 0);
    context.stroke();
  }

  arrow(colour: string, x0: number, y0: number, x1: number, y1: number): void {
    const context = this.#context;
    const bend = Math.max(24, Math.abs(x1 - x0) / 2);
    context.strokeStyle = colour;
    context.fillStyle = colour;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 6, y1);
    context.stroke();
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x1 - 7, y1 - 4);
    context.lineTo(x1 - 7, y1 + 4);
    context.fill();
  }

  curve(colour: string, thickness: number, points: readonly number[], isDashed: boolean): void {
    const context = this.#context;
    context.strokeStyle = colour;
    context.lineWidth = thickness;
    context.setLineDash(isDashed ? [4, 3] : []);
    context.beginPath();
    context.moveTo(points[0] ?? 0, points[1] ?? 0);
    if (points.length === 4) context.lineTo(points[2] ?? 0, points[3] ?? 0);
    for (let i = 2; i + 5 < points.length; i += 6) {
      const [x0 = 0, y0 = 0, x1 = 0, y1 = 0, x2 = 0, y2 = 0] = points.slice(i, i + 6);
      context.bezierCurveTo(x0, y0, x1, y1, x2, y2);
    }
    context.stroke();
    context.setLineDash([]);
  }

  head(colour: string, size: number, fromX: number, fromY: number, x: number, y: number): void {
    const context = this.#context;
    const length = Math.hypot(x - fromX, y - fromY) || 1;
    const [dx, dy] = [((x - fromX) / length) * size, ((y - fromY) / length) * size];
    context.fillStyle = colour;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x - dx - dy / 2, y - dy + dx / 2);
    context.lineTo(x - dx + dy / 2, y - dy - dx / 2);
    context.fill();
  }

  text(
    colour: string,
    text: string,
    x: number,
    y: number,
    maxWidth: number,
    align: "left" | "right" | "center" = "left",
    size: number = TEXT_SIZE,
  ): void {
    this.#setSize(TEXT_SIZE);
    // Widths grow with the size of the text.
    const fitting = fittingText(text, (maxWidth * TEXT_SIZE) / size, (character) => this.#widthOf(character));
    if (fitting === "") return;
    this.#setSize(size);
    this.#context.fillStyle = colour;
    this.#context.textAlign = align;
    this.#context.fillText(fitting, x, y);
  }

  clip(left: number, top: number, width: number, height: number): void {
    this.#context.save();
    this.#context.beginPath();
    this.#context.rect(left, top, width, height);
    this.#context.clip();
  }

  restore(): void {
    this.#context.restore();
  }

  #setSize(size: number): void {
    if (size === this.#size) return;
    this.#size = size;
    this.#context.font = `${size}px ${this.#family}`;
  }

  #widthOf(character: string): number {
    let width = this.#widths.get(character);
    if (width === undefined) {
      width = this.#context.measureText(character).width;
      this.#widths.set(character, width);
    }
    return width;
  }

  #hatchOf(colour: string): CanvasPattern | string {
    let pattern = this.#hatches.get(colour) ?? null;
    if (pattern !== null) return pattern;
    const tile = document.createElement("canvas");
    const size = Math.round(6 * this.#ratio);
    tile.width = size;
    tile.height = size;
    const context = tile.getContext("2d");
    if (context === null) return colour;
    context.strokeStyle = colour;
    context.lineWidth = 1.6 * this.#ratio;
    for (const shift of [-size, 0, size]) {
      context.moveTo(shift - 1, size + 1);
      context.lineTo(shift + size + 1, -1);
    }
    context.stroke();
    pattern = this.#context.createPattern(tile, "repeat");
    if (pattern === null) return colour;
    pattern.setTransform(new DOMMatrix().scale(1 / this.#ratio));
    this.#hatches.set(colour, pattern);
    return pattern;
  }
}

/** Strips of pixels as wide as a renderer, which are filled one after another and drawn together: far fewer calls than a rectangle for each bar. */
export class Strips {
  #pixels = new Uint32Array(0);
  #width = 0;
  readonly #places: Strip[] = [];

  /** Forgets all strips; the next ones have this width. */
  clear(width: number): void {
    this.#width = width;
    this.#places.length = 0;
  }

  /** Starts an empty strip. */
  add(top: number, height: number): void {
    const end = this.#width * (this.#places.length + 1);
    if (end > this.#pixels.length) {
      const larger = new Uint32Array(2 * end);
      larger.set(this.#pixels);
      this.#pixels = larger;
    }
    this.#pixels.fill(0, end - this.#width, end);
    this.#places.push({ top, height });
  }

  /** Fills the newest strip from one pixel to before another one, as far as it has those. */
  fill(pixel: number, left: number, right: number): void {
    const first = this.#width * (this.#places.length - 1);
    const end = first + Math.min(right, this.#width);
    for (let at = first + Math.max(left, 0); at < end; ++at) this.#pixels[at] = pixel;
  }

  draw(renderer: Renderer): void {
    renderer.strips(this.#pixels, this.#places);
  }
}
