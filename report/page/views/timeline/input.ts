/** Pointer, wheel and keys of the timeline as changes of what is visible, marked and selected. */
import { AXIS_HEIGHT } from "./painter.ts";

/** What input can do. Times are of the axis. */
export interface InputActions {
  timeAt(x: number): number;
  zoom(factor: number, at: number | null): void;
  pan(part: number): void;
  panBy(ns: number): void;
  pixelNs(): number;
  hover(x: number, y: number): void;
  leave(): void;
  click(x: number, y: number): void;
  mark(from: number, to: number): void;
  markSelected(): void;
  fitSelected(): void;
  /** Opens the kernel of the selected event into its nodes, or closes it. */
  open(): void;
  fitAll(): void;
  escape(): void;
  /** Moves the focus by events of a row, or to its ends, and by rows. */
  step(events: number, rows: number): void;
  toEnd(isLast: boolean): void;
}

/** A press that moves less than this is a click. */
const DRAG_FROM = 4;

/** Keys, as the help lists them. */
export const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ["w, s", "zoom in, out"],
  ["a, d", "move left, right"],
  ["← →", "previous, next event of the row"],
  ["↑ ↓", "row above, below"],
  ["Home, End", "first, last event of the row"],
  ["f", "fit the selected event"],
  ["Enter", "open a kernel into its nodes"],
  ["0", "show all"],
  ["m", "mark the time of the selected event"],
  ["Escape", "drop the mark, then the selection"],
  ["drag", "mark a range, which is summed up"],
  ["Shift + drag", "move"],
  ["Ctrl + wheel", "zoom"],
];

/** Does what a key says. Returns whether it says anything. */
export function applyKey(event: KeyboardEvent, actions: InputActions): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const wide = event.shiftKey ? 4 : 1;
  switch (event.key.length === 1 ? event.key.toLowerCase() : event.key) {
    case "w":
      actions.zoom(0.7 ** wide, null);
      return true;
    case "s":
      actions.zoom(0.7 ** -wide, null);
      return true;
    case "a":
      actions.pan(-0.12 * wide);
      return true;
    case "d":
      actions.pan(0.12 * wide);
      return true;
    case "f":
      actions.fitSelected();
      return true;
    case "0":
      actions.fitAll();
      return true;
    case "m":
      actions.markSelected();
      return true;
    case "Escape":
      actions.escape();
      return true;
    case "ArrowLeft":
      actions.step(-1, 0);
      return true;
    case "ArrowRight":
      actions.step(1, 0);
      return true;
    case "ArrowUp":
      actions.step(0, -1);
      return true;
    case "ArrowDown":
      actions.step(0, 1);
      return true;
    case "Enter":
      actions.open();
      return true;
    case "Home":
      actions.toEnd(false);
      return true;
    case "End":
      actions.toEnd(true);
      return true;
    default:
      return false;
  }
}

/** Listens to pointer and wheel on an element whose upper left corner is that of the canvas. */
export function listenToPointer(surface: HTMLElement, actions: InputActions): void {
  let press: { id: number; x: number; y: number; last: number; time: number; pans: boolean; drags: boolean } | null =
    null;
  const place = (event: MouseEvent): [number, number] => {
    const box = surface.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  surface.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const [x, y] = place(event);
    const pans = event.shiftKey || event.pointerType === "touch";
    press = { id: event.pointerId, x, y, last: x, time: actions.timeAt(x), pans, drags: false };
    surface.setPointerCapture(event.pointerId);
  });
  surface.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    if (press === null || press.id !== event.pointerId) {
      if (y >= AXIS_HEIGHT) actions.hover(x, y);
      else actions.leave();
      return;
    }
    if (!press.drags && Math.abs(x - press.x) < DRAG_FROM) return;
    press.drags = true;
    if (press.pans) {
      actions.panBy((press.last - x) * actions.pixelNs());
      press.last = x;
    } else {
      const time = actions.timeAt(x);
      actions.mark(Math.min(press.time, time), Math.max(press.time, time));
    }
    actions.leave();
  });
  surface.addEventListener("pointerup", (event) => {
    if (press === null || press.id !== event.pointerId) return;
    const { drags, x, y } = press;
    press = null;
    if (!drags) actions.click(x, y);
  });
  surface.addEventListener("pointercancel", () => press = null);
  surface.addEventListener("pointerleave", () => actions.leave());
  surface.addEventListener("wheel", (event) => {
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      actions.zoom(Math.exp(Math.max(-100, Math.min(100, event.deltaY)) * 0.005), actions.timeAt(place(event)[0]));
    } else if (isSideways || event.shiftKey) {
      event.preventDefault();
      actions.panBy((isSideways ? event.deltaX : event.deltaY) * actions.pixelNs());
    }
  }, { passive: false });
}
