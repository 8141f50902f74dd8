/** Makes the first frames that a user waits for as quick as later ones. */
import { CanvasRenderer } from "../../draw/renderer.ts";
import { Painter, type Picture } from "./painter.ts";

/** Parts of the range of time that are drawn. At each, a pixel has another number of events, which other code draws. */
const PARTS = [1, 1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 1024];
/** How often each is drawn: as often as browsers run code before they compile it for good. */
const TIMES = 3;

/** Draws parts of a picture where nobody sees them, one whenever the browser is idle, so that it compiles what frames run. */
export function warmUp(picture: Picture, width: number, height: number): void {
  if (globalThis.requestIdleCallback === undefined) return;
  const renderer = new CanvasRenderer(document.createElement("canvas"));
  const painter = new Painter(renderer);
  renderer.resize(width, height);
  const { from, to } = picture.axis;
  const draw = (turn: number): void => {
    const part = PARTS[turn % PARTS.length]!;
    painter.draw({ ...picture, axis: { from, to: from + (to - from) * part } });
    if (turn + 1 < TIMES * PARTS.length) requestIdleCallback(() => draw(turn + 1));
  };
  requestIdleCallback(() => draw(0));
}
