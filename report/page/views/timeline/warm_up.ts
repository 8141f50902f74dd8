/** Makes the first frames that a user waits for as quick as later ones. */
import { CanvasRenderer } from "../../draw/renderer.ts";
import { Painter, type Picture } from "./painter.ts";

/** Parts of the range of time that are drawn. At each, a pixel has another number of events, which other code draws. */
const ZOOMS = [1, 1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 1024];
/** How often each is drawn. With three, Chromium's first frames at 10^6 events took 5 ms instead of 8; one was not enough. */
const TIMES = 3;

/**
 * Draws parts of a picture where nobody sees them, one whenever the browser is idle, so that it compiles what frames run.
 * Ends when the timeline is not shown any more.
 */
export function warmUp(picture: Picture, width: number, height: number, isShown: () => boolean): void {
  if (globalThis.requestIdleCallback === undefined) return;
  const renderer = new CanvasRenderer(document.createElement("canvas"));
  const painter = new Painter(renderer);
  renderer.resize(width, height);
  const { from, to } = picture.axis;
  const draw = (turn: number): void => {
    if (!isShown() || turn === TIMES * ZOOMS.length) return;
    painter.draw({ ...picture, axis: { from, to: from + (to - from) * ZOOMS[turn % ZOOMS.length]! } });
    requestIdleCallback(() => draw(turn + 1));
  };
  requestIdleCallback(() => draw(0));
}
