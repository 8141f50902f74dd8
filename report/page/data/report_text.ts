/** Restores the report, whose values are ordered by their keys in the page. */

/** Bytes of the place of a value, which also ends a value, and of what ends a part. */
const VALUE = 1, PART = 2;
const QUOTE = 34, BACKSLASH = 92;

/** The text of the report from its bytes by key, as `json_by_key.h` describes them. Linear, byte by byte, because reports are long. */
export function reportText(byKey: Uint8Array): string {
  const decoder = new TextDecoder();
  const endOf = (part: number): number => (byKey.indexOf(PART, part) + byKey.length + 1) % (byKey.length + 1);
  const shapeEnd = endOf(0);
  /** By key its number, and by number where its next value is. */
  const numbers = new Map<string, number>();
  const next: number[] = [];
  let unused = shapeEnd + 1;
  // All bytes but those of marks.
  const out = new Uint8Array(byKey.length);
  let size = 0, key = "", number = -1;
  for (let at = 0; at < shapeEnd; at++) {
    const byte = byKey[at]!;
    if (byte === VALUE) {
      if (number < 0) {
        // The first value of a key.
        numbers.set(key, number = next.push(unused) - 1);
        unused = endOf(unused) + 1;
      }
      let from = next[number]!;
      while (from < byKey.length && byKey[from]! > PART) out[size++] = byKey[from++]!;
      next[number] = from + 1;
      continue;
    }
    out[size++] = byte;
    if (byte !== QUOTE) continue;
    const begin = size;
    for (let isOpen = true; isOpen && ++at < shapeEnd;) {
      const isEscape = byKey[at] === BACKSLASH;
      isOpen = byKey[at] !== QUOTE;
      out[size++] = byKey[at]!;
      if (isEscape) out[size++] = byKey[++at]!;
    }
    key = decoder.decode(out.subarray(begin, size));
    number = numbers.get(key) ?? -1;
  }
  return decoder.decode(out.subarray(0, size));
}
