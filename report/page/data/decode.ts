/** Decodes what the document embeds: base64, raw deflate, and the orders of bytes of columns. */

import type { ColumnMeta, ColumnType } from "../contract/contract.ts";

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

/** The values of a column from the text of its element. Rejects if bytes are missing or left over. */
export async function decodeColumn(meta: ColumnMeta, text: string): Promise<Column> {
  const coded = decodeBase64(text.trim());
  const bytes = meta.deflated ? await inflate(coded) : coded;
  if (bytes.length !== meta.length * WIDTHS[meta.type]) {
    throw new Error(`column ${meta.name}: ${bytes.length} bytes instead of ${meta.length * WIDTHS[meta.type]}`);
  }
  return decodeValues(bytes, meta);
}

/** The values of a column from its bytes, of which there are as many as the type needs. */
export function decodeValues(bytes: Bytes, meta: Pick<ColumnMeta, "type" | "length" | "encoding">): Column {
  const { type, length, encoding } = meta;
  const width = WIDTHS[type];
  if (width === 1 && encoding !== "delta") return bytes;
  const interleaved = encoding === "plain" ? bytes : joinPlanes(bytes, width);
  if (type === "f64") return decodeWide(interleaved, length, encoding === "delta");
  const values = narrowValues(interleaved, type);
  if (encoding === "delta") undoDeltas(values, width);
  return values;
}

/** Values in little-endian order from their planes: all lowest bytes, then all of the next significance, and so on. */
function joinPlanes(bytes: Bytes, width: number): Bytes {
  const length = bytes.length / width;
  const joined = new Uint8Array(bytes.length);
  for (let plane = 0; plane < width; plane++) {
    const from = plane * length;
    for (let i = 0, to = plane; i < length; i++, to += width) joined[to] = bytes[from + i]!;
  }
  return joined;
}

function narrowValues(bytes: Bytes, type: ColumnType): Uint8Array | Uint16Array | Uint32Array | Int32Array {
  // Browsers run on little-endian machines only, so that a view of the bytes has the values.
  switch (type) {
    case "u16":
      return new Uint16Array(bytes.buffer);
    case "u32":
      return new Uint32Array(bytes.buffer);
    case "i32":
      return new Int32Array(bytes.buffer);
    default:
      return bytes;
  }
}

/** Replaces zigzag differences, modulo the width of the type, by the values. */
function undoDeltas(values: Uint8Array | Uint16Array | Uint32Array | Int32Array, width: number): void {
  const mask = width === 4 ? 0xffffffff : width === 2 ? 0xffff : 0xff;
  let value = 0;
  for (let i = 0; i < values.length; i++) {
    const zigzag = (values[i]! & mask) >>> 0;
    value = (value + ((zigzag >>> 1) ^ -(zigzag & 1))) | 0;
    values[i] = value;
  }
}

/** Integers of 64 bits as doubles. Values and their differences are exact below 2^53. */
function decodeWide(bytes: Bytes, length: number, deltas: boolean): Float64Array {
  const words = new Uint32Array(bytes.buffer);
  const values = new Float64Array(length);
  let sum = 0;
  for (let i = 0; i < length; i++) {
    const low = words[2 * i]!, high = words[2 * i + 1]!;
    if (!deltas) {
      values[i] = (high | 0) * 4294967296 + low;
      continue;
    }
    // A zigzag number is twice the difference, or less than twice its negative by one.
    const half = (high >>> 1) * 4294967296 + (((high << 31) | (low >>> 1)) >>> 0);
    sum += low & 1 ? -half - 1 : half;
    values[i] = sum;
  }
  return values;
}
