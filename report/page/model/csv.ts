/** Tables as CSV by RFC 4180, in the form of the command's outputs. */

/** The text of a value as the command writes it: null is an empty field. */
export function csvNumber(value: number): string {
  // Both write the shortest digits that give the number back; the command writes exponents with two digits.
  return String(value).replace(/e([+-])(\d)$/, "e$10$2");
}

/** A number, as the command reads one. */
const NUMBER = /^-(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|infinity|nan(?:\(\w*\))?)$/i;

/** Whether a spreadsheet computes a cell with this text. Some take the wide forms of the signs, too. */
const isFormula = (cell: string): boolean => /^[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(cell) && !NUMBER.test(cell);

/** A text with an apostrophe before each formula, as `-csv-safe` writes it. A semicolon ends a cell in some locales. */
const withoutFormulas = (text: string): string =>
  text.split(";").map((cell) => isFormula(cell) ? `'${cell}` : cell).join(";");

type Field = string | number | boolean | null | undefined;

/** A field; control characters become `?`, and a spreadsheet computes no text. */
export function csvField(value: Field): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return csvNumber(value);
  // deno-lint-ignore no-control-regex
  const text = withoutFormulas(String(value).replace(/[\u0000-\u001f\u007f]/g, "?"));
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A table with a row of names. Lines end with CRLF. */
export function csvTable(
  names: readonly string[],
  rows: Iterable<readonly Field[]>,
): string {
  let text = names.map(csvField).join(",") + "\r\n";
  for (const row of rows) text += row.map(csvField).join(",") + "\r\n";
  return text;
}

/** A column of a table: a member of the rows, or a name and what it has of each row. */
export type CsvColumn<Row> = (keyof Row & string) | readonly [name: string, value: (row: Row) => Field];

/** Rows as a table with these columns. */
export function csvOf<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  return csvTable(
    columns.map((one) => typeof one === "string" ? one : one[0]),
    rows.map((row) => columns.map((one) => typeof one === "string" ? row[one] as Field : one[1](row))),
  );
}
