/** A table of any number of rows of which only the visible ones are elements: the ARIA pattern `grid`, with cells that arrow keys walk through. */

import { type Order, type Sortable, sorted } from "../model/sorting.ts";
import { computed, effect, onCleanup, type Readable, type Signal, signal, untracked } from "../state/signals.ts";
import { append, type Child, h, newId, setAttribute, setStyle } from "./elements.ts";
import {
  filledColumns,
  fittingColumns,
  leastWidth,
  textWidth,
  type Track,
  trackOf,
  tracksText,
} from "./grid_columns.ts";
import { GridScroll } from "./grid_scroll.ts";
import { decimal } from "./number.ts";

/** A column of a grid. */
export interface GridColumn<Row> {
  id: string;
  title: string;
  /** Says more about the column than its title. */
  about?: string;
  /** Numbers are at the end, where their digits are below each other. */
  align?: "end";
  /** The width in pixels. Where it may `grow`, a text has what it needs, and bars have what is left. */
  width: number;
  grow?: number;
  /** What rows are ordered by. */
  value(row: Row): Sortable;
  /** What a cell shows; without it the value as text. */
  cell?(row: Row): Child;
}

/** What a grid shows. */
export interface GridOptions<Row> {
  label: string;
  /** Columns without any value are left out. */
  columns: readonly GridColumn<Row>[];
  /** Ids of columns that are left out where there is no room for all, the first one first. The others stay. */
  leaving?: readonly string[];
  rows: Readable<readonly Row[]>;
  /** All rows that `rows` may ever have, of which the columns are; without them, those that it has now. */
  all?: readonly Row[];
  order: Order;
  /** A key that tells rows apart, also after another order. */
  key(row: Row): string | number;
  /** Whether the row is what is selected. Read in an effect. */
  isSelected?(row: Row): boolean;
  onSelect?(row: Row): void;
  /** What Enter and a double click do. */
  onOpen?(row: Row): void;
  /** What is shown instead of no rows. */
  empty?: string;
}

/** A grid with its rows in the order in which they are shown. */
export interface Grid<Row> {
  element: HTMLElement;
  shown: Readable<readonly Row[]>;
  /** How many columns there is no room for. */
  omitted: Readable<number>;
  /** Shows all columns, of which some must be scrolled to. */
  showsAll: Signal<boolean>;
}

const ROW_HEIGHT = 28;
/** Rows that are elements above and below the visible part. */
const OVERSCAN = 6;
/** A print has no more rows of one table, and no columns beyond this width in pixels. */
const MOST_PRINTED = 500;
const PAPER_WIDTH = 700;

/** Makes a grid. Its effects end with the scope around. */
export function grid<Row>(options: GridOptions<Row>): Grid<Row> {
  return new VirtualGrid(options);
}

class VirtualGrid<Row> implements Grid<Row> {
  readonly element: HTMLElement;
  readonly shown: Readable<readonly Row[]>;
  readonly omitted: Readable<number>;
  readonly showsAll = signal(false);
  readonly #options: GridOptions<Row>;
  readonly #columns: readonly GridColumn<Row>[];
  readonly #tracks: readonly Track[];
  readonly #headCells: readonly HTMLElement[];
  readonly #order;
  readonly #room = signal(Infinity);
  /** Places of the columns that are shown. */
  readonly #places: Readable<readonly number[]>;
  readonly #head: HTMLElement;
  readonly #body: HTMLElement;
  /** Says how many rows are below the visible part. The attribute `aria-rowcount` says it to screen readers. */
  readonly #more = h("div", { class: "grid-more", "aria-hidden": true, hidden: true });
  readonly #scroll: GridScroll;
  readonly #rows = new Map<number, HTMLElement>();
  readonly #id = newId("grid");
  /** The cell that the keyboard is at; row -1 is the header. */
  #active = { row: -1, column: 0 };
  #frame = 0;
  #printing = false;

  constructor(options: GridOptions<Row>) {
    this.#options = options;
    const all = options.all ?? options.rows.peek();
    this.#columns = filledColumns<Row, GridColumn<Row>>(options.columns, all);
    this.#tracks = this.#columns.map((column) => trackOf(column, all, textWidth));
    const placeOf = (id: string): number => this.#columns.findIndex((one) => one.id === id);
    const leaving = (options.leaving ?? []).map(placeOf);
    this.#order = signal(options.order);
    // The same places are the same array, so that rows are made anew only for other columns.
    let places: readonly number[] = [];
    this.#places = computed(() => {
      const room = this.showsAll.value ? Infinity : this.#room.value;
      const next = fittingColumns(this.#tracks, room, leaving, placeOf(this.#order.value.column));
      return places = next.join() === places.join() ? places : next;
    });
    this.omitted = computed(() => this.#columns.length - this.#places.value.length);
    this.shown = computed(() => {
      const { column, descending } = this.#order.value;
      const found = options.columns.find((one) => one.id === column) ?? options.columns[0]!;
      return sorted(options.rows.value, (row) => found.value(row), descending);
    });
    this.#headCells = this.#columns.map((_, i) => this.#headCell(i));
    this.#head = h("div", { role: "row", "aria-rowindex": 1, class: "grid-row grid-head-row" });
    this.#body = h("div", { role: "rowgroup", class: "grid-body" });
    this.element = h(
      "div",
      {
        role: "grid",
        class: "grid",
        id: this.#id,
        tabindex: -1,
        "aria-label": options.label,
        "aria-colcount": this.#columns.length,
        onscroll: () => this.#schedule(),
        onkeydown: (event: KeyboardEvent) => this.#onKey(event),
        onclick: (event: MouseEvent) => this.#onClick(event),
        ondblclick: (event: MouseEvent) => this.#onDoubleClick(event),
      },
      h("div", { role: "rowgroup", class: "grid-head" }, this.#head),
      this.#body,
      this.#more,
    );
    this.#scroll = new GridScroll(this.element, this.#body, ROW_HEIGHT);
    this.#watch();
  }

  #watch(): void {
    let made: readonly number[] | null = null;
    effect(() => {
      const places = this.#places.value;
      if (places === made) return;
      made = places;
      const tracks = places.map((place) => this.#tracks[place]!);
      setStyle(this.element, { "--tracks": tracksText(tracks), "--least": leastWidth(tracks) });
      this.#head.replaceChildren(...places.map((place) => this.#headCells[place]!));
      this.#active.column = Math.min(this.#active.column, places.length - 1);
      untracked(() => this.#render(true));
    });
    effect(() => {
      const rows = this.shown.value;
      setAttribute(this.element, "aria-rowcount", rows.length + 1);
      if (this.#active.row >= rows.length) this.#active.row = rows.length - 1;
      this.#scroll.setRows(rows.length);
      untracked(() => this.#render(true));
    });
    effect(() => {
      const { isSelected } = this.#options;
      if (!isSelected) return;
      for (const [index, element] of this.#rows) {
        const row = this.shown.value[index];
        // Elements of rows that are no longer shown go with the next drawing.
        if (row !== undefined) setAttribute(element, "aria-selected", isSelected(row));
      }
      // Without a row there is nothing to read, but the selection must be read for the next time.
      const first = this.shown.value[0];
      if (first !== undefined) isSelected(first);
    });
    // What was selected in another view is seen here, too.
    requestAnimationFrame(() => {
      const { isSelected } = this.#options;
      if (isSelected) this.#reveal(untracked(() => this.shown.value.findIndex((row) => isSelected(row))));
    });
    const resized = new ResizeObserver(() => {
      this.#setRoom();
      this.#schedule();
    });
    resized.observe(this.element);
    const print = (printing: boolean) => () => {
      this.#printing = printing;
      this.#setRoom();
      this.#render(true);
    };
    const before = print(true), after = print(false);
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    onCleanup(() => {
      resized.disconnect();
      cancelAnimationFrame(this.#frame);
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
    });
  }

  /** An element that is not shown yet has no width. */
  #setRoom(): void {
    const { clientWidth } = this.element;
    if (clientWidth > 0) this.#room.value = this.#printing ? Math.min(PAPER_WIDTH, clientWidth) : clientWidth;
  }

  #headCell(index: number): HTMLElement {
    const column = this.#columns[index]!;
    return h(
      "div",
      {
        role: "columnheader",
        class: column.align === "end" ? "cell head end" : "cell head",
        "aria-colindex": index + 1,
        "aria-sort": () => {
          const order = this.#order.value;
          return order.column !== column.id ? "none" : order.descending ? "descending" : "ascending";
        },
        tabindex: index === 0 ? 0 : -1,
        title: column.about,
        "data-cell": "",
      },
      h("span", { class: "head-text" }, column.title),
      h("span", { class: "head-arrow", "aria-hidden": true }, () => {
        const order = this.#order.value;
        return order.column !== column.id ? "" : order.descending ? "▾" : "▴";
      }),
    );
  }

  #reveal(index: number): void {
    if (index < 0) return;
    this.#active = { row: index, column: this.#active.column };
    this.#scroll.reveal(index, this.#head.offsetHeight);
    this.#render(false);
  }

  #schedule(): void {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#render(false);
    });
  }

  /** Makes the visible rows elements, all of them anew if the rows changed. */
  #render(anew: boolean): void {
    const rows = this.shown.peek();
    const hadFocus = this.element.contains(document.activeElement);
    const last = Math.min(rows.length, MOST_PRINTED);
    const [from, to] = this.#printing ? [0, last] : this.#scroll.visible(OVERSCAN);
    for (const [index, element] of this.#rows) {
      if (!anew && index >= from && index < to) continue;
      element.remove();
      this.#rows.delete(index);
    }
    if (anew) {
      this.#body.replaceChildren(
        ...(rows.length === 0 && this.#options.empty ? [this.#emptyRow(this.#options.empty)] : []),
      );
    }
    const made: HTMLElement[] = [];
    for (let index = from; index < to; index++) {
      if (this.#rows.has(index)) continue;
      const element = this.#row(rows[index]!, index);
      this.#rows.set(index, element);
      made.push(element);
    }
    this.#body.append(...made);
    for (const [index, element] of this.#rows) {
      setStyle(element, { transform: this.#printing ? null : `translateY(${this.#scroll.top(index)}px)` });
    }
    const below = this.#printing ? 0 : this.#scroll.below();
    this.#more.hidden = below === 0;
    this.#more.textContent = below === 1 ? "1 more row" : `${decimal(below, 0)} more rows`;
    this.#setTabStops();
    // The focused cell may have left with its row: the grid keeps the focus, and the next arrow key brings the cell back.
    if (hadFocus && !this.element.contains(document.activeElement)) {
      (this.#cell() ?? this.element).focus({ preventScroll: true });
    }
  }

  #emptyRow(text: string): HTMLElement {
    return h("div", { role: "row", class: "grid-empty" }, h("div", { role: "gridcell" }, text));
  }

  #row(row: Row, index: number): HTMLElement {
    const { isSelected } = this.#options;
    const element = h("div", { role: "row", class: "grid-row", "aria-rowindex": index + 2, "data-row": index });
    if (isSelected) setAttribute(element, "aria-selected", untracked(() => isSelected(row)));
    for (const place of this.#places.peek()) {
      const column = this.#columns[place]!;
      const cell = h("div", {
        role: place === 0 ? "rowheader" : "gridcell",
        class: column.align === "end" ? "cell end" : "cell",
        "aria-colindex": place + 1,
        tabindex: -1,
        "data-cell": "",
      });
      append(cell, column.cell ? column.cell(row) : textOf(column.value(row)));
      element.append(cell);
    }
    return element;
  }

  /** The element of the active cell, if its row is one. */
  #cell(): HTMLElement | null {
    const row = this.#active.row < 0 ? this.#head : this.#rows.get(this.#active.row);
    return (row?.children[this.#active.column] as HTMLElement | undefined) ?? null;
  }

  /** One cell can be reached by the key Tab; the grid itself if the row of the active cell is no element. */
  #setTabStops(): void {
    const active = this.#cell();
    for (const cell of this.element.querySelectorAll<HTMLElement>('[tabindex="0"]')) {
      if (cell !== active) cell.tabIndex = -1;
    }
    if (active) active.tabIndex = 0;
    this.element.tabIndex = active ? -1 : 0;
  }

  #moveTo(row: number, column: number): void {
    this.#active = {
      row: Math.max(-1, Math.min(this.shown.peek().length - 1, row)),
      column: Math.max(0, Math.min(this.#places.peek().length - 1, column)),
    };
    if (this.#active.row >= 0) this.#scroll.reveal(this.#active.row, this.#head.offsetHeight);
    this.#render(false);
    const cell = this.#cell();
    cell?.focus({ preventScroll: true });
    cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  #onKey(event: KeyboardEvent): void {
    const { row, column } = this.#active;
    const last = this.shown.peek().length - 1, lastColumn = this.#places.peek().length - 1;
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW_HEIGHT) - 2);
    const moves: Record<string, [number, number]> = {
      ArrowDown: [row + 1, column],
      ArrowUp: [row - 1, column],
      ArrowRight: [row, column + 1],
      ArrowLeft: [row, column - 1],
      PageDown: [row + page, column],
      PageUp: [Math.max(row - page, Math.min(row, 0)), column],
      Home: event.ctrlKey ? [0, 0] : [row, 0],
      End: event.ctrlKey ? [last, lastColumn] : [row, lastColumn],
    };
    const to = moves[event.key];
    if (to && !event.altKey && !event.metaKey) {
      this.#moveTo(...to);
    } else if (event.key === "Enter" || event.key === " ") {
      if (row < 0) this.#sort(column);
      else if (event.key === "Enter") this.#choose(row, true);
      else this.#choose(row, false);
    } else {
      return;
    }
    event.preventDefault();
  }

  #place(event: MouseEvent): { row: number; column: number } | null {
    const cell = (event.target as Element).closest<HTMLElement>("[data-cell]");
    const parent = cell?.parentElement;
    if (!cell || !parent || !this.element.contains(cell)) return null;
    const row = parent.dataset["row"];
    return { row: row === undefined ? -1 : Number(row), column: [...parent.children].indexOf(cell) };
  }

  #onClick(event: MouseEvent): void {
    const place = this.#place(event);
    if (!place) return;
    this.#active = place;
    this.#setTabStops();
    this.#cell()?.focus({ preventScroll: true });
    if (place.row < 0) this.#sort(place.column);
    else this.#choose(place.row, false);
  }

  #onDoubleClick(event: MouseEvent): void {
    const place = this.#place(event);
    if (place && place.row >= 0) this.#choose(place.row, true);
  }

  #choose(index: number, open: boolean): void {
    const row = this.shown.peek()[index];
    if (row === undefined) return;
    this.#options.onSelect?.(row);
    if (open) this.#options.onOpen?.(row);
  }

  /** Orders by a column: numbers at first from the largest on, texts from the first. */
  #sort(index: number): void {
    const column = this.#columns[this.#places.peek()[index] ?? 0]!;
    const order = this.#order.peek();
    const first = this.shown.peek()[0];
    const numbers = column.align === "end" || (first !== undefined && typeof column.value(first) === "number");
    this.#order.value = { column: column.id, descending: order.column === column.id ? !order.descending : numbers };
    this.element.scrollTop = 0;
  }
}

const textOf = (value: Sortable): string => value === null ? "" : String(value);
