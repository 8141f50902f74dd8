/** Decodes what the document embeds: base64, raw deflate, and the orders of bytes of columns. */

import type { ColumnEncoding, ColumnMeta, ColumnType } from "../contract/contract.ts";

/** The values of a column; those of `text` are bytes of UTF-8. */
export type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

type Bytes = Uint8Array<ArrayBuffer>;

const WIDTHS: Record<ColumnType, number> = { u8: 1, u16: 2, u32: 4, i32: 4, f64: 8, text: 1 };

/** The bytes of base64 text. Throws if it is none. */
export function decodeBase64(text: string): Bytes {
  const native = (Uint8Array as unknown as { fromBase64?: (text: string) => Bytes }).fromBase64;
  if (native) return native(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Inflates raw deflate data. Rejects if it is damaged. */
export async function inflate(bytes: Bytes): Promise<Bytes> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * The values of a column from the text of its element; `after` has those of the column that it is coded after. Rejects if
 * bytes are missing or left over.
 */
export async function decodeColumn(meta: ColumnMeta, text: string, after: Column | null = null): Promise<Column> {
  const coded = decodeBase64(text.trim());
  const bytes = meta.deflated ? await inflate(coded) : coded;
  const { length, planes } = meta;
  if (bytes.length !== length * planes) {
    throw new Error(`column ${meta.name}: ${bytes.length} bytes instead of ${length * planes}`);
  }
  if (meta.encoding === "after" && after?.length !== length) throw new Error(`column ${meta.name} has no other`);
  return decodeValues(bytes, meta, after);
}

/** The values of a column from its bytes, of which there are as many planes as `meta` says. */
export function decodeValues(
  bytes: Bytes,
  { type, length, encoding, planes }: Pick<ColumnMeta, "type" | "length" | "encoding" | "planes">,
  after: Column | null = null,
): Column {
  if (encoding === "planes" && WIDTHS[type] === 1) return bytes;
  const low = joinPlanes(bytes, length, 0, planes);
  if (type === "f64") return wideValues(low, planes > 4 ? joinPlanes(bytes, length, 4, planes) : null, encoding, after);
  if (encoding !== "planes") undoDifferences(low, encoding === "after" ? after : null);
  return narrowValues(low, type);
}

/** Words of 32 bits from at most four planes: all lowest bytes, then all of the next significance, and so on. */
function joinPlanes(bytes: Bytes, length: number, from: number, to: number): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(length);
  for (let plane = from; plane < to && plane < from + 4; plane++) {
    const start = plane * length, shift = 8 * (plane - from);
    for (let i = 0; i < length; i++) words[i] = words[i]! | (bytes[start + i]! << shift);
  }
  return words;
}

function narrowValues(words: Uint32Array<ArrayBuffer>, type: ColumnType): Column {
  switch (type) {
    case "u32":
      return words;
    case "i32":
      return new Int32Array(words.buffer);
    case "u16":
      return Uint16Array.from(words);
    default:
      return Uint8Array.from(words);
  }
}

/** Replaces zigzag differences by the values, modulo 2^32. Narrower types take the lowest bits of these. */
function undoDifferences(words: Uint32Array, after: Column | null): void {
  let value = 0;
  for (let i = 0; i < words.length; i++) {
    const zigzag = words[i]!;
    value = (value + ((zigzag >>> 1) ^ -(zigzag & 1))) | 0;
    words[i] = value;
    if (after) value = (value + after[i]!) | 0;
  }
}

/** Integers of 64 bits as doubles. Values and their differences are exact below 2^53. */
function wideValues(
  low: Uint32Array,
  high: Uint32Array | null,
  encoding: ColumnEncoding,
  after: Column | null,
): Float64Array {
  const values = new Float64Array(low.length);
  if (encoding === "planes") {
    for (let i = 0; i < values.length; i++) values[i] = (high === null ? 0 : high[i]! | 0) * 4294967296 + low[i]!;
    return values;
  }
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    const lowWord = low[i]!;
    let half = lowWord >>> 1;
    // A zigzag number is twice the difference, or less than twice its negative by one.
    if (high !== null) half = (high[i]! >>> 1) * 4294967296 + ((half | (high[i]! << 31)) >>> 0);
    sum += lowWord & 1 ? -half - 1 : half;
    values[i] = sum;
    if (encoding === "after") sum += after![i]!;
  }
  return values;
}

/** The values of a column in all its rows, or in those where `rows` is not 0, each with `plus` added. */
export function derivedColumn(values: Column, rows: Column | null, plus: number): Column {
  const chosen = rows === null ? values : values.filter((_, row) => rows[row] !== 0);
  return plus === 0 ? chosen : Float64Array.from(chosen, (value) => value + plus);
}
