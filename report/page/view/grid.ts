/** A table of any number of rows of which only the visible ones are elements: the ARIA pattern `grid`, with cells that arrow keys walk through. */

import { type Order, type Sortable, sorted } from "../model/sorting.ts";
import { computed, effect, onCleanup, type Readable, signal, untracked } from "../state/signals.ts";
import { append, type Child, h, newId, setAttribute, setStyle } from "./elements.ts";
import { GridScroll } from "./grid_scroll.ts";

/** A column of a grid. */
export interface GridColumn<Row> {
  id: string;
  title: string;
  /** Says more about the column than its title. */
  about?: string;
  /** Numbers are at the end, where their digits are below each other. */
  align?: "end";
  /** The least width in pixels, and the share of what is left. */
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
  columns: readonly GridColumn<Row>[];
  rows: Readable<readonly Row[]>;
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

/** The columns that have a value in a row at least. The first one stays. */
export function filledColumns<Row>(
  columns: readonly GridColumn<Row>[],
  rows: readonly Row[],
): readonly GridColumn<Row>[] {
  const isEmpty = (value: Sortable): boolean => value === null || value === undefined || value === "";
  return columns.filter((column, place) => place === 0 || rows.some((row) => !isEmpty(column.value(row))));
}

/** A grid with its rows in the order in which they are shown. */
export interface Grid<Row> {
  element: HTMLElement;
  shown: Readable<readonly Row[]>;
}

const ROW_HEIGHT = 28;
/** Rows that are elements above and below the visible part. */
const OVERSCAN = 6;
/** A print has no more rows of one table. */
const MOST_PRINTED = 500;

/** Makes a grid. Its effects end with the scope around. */
export function grid<Row>(options: GridOptions<Row>): Grid<Row> {
  return new VirtualGrid(options);
}

class VirtualGrid<Row> implements Grid<Row> {
  readonly element: HTMLElement;
  readonly shown: Readable<readonly Row[]>;
  readonly #options: GridOptions<Row>;
  readonly #order;
  readonly #head: HTMLElement;
  readonly #body: HTMLElement;
  readonly #scroll: GridScroll;
  readonly #rows = new Map<number, HTMLElement>();
  readonly #id = newId("grid");
  /** The cell that the keyboard is at; row -1 is the header. */
  #active = { row: -1, column: 0 };
  #frame = 0;
  #printing = false;

  constructor(options: GridOptions<Row>) {
    this.#options = options;
    this.#order = signal(options.order);
    this.shown = computed(() => {
      const { column, descending } = this.#order.value;
      const found = options.columns.find((one) => one.id === column) ?? options.columns[0]!;
      return sorted(options.rows.value, (row) => found.value(row), descending);
    });
    this.#head = h(
      "div",
      { role: "row", "aria-rowindex": 1, class: "grid-row grid-head-row" },
      options.columns.map((_, i) => this.#headCell(i)),
    );
    this.#body = h("div", { role: "rowgroup", class: "grid-body" });
    this.element = h(
      "div",
      {
        role: "grid",
        class: "grid",
        id: this.#id,
        tabindex: -1,
        "aria-label": options.label,
        "aria-colcount": options.columns.length,
        onscroll: () => this.#schedule(),
        onkeydown: (event: KeyboardEvent) => this.#onKey(event),
        onclick: (event: MouseEvent) => this.#onClick(event),
        ondblclick: (event: MouseEvent) => this.#onDoubleClick(event),
      },
      h("div", { role: "rowgroup", class: "grid-head" }, this.#head),
      this.#body,
    );
    setStyle(this.element, {
      "--tracks": options.columns.map((one) => one.grow ? `minmax(${one.width}px, ${one.grow}fr)` : `${one.width}px`)
        .join(" "),
      "--least": `${options.columns.reduce((sum, one) => sum + one.width, 0)}px`,
    });
    this.#scroll = new GridScroll(this.element, this.#body, ROW_HEIGHT);
    this.#watch();
  }

  #watch(): void {
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
        setAttribute(element, "aria-selected", isSelected(this.shown.value[index]!));
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
    const resized = new ResizeObserver(() => this.#schedule());
    resized.observe(this.element);
    const print = (printing: boolean) => () => {
      this.#printing = printing;
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

  #headCell(index: number): HTMLElement {
    const column = this.#options.columns[index]!;
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
        "data-column": index,
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
    const { columns, isSelected } = this.#options;
    const element = h("div", { role: "row", class: "grid-row", "aria-rowindex": index + 2, "data-row": index });
    if (isSelected) setAttribute(element, "aria-selected", untracked(() => isSelected(row)));
    columns.forEach((column, i) => {
      const role = i === 0 ? "rowheader" : "gridcell";
      const cell = h("div", {
        role,
        class: column.align === "end" ? "cell end" : "cell",
        "aria-colindex": i + 1,
        tabindex: -1,
        "data-column": i,
      });
      append(cell, column.cell ? column.cell(row) : textOf(column.value(row)));
      element.append(cell);
    });
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
    const { columns } = this.#options;
    this.#active = {
      row: Math.max(-1, Math.min(this.shown.peek().length - 1, row)),
      column: Math.max(0, Math.min(columns.length - 1, column)),
    };
    if (this.#active.row >= 0) this.#scroll.reveal(this.#active.row, this.#head.offsetHeight);
    this.#render(false);
    const cell = this.#cell();
    cell?.focus({ preventScroll: true });
    cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  #onKey(event: KeyboardEvent): void {
    const { row, column } = this.#active;
    const last = this.shown.peek().length - 1;
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW_HEIGHT) - 2);
    const moves: Record<string, [number, number]> = {
      ArrowDown: [row + 1, column],
      ArrowUp: [row - 1, column],
      ArrowRight: [row, column + 1],
      ArrowLeft: [row, column - 1],
      PageDown: [row + page, column],
      PageUp: [Math.max(row - page, Math.min(row, 0)), column],
      Home: event.ctrlKey ? [0, 0] : [row, 0],
      End: event.ctrlKey ? [last, this.#options.columns.length - 1] : [row, this.#options.columns.length - 1],
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
    const cell = (event.target as Element).closest<HTMLElement>("[data-column]");
    if (!cell || !this.element.contains(cell)) return null;
    const row = cell.parentElement?.dataset["row"];
    return { row: row === undefined ? -1 : Number(row), column: Number(cell.dataset["column"]) };
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
    const column = this.#options.columns[index]!;
    const order = this.#order.peek();
    const first = this.shown.peek()[0];
    const numbers = column.align === "end" || (first !== undefined && typeof column.value(first) === "number");
    this.#order.value = { column: column.id, descending: order.column === column.id ? !order.descending : numbers };
    this.element.scrollTop = 0;
  }
}

const textOf = (value: Sortable): string => value === null ? "" : String(value);
