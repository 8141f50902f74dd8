/** Tables as CSV by RFC 4180, in the form of the command's outputs. */

/** The text of a value as the command writes it: null is an empty field. */
export function csvNumber(value: number): string {
  // Both write the shortest digits that give the number back; the command writes exponents with two digits.
  return String(value).replace(/e([+-])(\d)$/, "e$10$2");
}

/** A field; control characters become `?`. */
export function csvField(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return csvNumber(value);
  // deno-lint-ignore no-control-regex
  const text = String(value).replace(/[\u0000-\u001f\u007f]/g, "?");
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A table with a row of names. Lines end with CRLF. */
export function csvTable(
  names: readonly string[],
  rows: Iterable<readonly (string | number | boolean | null | undefined)[]>,
): string {
  let text = names.map(csvField).join(",") + "\r\n";
  for (const row of rows) text += row.map(csvField).join(",") + "\r\n";
  return text;
}
