/** Draws the scene of the timeline. */
import { mix, type Palette, textOn } from "../../draw/colours.ts";
import { type VisitBar, visitBars } from "../../draw/level_of_detail.ts";
import { type Renderer, Strips } from "../../draw/renderer.ts";
import { ticksOf } from "../../draw/time_axis.ts";
import type { Integers } from "../../data/decode.ts";
import type { PackedIntegers } from "../../data/packed_integers.ts";
import type { Row } from "../../model/lanes.ts";
import { type Content, HEIGHTS, type Scene, type SceneRow } from "./scene.ts";

/** Height of the axis of time above the lanes. */
export const AXIS_HEIGHT = 26;
/** A bar has a text if it is as wide as this. */
const TEXT_FROM = 26;
/** How much of its colour a bar has: of what is filtered out, then by how much of a pixel its events take. */
const PARTS = [0.18, 0.4, 0.6, 0.8, 1] as const;
const FULL = PARTS.length - 1;

/** What the axis shows. */
export interface Axis {
  readonly from: number;
  readonly to: number;
}

/** What decides the look of events. */
export interface Look {
  readonly palette: Palette;
  readonly bases: readonly string[];
  labelOf(content: Content, event: number): string;
  /** Events of a row that search and filters let pass; the row itself if all do. */
  passing(row: Row, content: Content): Row;
  /** Events of a row that belong to what is selected in another view, such as a kernel; undefined for none. */
  marked(row: Row, content: Content): Row | undefined;
}

/** An event on the page. */
export interface Target {
  readonly content: Content;
  readonly event: number;
}

/** A line through lanes: pieces of the path in order of time. */
export interface PathPieces {
  readonly start: PackedIntegers;
  readonly duration: Integers;
  placeOf(piece: number): Target | undefined;
}

/** All that a picture depends on. */
export interface Picture {
  readonly scene: Scene;
  readonly axis: Axis;
  readonly scrollTop: number;
  readonly look: Look;
  readonly selected: Target | null;
  readonly isFocused: boolean;
  readonly range: readonly [number, number] | null;
  readonly cursor: number | null;
  readonly path: PathPieces | null;
  /** From the end of an event of the host to the start of one of the device. */
  readonly flows: readonly (readonly [Target, Target])[];
  startOf(target: Target): number;
  endOf(target: Target): number;
  /** The row that an event is drawn in; undefined where its section is closed. */
  placeOf(target: Target): SceneRow | undefined;
}

function heightOf(content: Content): number {
  return content === "idle" ? HEIGHTS.idle : HEIGHTS.bar;
}

/** Draws pictures of one timeline. */
export class Painter {
  readonly #renderer: Renderer;
  readonly #strips = new Strips();
  /** By style, which is a base and a part of it. */
  readonly #colours: string[] = [];
  readonly #pixels: number[] = [];
  readonly #hatched: { left: number; right: number; top: number; height: number }[] = [];
  #bases: readonly string[] = [];
  #ground = "";

  constructor(renderer: Renderer) {
    this.#renderer = renderer;
  }

  draw(picture: Picture): void {
    const { palette } = picture.look;
    const out = this.#renderer;
    if (this.#bases !== picture.look.bases || this.#ground !== palette.background) {
      this.#bases = picture.look.bases;
      this.#ground = palette.background;
      this.#colours.length = 0;
      this.#pixels.length = 0;
    }
    // Colours of the system may be others with the same names.
    if (palette.isForced) this.#pixels.length = 0;
    out.clear(palette.background);
    out.clip(0, AXIS_HEIGHT, out.width, out.height - AXIS_HEIGHT);
    this.#drawGround(picture);
    const rows = this.#visibleRows(picture);
    const texts: (() => void)[] = [];
    this.#strips.clear(out.width);
    for (const row of rows) this.#drawRow(picture, row, texts);
    this.#strips.draw(out);
    this.#drawHatches(palette);
    for (const text of texts) text();
    for (const row of rows) this.#drawMarks(picture, row);
    this.#drawPath(picture);
    this.#drawFlows(picture);
    this.#drawSelected(picture);
    this.#drawRange(picture);
    out.restore();
    this.#drawAxis(picture);
  }

  #visibleRows(picture: Picture): SceneRow[] {
    return picture.scene.lanes.flatMap(({ rows }) =>
      rows.filter((row) => {
        const top = this.#pageY(picture, row.top);
        return top + HEIGHTS.row > AXIS_HEIGHT && top < this.#renderer.height;
      })
    );
  }

  #pageY(picture: Picture, y: number): number {
    return AXIS_HEIGHT + y - picture.scrollTop;
  }

  #pageX(picture: Picture, ns: number): number {
    const { from, to } = picture.axis;
    return ((ns - from) / (to - from)) * this.#renderer.width;
  }

  #colourOf(style: number): string {
    return (this.#colours[style] ??= mix(
      this.#bases[Math.floor(style / PARTS.length)] ?? this.#ground,
      this.#ground,
      PARTS[style % PARTS.length] ?? 1,
    ));
  }

  #drawGround(picture: Picture): void {
    const out = this.#renderer;
    const { palette } = picture.look;
    for (const section of picture.scene.sections) {
      out.fill(palette.band, 0, this.#pageY(picture, section.top), out.width, HEIGHTS.section - 4);
    }
    for (const tick of ticksOf(picture.axis.from, picture.axis.to, out.width, 96)) {
      out.fill(palette.line, Math.round(this.#pageX(picture, tick.ns)), AXIS_HEIGHT, 1, out.height);
    }
  }

  #drawRow(picture: Picture, row: SceneRow, texts: (() => void)[]): void {
    const { look } = picture;
    const { content } = row;
    this.#strips.add(this.#pageY(picture, row.top), heightOf(content));
    const passing = look.passing(row.row, content);
    if (passing !== row.row) this.#drawBars(picture, row, row.row, false, texts);
    this.#drawBars(picture, row, passing, true, texts);
  }

  /** Calls `visit` with the bars of a row as they are on the page. */
  #visit(picture: Picture, row: SceneRow, events: Row, visit: VisitBar): void {
    const { from, to } = picture.axis;
    const scale = this.#renderer.width / (to - from);
    const first = Math.max(from + row.offset, row.from);
    const origin = (first - row.offset - from) * scale;
    visitBars(events, { from: first, to: Math.min(to + row.offset, row.to), scale, origin }, visit);
  }

  /** Puts the bars of a row into the newest strip, pale if they do not pass. */
  #drawBars(picture: Picture, row: SceneRow, events: Row, passes: boolean, texts: (() => void)[]): void {
    const { content } = row;
    const { width } = this.#renderer;
    const isHatched = content === "idle" || content === "node";
    let to = 0;
    this.#visit(picture, row, events, (left, right, position, base, count, coverage) => {
      const part = !passes ? 0 : count === 1 ? FULL : 1 + Math.min(FULL - 1, Math.floor(coverage * FULL));
      const style = base * PARTS.length + part;
      let x0 = Math.round(Math.max(left, -8));
      let x1 = Math.round(Math.min(right, width + 8));
      if (x1 - x0 > 4) --x1;
      if (x1 <= x0) x1 = x0 + 1;
      // A pixel belongs to the first of the bars that round to it.
      if (x0 < to) x0 = Math.min(to, x1);
      to = Math.max(to, x1);
      if (x0 === x1) return;
      this.#strips.fill(this.#pixels[style] ??= this.#renderer.pixelOf(this.#colourOf(style)), x0, x1);
      if (isHatched) this.#hatch(picture, row, x0, x1);
      if (count === 1 && passes && x1 - x0 >= TEXT_FROM && content !== "idle") {
        texts.push(() => this.#drawText(picture, row, style, events.event(position), x0, Math.min(x1, width)));
      }
    });
  }

  /** Hatches pixels of a row, with those before if at most the gap between bars is between. */
  #hatch(picture: Picture, row: SceneRow, left: number, right: number): void {
    const top = this.#pageY(picture, row.top);
    const last = this.#hatched.at(-1);
    if (last?.top === top && left <= last.right + 1) last.right = Math.max(last.right, right);
    else this.#hatched.push({ left, right, top, height: heightOf(row.content) });
  }

  #drawText(picture: Picture, row: SceneRow, style: number, event: number, left: number, right: number): void {
    const text = picture.look.labelOf(row.content, event);
    const middle = this.#pageY(picture, row.top) + HEIGHTS.bar / 2 + 0.5;
    const from = Math.max(left, 0);
    this.#renderer.text(textOn(this.#colourOf(style)), text, from + 4, middle, right - from - 8);
  }

  #drawMarks(picture: Picture, row: SceneRow): void {
    const events = picture.look.marked(row.row, row.content);
    if (events === undefined) return;
    const top = this.#pageY(picture, row.top);
    this.#visit(picture, row, events, (left, right) => {
      const x0 = Math.round(left);
      const x1 = Math.max(Math.round(right), x0 + 2);
      this.#renderer.outline(picture.look.palette.text, 1.5, x0, top, x1 - x0, HEIGHTS.bar);
    });
  }

  /** What is not measured work is hatched in the colour of the ground: idle time, and nodes, which share the time of their kernel. */
  #drawHatches(palette: Palette): void {
    for (const { left, right, top, height } of this.#hatched) {
      this.#renderer.hatch(palette.background, left, top, right - left, height);
    }
    this.#hatched.length = 0;
  }

  #drawPath(picture: Picture): void {
    const { path, axis } = picture;
    if (path === null) return;
    const out = this.#renderer;
    const { start, duration } = path;
    const scale = out.width / (axis.to - axis.from);
    const points: number[] = [];
    const atOrAfter = (ns: number, least: number): number => {
      let low = least;
      let high = start.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (start.at(middle) >= ns) high = middle;
        else low = middle + 1;
      }
      return low;
    };
    let piece = Math.max(0, atOrAfter(axis.from, 0) - 1);
    while (piece < start.length) {
      const begin = start.at(piece);
      if (begin > axis.to) break;
      const target = path.placeOf(piece);
      const place = target === undefined ? undefined : picture.placeOf(target);
      const x0 = (begin - axis.from) * scale;
      const x1 = (begin + (duration[piece] ?? 0) - axis.from) * scale;
      if (place !== undefined && x1 >= 0) {
        const y = this.#pageY(picture, place.top) + HEIGHTS.bar;
        // The path stays in its lane until it enters the next one.
        const before = points.at(-1);
        if (before !== undefined && before !== y) points.push(Math.max(x0, -10), before);
        points.push(Math.max(x0, -10), y, Math.min(x1, out.width + 10), y);
      }
      // Pieces within half a pixel cannot be told apart.
      piece = x1 - x0 < 0.5 ? Math.max(piece + 1, atOrAfter(begin + 0.5 / scale, piece + 1)) : piece + 1;
    }
    if (points.length >= 4) {
      out.line(picture.look.palette.background, 4, points);
      out.line(picture.look.palette.path, 2, points);
    }
  }

  #drawFlows(picture: Picture): void {
    for (const [from, to] of picture.flows) {
      const source = picture.placeOf(from);
      const target = picture.placeOf(to);
      if (source === undefined || target === undefined) continue;
      this.#renderer.arrow(
        picture.look.palette.text,
        this.#pageX(picture, picture.endOf(from) - source.offset),
        this.#pageY(picture, source.top) + HEIGHTS.bar / 2,
        this.#pageX(picture, picture.startOf(to) - target.offset),
        this.#pageY(picture, target.top) + HEIGHTS.bar / 2,
      );
    }
  }

  #drawSelected(picture: Picture): void {
    const { selected } = picture;
    const place = selected === null ? undefined : picture.placeOf(selected);
    if (selected === null || place === undefined) return;
    const { palette } = picture.look;
    const left = Math.round(this.#pageX(picture, picture.startOf(selected) - place.offset));
    const right = Math.round(this.#pageX(picture, picture.endOf(selected) - place.offset));
    const x0 = Math.max(left, -20) - 2;
    const width = Math.max(Math.min(right, this.#renderer.width + 20) + 2 - x0, 5);
    const y = this.#pageY(picture, place.top) - 1.5;
    const height = HEIGHTS.bar + 3;
    this.#renderer.outline(palette.background, 3, x0, y, width, height);
    this.#renderer.outline(picture.isFocused ? palette.accent : palette.text, 2, x0, y, width, height);
  }

  #drawRange(picture: Picture): void {
    const { range, look: { palette } } = picture;
    if (range === null) return;
    const out = this.#renderer;
    const left = this.#pageX(picture, range[0]);
    const right = this.#pageX(picture, range[1]);
    out.veil(palette.background, 0.5, 0, AXIS_HEIGHT, left, out.height);
    out.veil(palette.background, 0.5, right, AXIS_HEIGHT, out.width - right, out.height);
    out.fill(palette.accent, Math.round(left), AXIS_HEIGHT, 1, out.height);
    out.fill(palette.accent, Math.round(right) - 1, AXIS_HEIGHT, 1, out.height);
  }

  #drawAxis(picture: Picture): void {
    const out = this.#renderer;
    const { axis, range, look: { palette } } = picture;
    out.fill(palette.background, 0, 0, out.width, AXIS_HEIGHT);
    if (range !== null) {
      const left = this.#pageX(picture, range[0]);
      out.fill(palette.accent, left, AXIS_HEIGHT - 4, this.#pageX(picture, range[1]) - left, 3);
    }
    out.fill(palette.line, 0, AXIS_HEIGHT - 1, out.width, 1);
    for (const tick of ticksOf(axis.from, axis.to, out.width, 96)) {
      const x = Math.round(this.#pageX(picture, tick.ns));
      out.fill(palette.muted, x, AXIS_HEIGHT - 6, 1, 5);
      if (x < out.width - 70) out.text(palette.muted, tick.text, x + 5, AXIS_HEIGHT / 2 - 2, 90);
    }
    if (picture.cursor !== null) {
      out.fill(palette.muted, Math.round(this.#pageX(picture, picture.cursor)), 0, 1, AXIS_HEIGHT);
    }
  }
}
