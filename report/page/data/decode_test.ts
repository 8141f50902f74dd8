import { decodeBase64, decodeColumn, decodeValues, inflate } from "./decode.ts";
import type { ColumnType } from "../contract/contract.ts";
import { equal, rejects } from "./testing.ts";

const WIDTHS: Record<string, number> = { u8: 1, u16: 2, u32: 4, i32: 4, f64: 8 };

/** The planes of the zigzag differences of values, as the writer makes them. */
function encode(values: bigint[], type: ColumnType, delta: boolean): Uint8Array<ArrayBuffer> {
  const width = WIDTHS[type]!, bits = BigInt(8 * width);
  const bytes = new Uint8Array(values.length * width);
  let last = 0n;
  values.forEach((value, i) => {
    const difference = BigInt.asIntN(8 * width, value - last);
    let word = BigInt.asUintN(8 * width, delta ? (difference << 1n) ^ (difference >> (bits - 1n)) : value);
    if (delta) last = value;
    for (let plane = 0; plane < width; plane++, word >>= 8n) bytes[plane * values.length + i] = Number(word & 255n);
  });
  return bytes;
}

Deno.test("planes and differences give back the values of every type", () => {
  const cases: [ColumnType, bigint[]][] = [
    ["u8", [0n, 255n, 1n, 128n]],
    ["u16", [0n, 65535n, 1n, 300n]],
    ["u32", [0n, 4294967295n, 1n, 2147483648n, 7n]],
    ["i32", [-1n, 2147483647n, -2147483648n, 0n]],
    ["f64", [0n, 4503599627370496n, -4503599627370495n, 4294967296n, -1n, 2147483648n]],
  ];
  for (const [type, values] of cases) {
    for (const delta of [false, true]) {
      const meta = { type, length: values.length, encoding: delta ? "delta" : "planes" } as const;
      equal(Array.from(decodeValues(encode(values, type, delta), meta)), values.map(Number));
    }
  }
});

Deno.test("base64 is the same by the native function and without it", () => {
  const text = btoa("\x00\xff amdahlc");
  equal(Array.from(decodeBase64(text)), Array.from("\x00\xff amdahlc", (one) => one.charCodeAt(0)));
});

Deno.test("a column of another length, or of damaged data, is an error", async () => {
  const meta = { id: "c0", name: "0/x", type: "u32", length: 2, encoding: "plain", deflated: false } as const;
  equal(Array.from(await decodeColumn(meta, btoa("\x01\x00\x00\x00\x02\x00\x00\x00"))), [1, 2]);
  await rejects(() => decodeColumn(meta, btoa("\x01\x00\x00\x00")));
  await rejects(() => decodeColumn({ ...meta, deflated: true }, btoa("\xff\xff\xff\xff")));
  await rejects(() => inflate(new Uint8Array([255, 255])));
});
