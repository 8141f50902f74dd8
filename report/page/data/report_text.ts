/** Restores the report, whose values are ordered by their keys in the page. */

const KEY = /"(?:[^"\\]|\\.)*":/g;

/** The text of the report from its text by key, as `json_by_key.h` describes it. */
export function reportText(byKey: string): string {
  const [shape, ...parts] = byKey.split("\u0002");
  const unused = parts.map((part) => part.split("\u0001").values()).values();
  const valuesOf = new Map<string, Iterator<string>>();
  let key = "", text = "";
  // Before each place of a value, and behind the last one.
  const pieces = shape!.split("\u0001");
  pieces.forEach((piece, place) => {
    text += piece;
    if (place === pieces.length - 1) return;
    key = piece.match(KEY)?.at(-1) ?? key;
    let values = valuesOf.get(key);
    if (!values) valuesOf.set(key, values = unused.next().value ?? [].values());
    text += values.next().value ?? "";
  });
  return text;
}
