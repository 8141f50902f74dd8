/** Above the lanes: what is shown, the legend, and the keys. */
import { hueOf, hueOfCause } from "../../draw/colours.ts";
import { computed, effect, type Signal } from "../../state/signals.ts";
import type { State } from "../../state/state.ts";
import { toggle } from "../../view/controls.ts";
import { button, h } from "../../view/elements.ts";
import { hueColour, swatch } from "../../view/marks.ts";
import { KEYS } from "./input.ts";
import type { TimelineData } from "./timeline_data.ts";

/** At first so many iterations are laid over each other. */
const ITERATIONS_AT_FIRST = 4;

/** What the tools change. */
export interface Choices {
  readonly showsPath: Signal<boolean>;
  /** Places of the iterations that are laid over each other; null for one axis. */
  readonly over: Signal<ReadonlySet<number> | null>;
}

/** Tools and legend. `visible` says which range of time is shown. */
export function timelineTools(
  data: TimelineData,
  state: State,
  choices: Choices,
  visible: HTMLElement,
  fitAll: () => void,
): HTMLElement {
  const { iterations } = data.run.meta;
  return h(
    "div",
    { class: "timeline-head" },
    h(
      "div",
      { class: "timeline-tools" },
      button("Show all", fitAll, { class: "quiet" }),
      data.hasPath && toggle("Path of the run", choices.showsPath, (on) => {
        choices.showsPath.value = on;
        void data.loadPath();
      }),
      iterations.length > 1 && iterationTools(data, choices),
      h(
        "details",
        { class: "timeline-menu" },
        h("summary", null, "Keys"),
        h(
          "div",
          null,
          h(
            "dl",
            { class: "timeline-keys" },
            KEYS.map(([keys, meaning]) => [h("dt", null, keys), h("dd", null, meaning)]),
          ),
        ),
      ),
      visible,
    ),
    legend(data, state),
  );
}

function iterationTools(data: TimelineData, choices: Choices): HTMLElement {
  const { iterations } = data.run.meta;
  const selected = [...iterations.keys()].filter((index) => iterations[index]?.selected);
  const first = new Set((selected.length > 0 ? selected : [...iterations.keys()]).slice(0, ITERATIONS_AT_FIRST));
  const isOver = computed(() => choices.over.value !== null);
  const boxes = iterations.map((iteration, index) => {
    const input = h("input", {
      type: "checkbox",
      onchange: () => {
        const next = new Set(choices.over.peek() ?? []);
        if (input.checked) next.add(index);
        else next.delete(index);
        if (next.size > 0) choices.over.value = next;
        else input.checked = true;
      },
    });
    return { index, input, label: h("label", { class: "timeline-choice" }, input, iteration.name) };
  });
  const menu = h(
    "details",
    { class: "timeline-menu", hidden: () => !isOver.value },
    h("summary", null, "Iterations"),
    h("div", null, boxes.map(({ label }) => label)),
  );
  effect(() => {
    for (const { index, input } of boxes) input.checked = choices.over.value?.has(index) ?? false;
  });
  return h(
    "span",
    { class: "timeline-iterations" },
    toggle("Iterations over each other", isOver, (on) => choices.over.value = on ? first : null),
    menu,
  );
}

/** Categories in their order, those of one colour together. */
function byHue(categories: readonly string[]): [hue: string, categories: string[]][] {
  const groups = new Map<string, string[]>();
  for (const category of categories) {
    const hue = hueOf(category);
    const group = groups.get(hue);
    if (group) group.push(category);
    else groups.set(hue, [category]);
  }
  return [...groups];
}

function legend(data: TimelineData, state: State): HTMLElement {
  const filter = (category: string): HTMLElement =>
    h("button", {
      type: "button",
      "aria-pressed": () => state.filters.value.category === category,
      title: "Show events of this category only",
      onclick: () => {
        const filters = state.filters.peek();
        state.filters.value = { ...filters, category: filters.category === category ? null : category };
      },
    }, category);
  const causes = data.causes.map((cause) => data.run.meta.causes[cause] ?? "");
  return h(
    "div",
    { class: "timeline-legend" },
    h(
      "div",
      null,
      byHue(data.categories).map(([hue, those]) => h("span", null, swatch(hueColour(hue)), those.map(filter))),
    ),
    causes.length > 0 && h(
      "div",
      null,
      h("span", null, "idle:"),
      causes.map((cause) => h("span", null, swatch(hueColour(hueOfCause(cause)), true), cause)),
    ),
  );
}
