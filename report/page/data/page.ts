/** Reads the document's inert elements. */

import { PAGE_VERSION } from "../contract/contract.ts";
import type { ColumnMeta, DerivedMeta, PageMeta, Report, ReportRun, RunMeta } from "../contract/contract.ts";
import { type Column, decodeBase64, decodeColumn, derivedColumn, inflate, type Integers } from "./decode.ts";
import { reportText } from "./report_text.ts";
import { type Page, type RunData, TABLE_COLUMNS, type TableName, Texts } from "./tables.ts";
import { PackedIntegers } from "./packed_integers.ts";

/** Gives the text of an element by its id, once; null if there is none. */
export type Source = (id: string) => string | null;

/** The texts of script elements. An element is emptied when it is read, because what it was decoded to stays. */
export function documentSource(): Source {
  return (id) => {
    const element = document.getElementById(id);
    const text = element?.textContent ?? null;
    element?.remove();
    return text;
  };
}

/** Reads the page and the report. Rejects with what is missing or damaged. */
export async function loadPage(source: Source): Promise<Page> {
  const text = source("page");
  if (text === null) throw new Error("the element `page` is missing");
  const meta = JSON.parse(text) as PageMeta;
  if (meta.version !== PAGE_VERSION) {
    throw new Error(`the element \`page\` has version ${meta.version}, not ${PAGE_VERSION}`);
  }
  const coded = source("report");
  if (coded === null) throw new Error("the element `report` is missing");
  const report = JSON.parse(reportText(await inflate(decodeBase64(coded.trim())))) as Report;
  const runs = report.runs.map((run, index) => new DocumentRun(index, run, meta, source));
  const embedded = (id: string) => {
    const text = source(id);
    return text === null ? null : inflate(decodeBase64(text.trim()));
  };
  return { meta, report, runs, embedded };
}

class DocumentRun implements RunData {
  readonly label: string;
  readonly meta: RunMeta;
  strings = new Texts(new Uint8Array(), new Uint32Array());
  readonly #columns: PageMeta["columns"];
  readonly #source: Source;
  readonly #decoded = new Map<string, Promise<Column>>();
  readonly #loaded = new Map<string, Integers>();

  constructor(readonly index: number, readonly report: ReportRun, page: PageMeta, source: Source) {
    this.label = report.label;
    this.meta = page.runs[index] ??
      {
        label: report.label,
        origin_ns: "0",
        lanes: [],
        iterations: [],
        causes: [],
        restricted: null,
        not_compared: null,
        has_selected: true,
        not_replayed: null,
      };
    this.#columns = page.columns;
    this.#source = source;
  }

  hasColumn(name: string): boolean {
    return this.#columns.some((one) => one.name === `${this.index}/${name}`);
  }

  has(table: TableName): boolean {
    const [prefix, names] = TABLE_COLUMNS[table];
    return names.every((name) => this.hasColumn(`${prefix}.${name}`));
  }

  rowsOf(table: TableName): number {
    const [prefix, [first]] = TABLE_COLUMNS[table];
    const meta = this.#columns.find((one) => one.name === `${this.index}/${prefix}.${first}`);
    return meta !== undefined && "length" in meta ? meta.length : 0;
  }

  async column(name: string): Promise<Integers | null> {
    const column = await this.#column(name);
    return column instanceof PackedIntegers ? column.toArray() : column;
  }

  #column(name: string): Promise<Column> | null {
    const meta = this.#columns.find((one) => one.name === `${this.index}/${name}`);
    if (!meta) return null;
    // Values that others have, too, are made anew.
    if ("of" in meta) return this.#derived(meta);
    let column = this.#decoded.get(name);
    if (!column) {
      column = this.#decode(meta).then((values) => {
        if (!(values instanceof PackedIntegers)) this.#loaded.set(name, values);
        return values;
      });
      this.#decoded.set(name, column);
    }
    return column;
  }

  async #derived(meta: DerivedMeta): Promise<Column> {
    const [values, rows] = await Promise.all([this.#needed(meta.of), meta.rows ? this.#needed(meta.rows) : null]);
    return derivedColumn(values, rows instanceof PackedIntegers ? null : rows, meta.plus ?? 0);
  }

  async #decode(meta: ColumnMeta): Promise<Column> {
    const text = this.#source(meta.id);
    if (text === null) throw new Error(`the element \`${meta.id}\` is missing`);
    const after = meta.after === undefined ? null : await this.#needed(meta.after);
    return decodeColumn(meta, text, after instanceof PackedIntegers ? null : after);
  }

  /** Another column by its name with the run. */
  async #needed(name: string): Promise<Column> {
    const column = await this.#column(name.slice(name.indexOf("/") + 1));
    if (!column) throw new Error(`the column ${name} is missing`);
    return column;
  }

  loaded(name: string): Integers | null {
    return this.#loaded.get(name) ?? null;
  }

  async load(...tables: TableName[]): Promise<void> {
    const wanted = tables.filter((table) => !this[table] && this.has(table));
    if (wanted.length > 0 && this.strings.length === 0) {
      const [bytes, ends] = await Promise.all([this.column("strings"), this.column("strings.end")]);
      if (bytes && ends) this.strings = new Texts(bytes as Uint8Array, ends);
    }
    await Promise.all(wanted.map((table) => this.#loadTable(table)));
  }

  async #loadTable(table: TableName): Promise<void> {
    const [prefix, names] = TABLE_COLUMNS[table];
    const columns = await Promise.all(names.map((name) => this.#column(`${prefix}.${name}`)));
    const rows: Record<string, unknown> = { length: columns[0]!.length };
    names.forEach((name, i) => rows[name] = columns[i]);
    Object.assign(this, { [table]: rows });
  }
}

// The tables that `load` adds to a run.
interface DocumentRun extends RunData {}
