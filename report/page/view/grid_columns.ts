/** Which columns of a grid are shown, and how wide each is. */

import type { Sortable } from "../model/sorting.ts";

/** What the width of a column depends on. */
export interface SizedColumn<Row> {
  readonly title: string;
  readonly align?: "end";
  readonly width: number;
  readonly grow?: number;
  value(row: Row): Sortable;
}

const isEmpty = (value: Sortable): boolean => value === null || value === undefined || value === "";

/** The columns that have a value in a row at least. The first one stays. */
export function filledColumns<Row, Column extends SizedColumn<Row>>(
  columns: readonly Column[],
  rows: readonly Row[],
): readonly Column[] {
  return columns.filter((column, place) => place === 0 || rows.some((row) => !isEmpty(column.value(row))));
}

/** The least and the largest width of a column in pixels; a column of bars takes what is left. */
export interface Track {
  readonly least: number;
  readonly most: number;
  /** It is a name, which may be cut in a window that is too narrow for all of it. */
  readonly isName?: boolean;
}

/** A name takes no more than this share of the grid where there is no room. */
const NAME_SHARE = 0.45;

/** Room for the padding of a cell, and for a mark before its text. */
const PADDING = 18, MARK = 18;

/**
 * The widths of a column for its longest text, which `measure` gives in pixels. Numbers have the width that the column
 * says; texts have what they need, but little more than that width if there is no room.
 */
export function trackOf<Row>(
  column: SizedColumn<Row>,
  rows: readonly Row[],
  measure: (text: string) => number,
): Track {
  if (column.align === "end") return { least: column.width, most: column.width };
  let longest = column.title, hasNumbers = false;
  for (const row of rows) {
    const value = column.value(row);
    if (typeof value === "number") hasNumbers = true;
    else if (value !== null && value !== undefined && String(value).length > longest.length) longest = String(value);
  }
  if (hasNumbers) return { least: column.width, most: column.grow ? Infinity : column.width };
  const need = Math.ceil(measure(longest)) + PADDING + MARK;
  const least = Math.min(need, Math.round(1.4 * column.width));
  return column.grow ? { least, most: need, isName: true } : { least, most: least };
}

/** Places of the columns that fit into so many pixels, after those of `leaving` have left one by one, but for `kept`. */
export function fittingColumns(
  tracks: readonly Track[],
  room: number,
  leaving: readonly number[],
  kept: number,
): number[] {
  const shown = new Set(tracks.keys());
  const widthOf = ({ least, isName }: Track): number => isName ? Math.min(least, NAME_SHARE * room) : least;
  let width = tracks.reduce((sum, one) => sum + widthOf(one), 0);
  for (const place of leaving) {
    if (width <= room) break;
    if (place !== kept && shown.delete(place)) width -= widthOf(tracks[place]!);
  }
  return [...shown];
}

const leastText = ({ least, isName }: Track): string =>
  isName ? `min(${least}px, ${100 * NAME_SHARE}cqi)` : `${least}px`;

/** The tracks as CSS; what no column takes is left at the end. */
export function tracksText(tracks: readonly Track[]): string {
  const sized = tracks.map((track) =>
    track.most === track.least && !track.isName
      ? leastText(track)
      : `minmax(${leastText(track)}, ${track.most === Infinity ? "1fr" : `${track.most}px`})`
  );
  if (tracks.every(({ most }) => most !== Infinity)) sized.push("minmax(0, 1fr)");
  return sized.join(" ");
}

/** The sum of the least widths, as CSS. */
export const leastWidth = (tracks: readonly Track[]): string => `calc(${tracks.map(leastText).join(" + ") || "0px"})`;

let canvas: CanvasRenderingContext2D | null | undefined;

/** The width of a text as the page shows it. */
export function textWidth(text: string): number {
  canvas ??= document.createElement("canvas").getContext("2d");
  if (!canvas) return 8 * text.length;
  const { fontSize, fontFamily } = getComputedStyle(document.body);
  canvas.font = `${fontSize} ${fontFamily}`;
  return canvas.measureText(text).width;
}
