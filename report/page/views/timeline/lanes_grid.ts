/** The lanes as a grid of elements above the canvas: their names, and a cell that tells of the event that has the focus. */
import { button, h, setStyle } from "../../view/elements.ts";
import { AXIS_HEIGHT } from "./painter.ts";
import { HEIGHTS, type Scene, type SceneLane, type SceneSection } from "./scene.ts";

/** What the grid tells to do. */
export interface GridActions {
  fold(lane: SceneLane): void;
  close(section: SceneSection): void;
  /** The cell of a lane got the focus, or lost it. */
  focused(lane: SceneLane | null): void;
}

/** The elements of a scene. */
export class LanesGrid {
  readonly element: HTMLElement;
  readonly #grid: HTMLElement;
  readonly #titles: HTMLElement;
  readonly #actions: GridActions;
  #cells: HTMLElement[] = [];
  #scene: Scene | null = null;
  #active = 0;

  constructor(actions: GridActions) {
    this.#actions = actions;
    this.#grid = h("div", { role: "grid", "aria-label": "Lanes", "aria-colcount": 2 });
    this.#titles = h("div", { class: "timeline-titles" });
    this.element = h("div", { class: "timeline-grid" }, this.#titles, this.#grid);
  }

  /** Makes elements for the lanes of a scene. The lane with the focus keeps it. */
  show(scene: Scene, isNarrow: boolean): void {
    const hadFocus = this.#grid.contains(document.activeElement);
    const pressed = document.activeElement instanceof HTMLButtonElement ? document.activeElement : null;
    const title = [...this.#titles.children].indexOf(pressed ?? this.#titles);
    const folded = [...this.#grid.children].findIndex((row) => row.contains(pressed));
    const foldedTrack = this.#scene?.lanes[folded]?.track;
    const key = this.#scene?.lanes[this.#active];
    this.#scene = scene;
    const same = scene.lanes.findIndex((lane) => lane.track === key?.track && lane.iteration === key.iteration);
    this.#active = Math.max(0, same);
    setStyle(this.element, { height: `${scene.height + AXIS_HEIGHT}px` });
    this.#titles.replaceChildren(...scene.sections.map((section) => this.#title(section)));
    this.#cells = scene.lanes.map((lane, index) => this.#cell(lane, index));
    this.#grid.setAttribute("aria-rowcount", String(scene.lanes.length));
    this.#grid.replaceChildren(...scene.lanes.map((lane, index) => this.#row(lane, index, isNarrow)));
    // Buttons that were pressed are other elements now.
    const next = scene.lanes.findIndex((lane) => lane.track === foldedTrack);
    const button = title >= 0 ? this.#titles.children[title] : this.#grid.children[next]?.querySelector("button");
    if (pressed !== null && button instanceof HTMLElement) button.focus({ preventScroll: true });
    else if (hadFocus) this.#cells[this.#active]?.focus({ preventScroll: true });
  }

  #title(section: SceneSection): HTMLElement {
    const title = button(
      [h("span", { class: "timeline-arrow", "aria-hidden": true }, section.closed ? "▸" : "▾"), section.title],
      () => this.#actions.close(section),
      { class: "timeline-title", "aria-expanded": !section.closed },
    );
    setStyle(title, { top: `${AXIS_HEIGHT + section.top}px`, height: `${HEIGHTS.section - 4}px` });
    return title;
  }

  #row(lane: SceneLane, index: number, isNarrow: boolean): HTMLElement {
    const name = lane.iteration === "" ? lane.track.name : `${lane.track.name}, ${lane.iteration}`;
    const header = h(
      "div",
      { role: "rowheader", class: "timeline-name", title: name, "aria-label": name },
      lane.foldable
        ? button(lane.folded ? "▸" : "▾", () => this.#actions.fold(lane), {
          class: "timeline-arrow",
          "aria-label": `${lane.folded ? "Unfold" : "Fold"} ${name}`,
          "aria-expanded": !lane.folded,
        })
        : h("span", { class: "timeline-arrow" }),
      h(
        "span",
        { class: "timeline-label" },
        (lane.iteration === "" || lane.isFirst) && h("span", null, lane.track.name),
        lane.iteration !== "" && h("span", { class: "soft" }, lane.iteration),
      ),
    );
    const row = h(
      "div",
      { role: "row", class: "timeline-lane", "aria-rowindex": index + 1 },
      header,
      this.#cells[index],
    );
    setStyle(row, { top: `${AXIS_HEIGHT + lane.top}px`, height: `${lane.height}px` });
    row.classList.toggle("narrow", isNarrow);
    return row;
  }

  #cell(lane: SceneLane, index: number): HTMLElement {
    const cell = h("div", {
      role: "gridcell",
      class: "timeline-cell",
      tabindex: index === this.#active ? 0 : -1,
      onfocus: () => this.#actions.focused(lane),
      onblur: () => this.#actions.focused(null),
    });
    cell.textContent = countText(lane);
    return cell;
  }

  /** The place of a lane among the lanes. */
  indexOf(lane: SceneLane): number {
    return this.#scene?.lanes.indexOf(lane) ?? -1;
  }

  /** Makes the cell of a lane the one that is reached by Tab, with this text; `takesFocus` moves the focus there. */
  activate(lane: SceneLane, text: string, takesFocus: boolean): void {
    const index = this.indexOf(lane);
    const cell = this.#cells[index];
    if (cell === undefined) return;
    const before = this.#scene?.lanes[this.#active];
    const old = this.#cells[this.#active];
    if (old !== undefined && before !== undefined && old !== cell) {
      old.tabIndex = -1;
      old.textContent = countText(before);
    }
    this.#active = index;
    cell.tabIndex = 0;
    cell.textContent = text;
    if (takesFocus) cell.focus({ preventScroll: true });
  }
}

function countText(lane: SceneLane): string {
  const count = lane.track.rows.reduce((sum, row) => sum + row.length, 0);
  return count === 1 ? "1 event" : `${count} events`;
}
