/** The timeline of one run: its state, and what is drawn of it. */
import type { Palette } from "../../draw/colours.ts";
import { frames } from "../../draw/frame_loop.ts";
import { CanvasRenderer } from "../../draw/renderer.ts";
import { schemePalette } from "../../draw/scheme.ts";
import { eventAt, firstStartingAt, Row } from "../../model/lanes.ts";
import { sumsOf } from "../../model/range_sums.ts";
import type { Section } from "../../contract/contract.ts";
import { computed, effect, onCleanup, type Readable, signal } from "../../state/signals.ts";
import { h, setStyle } from "../../view/elements.ts";
import type { ViewContext } from "../../view/view.ts";
import type { Selection } from "../../state/state.ts";
import { around, clampRange, including, moved, type TimeRange, zoomed } from "./axis.ts";
import { type DetailActions, detailsOf, hoverContent, rangeContent, spokenText, sumsContent } from "./details.ts";
import { applyKey, type InputActions, listenToPointer } from "./input.ts";
import { lookOf } from "./look.ts";
import { LanesGrid } from "./lanes_grid.ts";
import { drawOverview, listenToOverview, OVERVIEW_HEIGHT, placeWindow } from "./overview.ts";
import { AXIS_HEIGHT, type Look, Painter, type Picture, type Target } from "./painter.ts";
import {
  extentOf,
  foldedAtFirst,
  HEIGHTS,
  layOutScene,
  rowAt,
  type Scene,
  type SceneLane,
  type SceneRow,
} from "./scene.ts";
import { FilteredRows, type TimelineData } from "./timeline_data.ts";
import { showTip } from "./tip.ts";
import { timelineTools } from "./tools.ts";
import { warmUp } from "./warm_up.ts";

/** Below this width names of lanes are above them. */
const NARROW = 640;
/** How far from the pointer an event may be, in pixels. */
const SLACK = 3;

/** The elements of a run's timeline. */
export class TimelinePanel {
  readonly element: HTMLElement;
  readonly #data: TimelineData;
  readonly #context: ViewContext;
  readonly #renderer: CanvasRenderer;
  readonly #overview: CanvasRenderer;
  readonly #painter: Painter;
  readonly #grid: LanesGrid;
  readonly #body: HTMLElement;
  readonly #surface: HTMLElement;
  readonly #tip = h("div", { role: "tooltip", class: "timeline-tip", hidden: true });
  readonly #visible = h("div", { role: "status", "aria-label": "Visible range", class: "timeline-visible" });

  readonly #closed = signal<ReadonlySet<Section>>(new Set());
  readonly #folded: ReturnType<typeof signal<ReadonlySet<string>>>;
  readonly #isNarrow = signal(false);
  readonly #mark = signal<TimeRange | null>(null);
  readonly #overRange = signal<TimeRange | null>(null);
  readonly #choices = { showsPath: signal(false), over: signal<ReadonlySet<number> | null>(null) };
  readonly #extent: Readable<TimeRange>;
  readonly #scene: Readable<Scene>;
  readonly #look: Readable<Look>;
  readonly #selected: Readable<Target | null>;
  readonly #window = h("div", { class: "timeline-window" });
  #stripOf: Palette | null = null;
  #cursor: number | null = null;
  #isFocused = false;
  /** The row that the keys move in. */
  #place: { lane: SceneLane; row: SceneRow } | null = null;
  readonly #draw = (): void => this.#frame();

  constructor(context: ViewContext, data: TimelineData) {
    this.#context = context;
    this.#data = data;
    this.#folded = signal(foldedAtFirst(data.tracks));
    const { state } = context;
    const { run } = data;
    const over = computed(() => {
      const chosen = this.#choices.over.value;
      return chosen === null ? null : run.meta.iterations.filter((_, index) => chosen.has(index));
    });
    this.#extent = computed(() => extentOf(data.tracks, over.value));
    this.#scene = computed(() =>
      layOutScene(data.tracks, {
        closed: this.#closed.value,
        folded: this.#folded.value,
        over: over.value,
        opened: data.openedRow(),
        nameHeight: this.#isNarrow.value ? 16 : 0,
      })
    );
    const lacksParts = computed(() => {
      const { phase, forward } = state.filters.value;
      return (phase !== null || forward !== null) && !data.hasParts.value;
    });
    effect(() => {
      if (lacksParts.value) void data.loadParts();
    });
    const rows = computed(() => {
      if (lacksParts.value) return null;
      const test = data.passes(state.search.value, state.filters.value);
      return test === null ? null : new FilteredRows(test);
    });
    const marked = computed(() => {
      const test = data.belongsTo(state.selection.value);
      return test === null ? null : new FilteredRows((content, event) => content === "event" && test(event));
    });
    const palette = schemePalette(state);
    this.#look = computed(() => lookOf(data, palette.value, rows.value, marked.value));
    this.#selected = computed(() => {
      const selection = state.selection.value;
      if (selection === null || selection.run !== run.index || typeof selection.id !== "number") return null;
      if (selection.kind !== "event" && selection.kind !== "host") return null;
      const target: Target = { content: selection.kind, event: selection.id };
      return data.has(target) ? target : null;
    });

    const canvas = h("canvas", { "aria-hidden": true });
    const strip = h("canvas", { "aria-hidden": true });
    this.#renderer = new CanvasRenderer(canvas);
    this.#overview = new CanvasRenderer(strip);
    this.#painter = new Painter(this.#renderer);
    this.#grid = new LanesGrid({
      fold: (lane) => this.#folded.value = toggled(this.#folded.peek(), lane.track.key),
      close: (section) => this.#closed.value = toggled(this.#closed.peek(), section.id),
      focused: (lane) => this.#focus(lane),
    });
    this.#surface = h("div", { "aria-busy": () => lacksParts.value }, canvas);
    const overview = h("div", { class: "timeline-overview", hidden: () => over.value !== null }, strip, this.#window);
    const corner = h("div", { class: "timeline-corner" }, h("div"));
    this.#body = h(
      "div",
      { class: "timeline-body", onscroll: () => this.#redraw() },
      corner,
      h("div", { class: "timeline-surface" }, this.#surface),
      this.#grid.element,
    );
    const sums = h("div", { role: "status", "aria-label": "Selection", class: "timeline-marked" });
    const details = h("div", { class: "timeline-selected" });
    this.element = h(
      "div",
      { role: "group", "aria-label": "Timeline", class: "timeline view" },
      timelineTools(data, state, this.#choices, this.#visible, () => this.#setRange(null)),
      h("div", { class: "timeline-frame" }, overview, this.#body, this.#tip),
      h("div", { class: "timeline-below" }, details, sums),
    );
    const actions = this.#actions();
    listenToPointer(this.#surface, actions);
    listenToOverview(overview, () => this.#extent.peek(), () => this.#range, (range) => this.#setRange(range));
    // Keys work wherever the focus is, but where it is in something that has keys of its own.
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event;
      const isMine = target instanceof Element &&
        (target === document.body || target.contains(this.element) || this.element.contains(target));
      if (!isMine || target.closest("input:not([type=checkbox]), textarea, select, summary") !== null) return;
      if (event.key === "Enter" && target.closest("button") !== null) return;
      if (applyKey(event, actions)) event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    onCleanup(() => document.removeEventListener("keydown", onKey));
    this.#follow(sums, details);
  }

  /** Draws again whatever changes, and keeps texts up to date. */
  #follow(sums: HTMLElement, details: HTMLElement): void {
    const { state } = this.#context;
    const data = this.#data;
    const actions: DetailActions = {
      showKernel: (kernel) => this.#context.navigate({ kind: "kernel", run: data.run.index, id: kernel.id }, "kernels"),
      showEvent: (target) => this.#select(target, false),
    };
    effect(() => {
      const scene = this.#scene.value;
      this.element.classList.toggle("narrow", this.#isNarrow.value);
      this.#grid.show(scene, this.#isNarrow.value);
      const before = this.#place;
      const lane = scene.lanes.find((one) =>
        one.track === before?.lane.track && one.iteration === before.lane.iteration
      ) ?? scene.lanes[0];
      const row = lane?.rows[Math.min(before?.row.depth ?? 0, lane.rows.length - 1)];
      this.#place = lane !== undefined && row !== undefined ? { lane, row } : null;
      this.#redraw();
    });
    effect(() => {
      void [
        this.#look.value,
        this.#mark.value,
        this.#choices.showsPath.value,
        data.path.value,
        state.range.value,
        this.#overRange.value,
      ];
      this.#redraw();
    });
    effect(() => {
      const selected = this.#selected.value;
      const isComplete = selected === null || data.hasFacts.value;
      details.setAttribute("aria-busy", String(!isComplete));
      if (!isComplete) void data.loadFacts();
      else {details.replaceChildren(
          selected === null ? hint(state.selection.value) : detailsOf(data, selected, actions),
        );}
      if (selected !== null) this.#reveal(selected);
      this.#redraw();
    });
    // A mark is of one axis of time.
    effect(() => {
      void this.#choices.over.value;
      this.#mark.value = null;
    });
    effect(() => {
      const mark = this.#mark.value;
      const columns = mark === null ? null : data.sums;
      if (mark === null || columns === null) sums.replaceChildren();
      else {sums.replaceChildren(
          h("div", null, h("h2", null, "Marked time"), sumsContent(data, sumsOf(columns, mark[0], mark[1]))),
        );}
    });
    const observer = new ResizeObserver(() => {
      this.#isNarrow.value = this.element.clientWidth > 0 && this.element.clientWidth < NARROW;
      this.#redraw();
    });
    observer.observe(this.element);
    observer.observe(this.#body);
    onCleanup(() => {
      observer.disconnect();
      frames.forget(this.#draw);
    });
  }

  /** The visible range. */
  get #range(): TimeRange {
    const extent = this.#extent.peek();
    const chosen = this.#choices.over.peek() === null ? this.#context.state.range.peek() : this.#overRange.peek();
    return chosen === null ? extent : clampRange(chosen, extent);
  }

  #setRange(range: TimeRange | null): void {
    const extent = this.#extent.peek();
    const isAll = range !== null && range[0] <= extent[0] && range[1] >= extent[1];
    const next = isAll ? null : range;
    if (this.#choices.over.peek() === null) this.#context.state.range.value = next;
    else this.#overRange.value = next;
  }

  #redraw(): void {
    frames.mark(this.#draw);
  }

  #frame(): void {
    const { clientWidth, clientHeight } = this.#body;
    const width = this.#surface.clientWidth;
    if (clientWidth === 0 || width === 0) return;
    setStyle(this.#surface, { height: `${clientHeight}px` });
    this.#renderer.resize(width, clientHeight);
    const range = this.#range;
    const extent = this.#extent.peek();
    const look = this.#look.peek();
    const data = this.#data;
    const selected = this.#selected.peek();
    const isOver = this.#choices.over.peek() !== null;
    const picture: Picture = {
      scene: this.#scene.peek(),
      axis: { from: range[0], to: range[1] },
      scrollTop: this.#body.scrollTop,
      look,
      selected,
      isFocused: this.#isFocused,
      range: this.#mark.peek(),
      cursor: this.#cursor,
      path: this.#choices.showsPath.peek() && !isOver ? data.path.peek() : null,
      flows: selected === null || isOver ? [] : this.#flowsOf(selected),
      startOf: (target) => data.startOf(target),
      endOf: (target) => data.endOf(target),
      placeOf: (target) => this.#placeOf(target)?.row,
    };
    this.#painter.draw(picture);
    if (this.#stripOf === null) warmUp(picture, width, clientHeight, () => this.element.isConnected);
    placeWindow(this.#window, width, extent, range);
    // What the strip shows changes with its width and colours alone.
    if (this.#stripOf !== look.palette || this.#overview.width !== width) {
      this.#stripOf = look.palette;
      this.#overview.resize(width, OVERVIEW_HEIGHT);
      drawOverview(this.#overview, look.palette, data.run.event, extentOf(data.tracks, null));
    }
    const text = `${range[0]} ${range[1]}`;
    if (this.#visible.dataset["range"] !== text) {
      this.#visible.dataset["range"] = text;
      this.#visible.replaceChildren(h("span", null, rangeContent(range[0], range[1], extent[1] - extent[0])));
    }
  }

  #flowsOf(selected: Target): (readonly [Target, Target])[] {
    const data = this.#data;
    if (selected.content === "host") {
      return data.launchedBy(selected.event).slice(0, 64).map((event) => [selected, { content: "event", event }]);
    }
    const call: Target = { content: "host", event: data.run.eventFacts?.call[selected.event] ?? -1 };
    return data.has(call) ? [[call, selected]] : [];
  }

  /** Where an event is drawn; undefined if its section is closed or its iteration is not shown. */
  #placeOf(target: Target): { lane: SceneLane; row: SceneRow } | undefined {
    const track = this.#data.trackOf(target);
    const start = this.#data.startOf(target);
    const depth = this.#data.depthOf(target);
    for (const lane of this.#scene.peek().lanes) {
      if (lane.track !== track) continue;
      const row = lane.rows[Math.min(depth, lane.rows.length - 1)];
      if (row !== undefined && start >= row.from && start < row.to) return { lane, row };
    }
    return undefined;
  }

  /** Moves lanes and axis so that an event can be seen, as little as possible. */
  #reveal(target: Target): void {
    const place = this.#placeOf(target);
    if (place === undefined) return;
    this.#place = place;
    this.#speak(target, false);
    const { offset, top } = place.row;
    const inner: TimeRange = [this.#data.startOf(target) - offset, this.#data.endOf(target) - offset];
    const range = this.#range;
    const next = including(range, inner, this.#extent.peek());
    if (next !== range) this.#setRange(next);
    const { scrollTop, clientHeight } = this.#body;
    const room = clientHeight - AXIS_HEIGHT - HEIGHTS.row;
    if (top < scrollTop) this.#body.scrollTop = top - HEIGHTS.section;
    else if (top > scrollTop + room) this.#body.scrollTop = top - room / 2;
  }

  #speak(target: Target, takesFocus: boolean): void {
    const place = this.#placeOf(target);
    if (place === undefined) return;
    const { row } = place.row;
    const position = firstStartingAt(row, this.#data.startOf(target));
    this.#grid.activate(place.lane, spokenText(this.#data, target, position, row.length), takesFocus);
  }

  #select(target: Target | null, takesFocus: boolean): void {
    const { state } = this.#context;
    if (target?.content === "node") {
      const node = this.#data.opened.peek()?.nodes[target.event];
      if (node !== undefined) state.selection.value = { kind: "node", run: this.#data.run.index, id: node.name };
      return;
    }
    if (target === null || target.content === "idle") {
      state.selection.value = null;
      return;
    }
    state.selection.value = { kind: target.content, run: this.#data.run.index, id: target.event };
    if (takesFocus) this.#speak(target, true);
  }

  #focus(lane: SceneLane | null): void {
    this.#isFocused = lane !== null;
    if (lane !== null && this.#place?.lane !== lane && lane.rows[0] !== undefined) {
      this.#place = { lane, row: lane.rows[0] };
    }
    this.#redraw();
  }

  /** The event under the pointer. */
  #targetAt(x: number, y: number): Target | null {
    const found = rowAt(this.#scene.peek(), y - AXIS_HEIGHT + this.#body.scrollTop);
    if (found === undefined || y < AXIS_HEIGHT) return null;
    const { row, offset } = found.row;
    const ns = this.#timeAt(x) + offset;
    const position = eventAt(row, ns, SLACK * this.#pixelNs());
    return position < 0 ? null : { content: found.row.content, event: row.event(position) };
  }

  #timeAt(x: number): number {
    const range = this.#range;
    return Math.round(Math.min(Math.max(range[0] + x * this.#pixelNs(), range[0]), range[1]));
  }

  #pixelNs(): number {
    const range = this.#range;
    return (range[1] - range[0]) / Math.max(1, this.#renderer.width);
  }

  #actions(): InputActions {
    const data = this.#data;
    const selectedRange = (): TimeRange | null => {
      const selected = this.#selected.peek();
      const place = selected === null ? undefined : this.#placeOf(selected);
      if (selected === null || place === undefined) return null;
      return [data.startOf(selected) - place.row.offset, data.endOf(selected) - place.row.offset];
    };
    return {
      timeAt: (x) => this.#timeAt(x),
      pixelNs: () => this.#pixelNs(),
      zoom: (factor, at) => {
        const range = this.#range;
        const middle = selectedRange();
        const inside = middle !== null && middle[0] >= range[0] && middle[1] <= range[1];
        const fixed = at ?? this.#cursor ?? (inside ? (middle[0] + middle[1]) / 2 : (range[0] + range[1]) / 2);
        this.#setRange(zoomed(range, factor, fixed, this.#extent.peek()));
      },
      pan: (part) => this.#setRange(moved(this.#range, part, this.#extent.peek())),
      panBy: (ns) => {
        const range = this.#range;
        this.#setRange(moved(range, ns / (range[1] - range[0]), this.#extent.peek()));
      },
      hover: (x, y) => this.#hover(x, y),
      leave: () => this.#hover(null, 0),
      click: (x, y) => {
        if (y >= AXIS_HEIGHT) this.#select(this.#targetAt(x, y), true);
      },
      mark: (from, to) => this.#mark.value = [from, to],
      markSelected: () => {
        const range = selectedRange();
        if (range !== null) this.#mark.value = range;
      },
      fitSelected: () => {
        const range = selectedRange() ?? this.#mark.peek();
        if (range !== null) this.#setRange(around(range, this.#extent.peek()));
      },
      open: () => {
        const selected = this.#selected.peek();
        if (selected?.content === "event") data.toggle(selected.event);
      },
      fitAll: () => this.#setRange(null),
      escape: () => {
        if (this.#mark.peek() !== null) this.#mark.value = null;
        else this.#select(null, false);
      },
      step: (events, rows) => this.#step(events, rows),
      toEnd: (isLast) => {
        if (this.#place === null) return;
        const row = this.#passing(this.#place);
        if (row.length > 0) this.#choose(this.#place.lane, row.event(isLast ? row.length - 1 : 0));
      },
    };
  }

  /** Events of a row that search and filters let pass, and that are within its iteration. */
  #passing({ lane, row }: { lane: SceneLane; row: SceneRow }): Row {
    return this.#look.peek().passing(row.row, lane.track.content);
  }

  #choose(lane: SceneLane, event: number): void {
    this.#select({ content: lane.track.content, event }, true);
  }

  #step(events: number, rows: number): void {
    const scene = this.#scene.peek();
    const all = scene.lanes.filter((lane) => lane.track.content !== "idle").flatMap((lane) =>
      lane.rows.filter((row) => row.content !== "node").map((row) => ({ lane, row }))
    );
    const at = all.findIndex(({ row }) => row === this.#place?.row);
    const place = all[Math.min(Math.max(at + rows, 0), all.length - 1)];
    if (place === undefined) return;
    const selected = this.#selected.peek();
    const row = this.#passing(place);
    const range = this.#range;
    const isHere = selected !== null && this.#placeOf(selected)?.row === all[at]?.row;
    const ns = isHere ? this.#data.startOf(selected) : range[0] + place.row.offset;
    let position = firstStartingAt(row, ns);
    if (isHere && rows === 0) {
      if (events < 0) position -= 1;
      else if (position < row.length && row.event(position) === selected.event) position += 1;
    }
    this.#place = place;
    if (row.length > 0) this.#choose(place.lane, row.event(Math.min(Math.max(position, 0), row.length - 1)));
  }

  #hover(x: number | null, y: number): void {
    const target = x === null ? null : this.#targetAt(x, y);
    const cursor = x === null ? null : this.#timeAt(x);
    if (cursor !== this.#cursor) {
      this.#cursor = cursor;
      this.#redraw();
    }
    if (target === null || x === null) this.#tip.hidden = true;
    else showTip(this.#tip, hoverContent(this.#data, target), this.#surface, x, y);
  }
}

function toggled<T>(set: ReadonlySet<T>, value: T): ReadonlySet<T> {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
}

function hint(elsewhere: Selection | null): HTMLElement {
  return h(
    "p",
    { class: "soft" },
    elsewhere !== null && "What is selected in another view is marked; Escape clears it. ",
    "Click an event, or move with the arrow keys, to see what it is. Drag to sum up a range of time.",
  );
}
