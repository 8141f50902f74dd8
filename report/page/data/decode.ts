/** Decodes what the document embeds: base64, raw deflate, and the orders of bytes of columns. */

import type { ColumnMeta, ColumnType } from "../contract/contract.ts";
import { PackedIntegers } from "./packed_integers.ts";

/** Integers in an array that is as narrow as they allow. */
export type Integers =
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Float64Array;
/** The values of a column; those of `text` are bytes of UTF-8. */
export type Column = Integers | PackedIntegers;

type Bytes = Uint8Array<ArrayBuffer>;
type Words = Bytes | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** Modulo what differences are. */
const MASKS: Record<ColumnType, number> = { u8: 0xff, u16: 0xffff, u32: -1, i32: -1, f64: -1, text: 0xff };

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
export async function decodeColumn(meta: ColumnMeta, text: string, after: Integers | null = null): Promise<Column> {
  const coded = decodeBase64(text.trim());
  const bytes = meta.deflated ? await inflate(coded) : coded;
  const { length, planes } = meta;
  if (bytes.length !== length * planes) {
    throw new Error(`column ${meta.name}: ${bytes.length} bytes instead of ${length * planes}`);
  }
  if (meta.encoding === "after" && after?.length !== length) throw new Error(`column ${meta.name} has no other`);
  return decodeValues(bytes, meta, after, meta.name.endsWith(".start"));
}

/** The values of a column from its bytes, of which there are as many planes as `meta` says; as `PackedIntegers` if it is `isOfTimes`. */
export function decodeValues(
  bytes: Bytes,
  { type, length, encoding, planes }: Pick<ColumnMeta, "type" | "length" | "encoding" | "planes">,
  after: Integers | null = null,
  isOfTimes = false,
): Column {
  const low = joinPlanes(bytes, length, Math.min(planes, 4));
  const others = encoding === "after" ? after : null;
  if (type === "f64") {
    const high = planes > 4 ? joinPlanes(bytes.subarray(4 * length), length, planes - 4) : null;
    const valueOf = encoding === "planes" ? wideValue(low, high) : wideSum(low, high, others);
    if (isOfTimes) return new PackedIntegers(length, valueOf);
    const values = new Float64Array(length);
    for (let i = 0; i < length; i++) values[i] = valueOf(i);
    return values;
  }
  if (encoding !== "planes") return narrowed(sums(low, MASKS[type], others), type === "i32");
  return type === "i32" && planes === 4 ? narrowed(new Int32Array(low.buffer), true) : low;
}

/** Words from at most four planes: all lowest bytes, then all of the next significance, and so on. */
function joinPlanes(bytes: Bytes, length: number, planes: number): Words {
  if (planes === 1) return bytes.subarray(0, length);
  const words = planes === 2 ? new Uint16Array(length) : new Uint32Array(length);
  const joined = new Uint8Array(words.buffer), width = words.BYTES_PER_ELEMENT;
  for (let plane = 0; plane < planes; plane++) {
    for (let i = 0, from = plane * length, to = plane; i < length; i++, from++, to += width) joined[to] = bytes[from]!;
  }
  return words;
}

/** The values of zigzag differences, modulo a power of two. */
function sums(words: Words, mask: number, after: Integers | null): Int32Array<ArrayBuffer> {
  const values = new Int32Array(words.length);
  let value = 0;
  for (let i = 0; i < values.length; i++) {
    const zigzag = words[i]!;
    value = (value + ((zigzag >>> 1) ^ -(zigzag & 1))) & mask;
    values[i] = value;
    if (after) value = (value + after[i]!) | 0;
  }
  return values;
}

/** The values in the narrowest array that has room for them. */
function narrowed(values: Int32Array<ArrayBuffer>, isSigned: boolean): Integers {
  // Bits in which a value differs from its sign, and those of unsigned ones.
  let bits = 0;
  for (let i = 0; i < values.length; i++) bits |= isSigned ? values[i]! ^ (values[i]! >> 31) : values[i]!;
  const width = bits < 0 ? 32 : 32 - Math.clz32(bits) + Number(isSigned);
  if (width <= 8) return isSigned ? new Int8Array(values) : new Uint8Array(values);
  if (width <= 16) return isSigned ? new Int16Array(values) : new Uint16Array(values);
  return isSigned ? values : new Uint32Array(values.buffer);
}

/** Gives integers of 64 bits as doubles, by position. */
function wideValue(low: Words, high: Words | null): (position: number) => number {
  return (i) => (high === null ? 0 : high[i]! | 0) * 2 ** 32 + low[i]!;
}

/** Gives the values of zigzag differences of 64 bits, one after the other. Values and their differences are exact below 2^53. */
function wideSum(low: Words, high: Words | null, after: Integers | null): (position: number) => number {
  let sum = 0;
  return (i) => {
    const word = low[i]!;
    let half = word >>> 1;
    // A zigzag number is twice the difference, or less than twice its negative by one.
    if (high !== null) half = (high[i]! >>> 1) * 2 ** 32 + ((half | (high[i]! << 31)) >>> 0);
    const value = sum + (word & 1 ? -half - 1 : half);
    sum = after === null ? value : value + after[i]!;
    return value;
  };
}

/** The values of a column in all its rows, or in those where `rows` is not 0, each with `plus` added. */
export function derivedColumn(values: Column, rows: Integers | null, plus: number): Integers {
  const all = values instanceof PackedIntegers ? values.toArray() : values;
  const chosen = rows === null ? all : all.filter((_, row) => rows[row] !== 0);
  return plus === 0 ? chosen : Float64Array.from(chosen, (value) => value + plus);
}
