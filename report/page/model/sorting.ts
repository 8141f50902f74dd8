/** Orders and searches of rows. */

/** A value that rows are ordered by. Null is always last. */
export type Sortable = number | string | boolean | null;

/** The order of a table: the id of a column. */
export interface Order {
  readonly column: string;
  readonly descending: boolean;
}

const collator = new Intl.Collator("en", { numeric: true });

/** Compares two values in ascending order. */
export function compare(a: Sortable, b: Sortable): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return collator.compare(String(a), String(b));
}

/** The rows in an order, stable, those without a value last. */
export function sorted<Row>(rows: readonly Row[], value: (row: Row) => Sortable, descending: boolean): Row[] {
  const keyed = rows.map((row) => ({ row, key: value(row) }));
  const known = keyed.filter((one) => one.key !== null);
  // Texts are ranked once: comparing them in each step of the sort takes ten times as long.
  if (known.length > 256 && known.every((one) => typeof one.key === "string")) {
    const ranks = new Map(
      [...new Set(known.map((one) => one.key as string))].sort(collator.compare).map((text, i) => [text, i]),
    );
    for (const one of known) one.key = ranks.get(one.key as string)!;
  }
  known.sort((a, b) => descending ? compare(b.key, a.key) : compare(a.key, b.key));
  return [...known, ...keyed.filter((one) => one.key === null)].map((one) => one.row);
}

/** Whether a row with these texts has all words of a search. The words are in lower case, as `searchWords` makes them. */
export function matches(words: readonly string[], text: string): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** The words of a search. */
export function searchWords(search: string): string[] {
  return search.toLowerCase().split(/\s+/).filter((word) => word !== "");
}
