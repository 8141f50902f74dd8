/** Draws a part of a placed graph. */
import { hueOf, mix, type Palette, textOn } from "../../draw/colours.ts";
import type { Renderer } from "../../draw/renderer.ts";
import { type Area, type GraphIndex, type GraphNode, meets, type Viewport } from "./placed_graph.ts";

/** Below these pixels per point nothing could be read, or no text at all. */
const NUMBERS_FROM = 0.45;
const TEXT_FROM = 0.3;
const HEADS_FROM = 0.2;
/** Size of text, and places in a row, in points, as the command laid them out. */
const TEXT_SIZE = 11;
const PADDING = 12;
const GAP = 14;
const BAR = 4;

/** All that a picture depends on. */
export interface GraphPicture {
  readonly index: GraphIndex;
  readonly viewport: Viewport;
  readonly palette: Palette;
  /** The category of a node; empty if it is not known. */
  categoryOf(node: GraphNode): string;
  /** The largest share of a node. */
  readonly largestShare: number;
  /** Whether a node stands out; others are pale. */
  stands(node: number): boolean;
  readonly selected: number | null;
  readonly isFocused: boolean;
}

/** Draws what the viewport shows. Linear in the numbers of boxes and edges. */
export function drawGraph(out: Renderer, picture: GraphPicture): void {
  const { palette, viewport: { x, y, zoom } } = picture;
  out.clear(palette.background);
  const shown: Area = [x, y, out.width / zoom, out.height / zoom];
  for (const frame of picture.index.graph.frames) {
    if (meets(frame.area, shown)) drawFrame(out, picture, frame.name, frame.area);
  }
  drawEdges(out, picture, shown);
  const { graph } = picture.index;
  for (const box of graph.boxes) {
    if (!meets(box.area, shown)) continue;
    box.nodes.forEach((node) => drawNode(out, picture, node, box.widths));
    const [left, top, width, height] = placed(picture, box.area);
    out.outline(mix(palette.muted, palette.background, 0.7), 1, left, top, width, height);
  }
  if (picture.selected !== null) drawSelected(out, picture, picture.selected);
}

/** An area in pixels of the canvas. */
function placed({ viewport: { x, y, zoom } }: GraphPicture, [left, top, width, height]: Area): Area {
  return [(left - x) * zoom, (top - y) * zoom, width * zoom, height * zoom];
}

function drawFrame(out: Renderer, picture: GraphPicture, name: string, area: Area): void {
  const { palette, viewport: { zoom } } = picture;
  const [left, top, width, height] = placed(picture, area);
  out.veil(palette.muted, 0.05, left, top, width, height);
  out.outline(mix(palette.muted, palette.background, 0.4), 1, left, top, width, height);
  if (zoom < TEXT_FROM) return;
  // The name of a frame whose upper border is above the canvas stays in sight.
  const y = Math.min(Math.max(top + 11 * zoom, 10), top + height - 6);
  const from = Math.max(left, 0) + 6;
  const room = Math.min(left + width, out.width) - from - 6;
  out.text(palette.muted, name, from, y, room, "left", Math.max(9, 10 * zoom));
}

function drawEdges(out: Renderer, picture: GraphPicture, shown: Area): void {
  const { index, palette, viewport: { x, y, zoom } } = picture;
  for (const isCritical of [false, true]) {
    index.graph.edges.forEach((edge, i) => {
      const bounds = index.bounds[i];
      if ((edge.critical === true) !== isCritical || bounds === undefined || edge.points === undefined) return;
      if (!meets(bounds, shown)) return;
      const part = !(picture.stands(edge.from) && picture.stands(edge.to)) ? 0.25 : isCritical ? 1 : 0.75;
      const colour = mix(isCritical ? palette.path : palette.muted, palette.background, part);
      const points = edge.points.map((value, at) => (value - (at % 2 === 0 ? x : y)) * zoom);
      out.curve(colour, isCritical ? 2 : 1, points, edge.from > edge.to);
      if (zoom >= HEADS_FROM) drawHead(out, colour, (isCritical ? 10 : 8) * Math.min(1, zoom), points);
      const place = index.labels[i];
      if (edge.label !== undefined && place !== undefined && zoom >= NUMBERS_FROM) {
        const [atX, atY] = place;
        out.text(palette.text, edge.label, (atX - x) * zoom, (atY - y) * zoom, 400, "center", 9 * zoom);
      }
    });
  }
}

/** The head of an edge. Its direction is from the last point that is not the end. */
function drawHead(out: Renderer, colour: string, size: number, points: readonly number[]): void {
  const [x = 0, y = 0] = points.slice(-2);
  for (let at = points.length - 4; at >= 0; at -= 2) {
    const [fromX = 0, fromY = 0] = points.slice(at, at + 2);
    if (Math.hypot(fromX - x, fromY - y) < 1) continue;
    out.head(colour, size, fromX, fromY, x, y);
    return;
  }
}

/** The colour of a node: that of its category, the more of it the more of busy time the node takes; small shares can be told apart, too. */
export function fillOf(
  picture: Pick<GraphPicture, "palette" | "largestShare" | "categoryOf">,
  node: GraphNode,
): string {
  const { palette, largestShare } = picture;
  if (palette.isForced || node.share === null || largestShare <= 0) return palette.background;
  const category = picture.categoryOf(node);
  const hue = category === "" ? palette.accent : palette.hues[hueOf(category)];
  return mix(hue, palette.background, 0.12 + 0.88 * Math.sqrt(Math.min(1, node.share / largestShare)));
}

/** The colour of a node's text. */
function inkOf(palette: Palette, node: GraphNode, fill: string, stands: boolean): string {
  if (!stands) return palette.muted;
  if (node.share !== null && fill.startsWith("#")) return textOn(fill);
  return node.kind === "no-device-work" || node.kind === "not-executed" ? palette.muted : palette.text;
}

function drawNode(out: Renderer, picture: GraphPicture, at: number, widths: readonly number[]): void {
  const { index, palette, viewport: { zoom } } = picture;
  const node = index.graph.nodes[at];
  const area = index.areas[at];
  if (node === undefined || area === undefined) return;
  const [left, top, width, height] = placed(picture, area);
  if (top > out.height || top + height < 0) return;
  const stands = picture.stands(at);
  const whole = fillOf(picture, node);
  const fill = stands ? whole : mix(whole, palette.background, 0.25);
  const border = mix(palette.muted, palette.background, 0.35);
  out.fill(fill, left, top, width, height);
  if (node.kind === "missed") out.hatch(border, left, top, width, height);
  if (height > 5) out.fill(border, left, top, width, 1);
  if (node.critical) out.fill(palette.path, left, top, Math.max(1.5, BAR * zoom), height);
  if (zoom < TEXT_FROM) return;
  const ink = inkOf(palette, node, fill, stands);
  const middle = top + height / 2;
  let from = left + PADDING * zoom;
  widths.forEach((points, column) => {
    if (points === 0) return;
    const text = node.columns[column] ?? "";
    const wide = points * zoom;
    // The font of the page may be wider than that of the command.
    const room = wide + GAP * zoom / (column === 0 ? 1 : 2);
    // Numbers end at the right of their column.
    if (column === 0) out.text(ink, text, from, middle, room, "left", TEXT_SIZE * zoom);
    else if (zoom >= NUMBERS_FROM) out.text(ink, text, from + wide, middle, room, "right", TEXT_SIZE * zoom);
    from += wide + GAP * zoom;
  });
}

function drawSelected(out: Renderer, picture: GraphPicture, node: number): void {
  const area = picture.index.areas[node];
  if (area === undefined) return;
  const { palette } = picture;
  const [left, top, width, height] = placed(picture, area);
  out.outline(palette.background, 4, left - 3, top - 3, width + 6, height + 6);
  out.outline(picture.isFocused ? palette.accent : palette.text, 2, left - 3, top - 3, width + 6, height + 6);
}
