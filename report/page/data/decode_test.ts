import { decodeBase64, decodeColumn, decodeValues, derivedColumn, inflate, type Integers } from "./decode.ts";
import type { ColumnEncoding, ColumnType } from "../contract/contract.ts";
import type { PackedIntegers } from "./packed_integers.ts";
import { equal, rejects } from "./testing.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const WIDTHS: Record<string, number> = { u8: 1, u16: 2, u32: 4, i32: 4, f64: 8 };

/** The planes of values, or of their zigzag differences, as the writer makes them: of as many bytes as they need. */
function encode(values: bigint[], type: ColumnType, encoding: ColumnEncoding, after: number[]): [Bytes, number] {
  const bits = 8 * WIDTHS[type]!;
  const words = values.map((value, i) => {
    if (encoding === "planes") return BigInt.asUintN(bits, value);
    const before = i === 0 ? 0n : values[i - 1]! + (encoding === "after" ? BigInt(after[i - 1]!) : 0n);
    const difference = BigInt.asIntN(bits, value - before);
    return BigInt.asUintN(bits, (difference << 1n) ^ (difference >> BigInt(bits - 1)));
  });
  const planes = Math.max(1, ...words.map((word) => Math.ceil(word.toString(2).length / 8)));
  const bytes = new Uint8Array(values.length * planes);
  words.forEach((word, i) => {
    for (let plane = 0; plane < planes; plane++, word >>= 8n) bytes[plane * values.length + i] = Number(word & 255n);
  });
  return [bytes, planes];
}

Deno.test("planes and differences give back the values of every type", () => {
  const cases: [ColumnType, bigint[]][] = [
    ["u8", [0n, 255n, 1n, 128n]],
    ["u16", [0n, 65535n, 1n, 300n]],
    ["u32", [0n, 4294967295n, 1n, 2147483648n, 7n]],
    ["u32", [3n, 5n]],
    ["i32", [-1n, 2147483647n, -2147483648n, 0n]],
    ["f64", [0n, 4503599627370496n, -4503599627370495n, 4294967296n, -1n, 2147483648n]],
    ["f64", [1000000n, 1000007n, 1000031n]],
  ];
  for (const [type, values] of cases) {
    const after = values.map((_, i) => 5 * i);
    for (const encoding of ["planes", "delta", "after"] as const) {
      const [bytes, planes] = encode(values, type, encoding, after);
      const meta = { type, length: values.length, encoding, planes };
      const others = Float64Array.from(after);
      equal(Array.from(decodeValues(bytes, meta, others) as Integers), values.map(Number));
      if (type !== "f64") continue;
      equal(Array.from((decodeValues(bytes, meta, others, true) as PackedIntegers).toArray()), values.map(Number));
    }
  }
});

Deno.test("integers are in the narrowest array that has room for them", () => {
  const nameOf = (type: ColumnType, values: number[]): string => {
    const [bytes, planes] = encode(values.map(BigInt), type, "delta", []);
    return decodeValues(bytes, { type, length: values.length, encoding: "delta", planes }).constructor.name;
  };
  equal(["u32", "i32"].map((type) => nameOf(type as ColumnType, [0, 127])), ["Uint8Array", "Int8Array"]);
  equal(["u32", "i32"].map((type) => nameOf(type as ColumnType, [0, 255])), ["Uint8Array", "Int16Array"]);
  equal([[-128], [-129], [-32769]].map((values) => nameOf("i32", values)), ["Int8Array", "Int16Array", "Int32Array"]);
  equal([[65535], [65536], [2 ** 31]].map((values) => nameOf("u32", values)), [
    "Uint16Array",
    "Uint32Array",
    "Uint32Array",
  ]);
});

Deno.test("a derived column has the rows of another one that are chosen", () => {
  equal(Array.from(derivedColumn(Float64Array.of(5, 6, 7), Uint8Array.of(1, 0, 1), -5)), [0, 2]);
  equal(Array.from(derivedColumn(Float64Array.of(5, 6), null, 0)), [5, 6]);
});

Deno.test("base64 is the same by the native function and without it", () => {
  const text = btoa("\x00\xff amdahlc");
  equal(Array.from(decodeBase64(text)), Array.from("\x00\xff amdahlc", (one) => one.charCodeAt(0)));
});

Deno.test("a column of another length, or of damaged data, is an error", async () => {
  const meta = {
    id: "c0",
    name: "0/x",
    type: "u32",
    length: 2,
    encoding: "planes",
    planes: 1,
    deflated: false,
  } as const;
  equal(Array.from(await decodeColumn(meta, btoa("\x01\x02")) as Integers), [1, 2]);
  await rejects(() => decodeColumn(meta, btoa("\x01")));
  await rejects(() => decodeColumn({ ...meta, deflated: true }, btoa("\xff\xff\xff\xff")));
  await rejects(() => inflate(new Uint8Array([255, 255])));
});
