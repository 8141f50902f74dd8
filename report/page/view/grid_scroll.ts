/** Which rows of equal height are visible. Browsers end elements at some height, above which the scroll range is scaled. */

/** No body is higher: Chromium ends elements at 33 554 428 px, Firefox at 17 895 697 px. */
export const MOST_PIXELS = 10_000_000;

/** The scroll range of a grid. Rows are placed around the visible part, so that they move by pixels also where the range is scaled. */
export class GridScroll {
  #rows = 0;

  constructor(readonly element: HTMLElement, readonly body: HTMLElement, readonly rowHeight: number) {}

  setRows(rows: number): void {
    this.#rows = rows;
    this.body.style.setProperty("height", `${Math.min(MOST_PIXELS, rows * this.rowHeight)}px`);
  }

  /** Pixels of rows for a pixel of the scroll range. */
  get #scale(): number {
    const view = this.#viewHeight();
    const full = this.#rows * this.rowHeight - view, range = Math.min(MOST_PIXELS, this.#rows * this.rowHeight) - view;
    return range > 0 && full > range ? full / range : 1;
  }

  #viewHeight(): number {
    return Math.max(0, this.element.clientHeight - this.body.offsetTop);
  }

  /** The first visible row and the one after the last, with `extra` more on both sides. */
  visible(extra: number): [number, number] {
    const top = this.element.scrollTop * this.#scale;
    const first = Math.floor(top / this.rowHeight), count = Math.ceil(this.#viewHeight() / this.rowHeight) + 1;
    return [Math.max(0, first - extra), Math.min(this.#rows, first + count + extra)];
  }

  /** How many rows are below the visible part, whose last row is hidden where it says so; 0 at the end. */
  below(): number {
    const view = this.#viewHeight();
    // A row of which less than a pixel is missing is seen. An element that is not shown has no height.
    const seen = Math.floor((this.element.scrollTop * this.#scale + view + 1) / this.rowHeight);
    return view === 0 || seen >= this.#rows ? 0 : this.#rows - Math.max(0, seen - 1);
  }

  /** Where a row is within the body. */
  top(row: number): number {
    return row * this.rowHeight - this.element.scrollTop * (this.#scale - 1);
  }

  /** Scrolls as little as needed to make a row visible below a header of `head` pixels, and above what says how many rows follow. */
  reveal(row: number, head: number): void {
    const view = this.element.clientHeight - head - this.rowHeight;
    if (view <= 0) return;
    const top = this.element.scrollTop * this.#scale;
    const from = row * this.rowHeight;
    const to = from < top ? from : from + this.rowHeight > top + view ? from + this.rowHeight - view : top;
    if (to !== top) this.element.scrollTop = to / this.#scale;
  }
}
