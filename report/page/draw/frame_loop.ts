/** One loop of animation frames for all that is drawn. What is drawn marks itself; it is drawn once in the next frame. */

/** The name of the measure of a frame's own work. */
export const FRAME_MEASURE = "amdahlc:frame";

/** Measures that the browser keeps before they are forgotten. */
const KEPT_MEASURES = 2000;

/** Draws what has been marked, once a frame. */
export class FrameLoop {
  readonly #marked = new Set<() => void>();
  #scheduled = 0;
  #measures = 0;

  /** Calls `draw` in the next frame, once, however often it is marked before. */
  mark(draw: () => void): void {
    this.#marked.add(draw);
    if (this.#scheduled === 0) this.#scheduled = requestAnimationFrame(() => this.#frame());
  }

  /** Forgets `draw`. */
  forget(draw: () => void): void {
    this.#marked.delete(draw);
  }

  #frame(): void {
    this.#scheduled = 0;
    const draws = [...this.#marked];
    this.#marked.clear();
    const start = performance.now();
    for (const draw of draws) draw();
    if (++this.#measures > KEPT_MEASURES) {
      performance.clearMeasures(FRAME_MEASURE);
      this.#measures = 1;
    }
    performance.measure(FRAME_MEASURE, { start, end: performance.now() });
  }
}

/** The loop of the page. */
export const frames: FrameLoop = new FrameLoop();
