/** Predictions: what a change of the run would do, by the replay of the command. */

import "./style.css";
import type { Advice } from "../../contract/report.ts";
import type { RunData } from "../../data/tables.ts";
import {
  CAUTION_TEXTS,
  type ChosenChange,
  MODEL_TEXTS,
  type OfferedChange,
  parseSpeedUp,
  type PredictedTimes,
  type Replay,
  type Subject,
} from "../../model/replay.ts";
import { loadReplays, replayOf } from "../../model/replays.ts";
import {
  chosenChanges,
  factorFromText,
  likelySaving,
  positionOf,
  SPEED_UPS,
  speedUpOf,
  speedUpText,
  withChange,
  type WrittenChange,
} from "../../model/what_if.ts";
import { computed, effect, onCleanup, type Readable, signal } from "../../state/signals.ts";
import { choice, copyButton, facts, status, toggle } from "../../view/controls.ts";
import { button, type Child, h, prose, s } from "../../view/elements.ts";
import { chosenWords, viewOfRun } from "../../view/filtering.ts";
import { formatFactor, formatShare, formatTime, timeText } from "../../view/number.ts";
import { slider } from "../../view/slider.ts";
import type { Mounted, View, ViewContext } from "../../view/view.ts";

/** What if something were faster, or done otherwise? */
export const WHAT_IF: View = {
  id: "what-if",
  title: "What-if",
  order: 60,
  isAvailable: (page) => page.runs.some((run) => run.hasColumn("replay.changes") || run.meta.not_replayed !== null),
  prepare: (page) => WebAssemblyIsThere ? loadReplays(page) : Promise.resolve(),
  mount,
};

const WebAssemblyIsThere = typeof WebAssembly === "object";

function mount(context: ViewContext): Mounted {
  return viewOfRun(context, "what-if", (run) => {
    const found = replayOf(run);
    if (found && !("problem" in found)) return content(context, run, found.replay);
    return [h("p", { class: "notice" }, prose(found?.problem ?? whyNoReplay(run)))];
  });
}

function whyNoReplay({ meta }: RunData): string {
  if (!WebAssemblyIsThere) return "The browser has no WebAssembly, by which the page predicts.";
  return meta.not_replayed === null
    ? "No kernel of this run has a time."
    : `The page predicts nothing of this run, because ${meta.not_replayed}. \`-what-if=\` predicts it in a terminal.`;
}

/** Rows of sliders of one kind; more are found by the search. */
const MOST_SLIDERS = 10;
/** Predictions for a curve or a search for the next limit take at most this long. */
const MOST_MS = 80;

const KINDS: readonly (readonly [prefix: string, title: string])[] = [
  ["rule", "Rules"],
  ["category", "Categories"],
  ["scope", "Modules"],
  ["op", "Operators"],
  ["", "Kernels"],
  ["other", "Host and device"],
];

function kindOf(change: OfferedChange): string {
  if (change.subject !== "kernels") return "other";
  const prefix = /^([a-z-]+):/.exec(change.text)?.[1] ?? "";
  return KINDS.some(([kind]) => kind === prefix) ? prefix : prefix.startsWith("op") ? "op" : "";
}

const nameOf = (change: OfferedChange): string =>
  change.text.replace(/^(rule|category|scope|op-type|operator|op):/, "");

interface Predicted {
  times: PredictedTimes | null;
  conflict: string | null;
  chosen: ChosenChange[];
  unknown: number;
  ms: number;
}

function content(context: ViewContext, run: RunData, replay: Replay): Node[] {
  const { state } = context;
  const predicted = computed<Predicted>(() => {
    const { chosen, unknown } = chosenChanges(state.whatIf.value, replay.offered);
    // Without a change there is nothing to predict.
    if (chosen.length === 0) return { times: replay.base, conflict: null, chosen, unknown, ms: 0 };
    const start = performance.now();
    const result = replay.predict(chosen);
    const ms = performance.now() - start;
    performance.measure("amdahlc:what-if", { start, end: start + ms });
    return "times" in result
      ? { times: result.times, conflict: null, chosen, unknown, ms }
      : { times: null, conflict: result.conflict, chosen, unknown, ms };
  });
  const set = (change: OfferedChange, factor: Parameters<typeof withChange>[2]) =>
    state.whatIf.value = withChange(state.whatIf.peek(), change.text, factor);
  const focused = signal<OfferedChange | null>(null);
  const timed = replay.offered.filter((one) => one.manners.includes("time"));
  const kinds = KINDS.filter(([kind]) => timed.some((one) => kindOf(one) === kind));
  const kind = signal(kinds[0]?.[0] ?? "");
  const words = chosenWords(context);
  const shown = computed(() => shownChanges(timed, run, kind.value, words.value));
  const written = computed(() => new Map(state.whatIf.value.map((one) => [one.selector, one])));
  const sliders = h(
    "div",
    { class: "sliders" },
    () =>
      shown.value.map((change) =>
        sliderRow(change, run, written, (factor) => {
          focused.value = change;
          set(change, factor);
        }, () => focused.value = change)
      ),
  );
  const switches = replay.offered.filter((one) => !one.manners.includes("time"));
  const plain = switches.filter((one) => one.subject !== "fused"),
    fused = switches.filter((one) => one.subject === "fused");
  const switchList = (list: readonly OfferedChange[]) =>
    h(
      "div",
      { class: "switches" },
      list.map((change) =>
        toggle(
          switchTitle(change, run),
          computed(() => written.value.has(change.text)),
          (on) => set(change, on ? null : undefined),
        )
      ),
    );
  const controls = h(
    "section",
    { class: "what-if-controls", "aria-label": "Changes" },
    adviceList(context, run, replay),
    h("h2", null, "Make it faster"),
    choice("Kind", kinds, kind, (to) => kind.value = to),
    sliders,
    plain.length > 0 ? [h("h2", null, "Change how it runs"), switchList(plain)] : null,
    fused.length > 0
      ? h("details", null, h("summary", null, `Make one kernel of several (${fused.length})`), switchList(fused))
      : null,
  );
  const curve = h("figure", { class: "curve" }, () => focused.value && curveOf(replay, focused.value, predicted.value));
  const outcome = h(
    "section",
    { class: "what-if-outcome", "aria-label": "Prediction" },
    outcomeOf(context, run, replay, predicted),
    curve,
    nextLimit(run, replay, predicted, timed),
  );
  return [h("div", { class: "what-if-parts" }, controls, outcome)];
}

function timeOf(change: OfferedChange, run: RunData): number {
  const ids = new Set(change.kernels);
  return run.report.kernels.reduce((sum, kernel) => sum + (ids.has(kernel.id) ? kernel.duration_ns ?? 0 : 0), 0);
}

/** Those with the most time, or those that a search finds. */
function shownChanges(
  timed: readonly OfferedChange[],
  run: RunData,
  kind: string,
  words: readonly string[],
): OfferedChange[] {
  const found = timed.filter((one) =>
    kindOf(one) === kind && words.every((word) => one.text.toLowerCase().includes(word))
  );
  if (kind === "other") return found.slice(0, 40);
  return found.map((change) => ({ change, ns: timeOf(change, run) })).sort((a, b) => b.ns - a.ns).slice(0, MOST_SLIDERS)
    .map((one) => one.change);
}

function sliderRow(
  change: OfferedChange,
  run: RunData,
  written: Readable<ReadonlyMap<string, WrittenChange>>,
  onChange: (factor: ReturnType<typeof parseSpeedUp>) => void,
  onFocus: () => void,
): HTMLElement {
  const one = SPEED_UPS[0]!;
  const factor = computed(() => factorFromText(written.value.get(change.text)?.factor ?? "1") ?? one);
  const name = nameOf(change), ns = timeOf(change, run);
  const { range, box } = slider({
    label: `Speed-up of ${name}`,
    last: SPEED_UPS.length - 1,
    position: computed(() => positionOf(factor.value)),
    text: computed(() => speedUpText(factor.value)),
    onMove: (position) => onChange(SPEED_UPS[position]!),
    boxLabel: `Factor of ${name}`,
    onText: (text) => {
      const parsed = /^(∞|inf)$/i.test(text) ? SPEED_UPS.at(-1)! : parseSpeedUp(text);
      if (parsed) onChange(parsed);
      return parsed !== null;
    },
  });
  range.addEventListener("focus", onFocus);
  return h(
    "div",
    { class: "slider-row" },
    h("span", { class: "slider-name", title: change.text }, name),
    h("span", { class: "soft slider-time" }, ns > 0 ? formatTime(ns) : ""),
    range,
    box,
  );
}

/** What switches are without advice. */
const SWITCHES: Partial<Record<Subject, string>> = {
  batch: "a batch so many times as large; times are those of as many items as now",
  copies: "copies run beside other work",
  "all-launches": "the work between two waits is launched as one graph",
};

function switchTitle(change: OfferedChange, run: RunData): Child {
  const advice = run.report.advice?.find((one) => one.selector === change.text);
  return [
    h("span", { class: "mono" }, change.text),
    h("span", { class: "soft" }, " ", advice ? prose(advice.change) : SWITCHES[change.subject] ?? null),
  ];
}

function adviceList(context: ViewContext, run: RunData, replay: Replay): Child {
  const { state } = context;
  const offered = new Set(replay.offered.map((one) => one.text));
  const advice = (run.report.advice ?? []).filter((one) =>
    one.kind === "change" && one.selector !== null && offered.has(one.selector)
  ).slice(
    0,
    5,
  );
  if (advice.length === 0) return null;
  const row = (one: Advice) => {
    const ns = likelySaving(one);
    return h(
      "li",
      null,
      button(() => state.whatIf.value.some((change) => change.selector === one.selector) ? "Undo" : "Try", () => {
        const isOn = state.whatIf.peek().some((change) => change.selector === one.selector);
        state.whatIf.value = withChange(state.whatIf.peek(), one.selector ?? "", isOn ? undefined : null);
      }, { "aria-label": `Try: ${one.change}` }),
      h("span", null, prose(one.change)),
      ns === null
        ? h("span", { class: "soft" }, "helps only after those before it")
        : h("span", { class: "saving" }, "−", formatTime(ns)),
    );
  };
  const base = run.report.advice_limit?.base_ns ?? null;
  return [
    h("h2", null, "What to do first"),
    h(
      "p",
      { class: "soft" },
      "What each likely saves by itself of the time of an iteration, the longer one of wall and window",
      base === null ? "." : [": ", formatTime(base), "."],
    ),
    h("ol", { class: "advice" }, advice.map(row)),
  ];
}

function outcomeOf(context: ViewContext, run: RunData, replay: Replay, predicted: Readable<Predicted>): Child {
  const { state } = context;
  const { base } = replay;
  const error = run.report.replay?.kept_error ?? null;
  const ratio = (from: number | null, to: number | null): Child =>
    from === null || to === null ? null : formatFactor(to > 0 ? from / to : null);
  return [
    status("Predicted wall time", () => {
      const { times, conflict } = predicted.value;
      if (!times) return h("span", { class: "notice" }, conflict ?? "");
      if (times.wall === null) {
        return [
          h("span", { class: "big" }, formatTime(times.busy)),
          h("span", { class: "soft" }, " busy; the wall time of this run is not known"),
        ];
      }
      return [
        h("span", { class: "big" }, formatTime(times.wall)),
        h("span", { class: "soft" }, " of wall time, "),
        ratio(base.wall, times.wall),
        h("span", { class: "soft" }, " as fast"),
      ];
    }),
    h("div", null, () => {
      const { times, unknown, chosen } = predicted.value;
      if (!times) return null;
      // Without a change there is nothing to be cautious about.
      const caution = chosen.length > 0 ? CAUTION_TEXTS[times.caution] : null;
      return [
        facts([
          ["Wall, now", base.wall === null ? null : formatTime(base.wall)],
          [
            "Busy",
            chosen.length === 0 ? formatTime(base.busy) : [formatTime(times.busy), " of ", formatTime(base.busy)],
          ],
          [
            "Window",
            times.window === null || base.window === null
              ? null
              : chosen.length === 0
              ? formatTime(base.window)
              : [formatTime(times.window), " of ", formatTime(base.window)],
          ],
          ["Error of the replay", error === null ? null : formatShare(error)],
          ["Predicted by", MODEL_TEXTS[times.model]],
        ]),
        caution ? h("p", { class: "notice" }, `Caution: ${caution}.`) : null,
        unknown > 0
          ? h(
            "p",
            { class: "notice" },
            `The document does not offer ${unknown === 1 ? "a change" : `${unknown} changes`} of the address.`,
          )
          : null,
      ];
    }),
    h(
      "div",
      { class: "what-if-options" },
      h("code", null, () => optionText(replay, predicted.value)),
      h(
        "span",
        { hidden: () => predicted.value.chosen.length === 0 },
        copyButton("Copy option", () => optionText(replay, predicted.peek())),
      ),
      button("Reset", () => state.whatIf.value = [], { class: "quiet", hidden: () => state.whatIf.value.length === 0 }),
    ),
  ];
}

function optionText(replay: Replay, { chosen }: Predicted): string {
  const text = replay.option(chosen);
  return text === "" ? "no change is chosen" : `-what-if='${text.replaceAll("'", "'\\''")}'`;
}

/** Wall time against the speed-up of one target, beside the other changes. */
function curveOf(replay: Replay, change: OfferedChange, predicted: Predicted): Child {
  const steps = SPEED_UPS.filter((_, i) => i % 3 === 0 || i === SPEED_UPS.length - 1);
  if (!predicted.times || predicted.ms * steps.length > MOST_MS) return null;
  const points = replay.curve(change.index, steps, predicted.chosen).map((one, i) => ({
    factor: steps[i]!,
    ns: "times" in one ? one.times.wall ?? one.times.busy : null,
  }));
  const known = points.filter((one): one is { factor: typeof one.factor; ns: number } => one.ns !== null);
  const most = Math.max(...known.map((one) => one.ns), 1);
  // New time / old time is the horizontal axis, so that no time at all is a place, too.
  const x = (factor: typeof steps[number]) => 46 + 380 * (1 - 1 / speedUpOf(factor));
  const y = (ns: number) => 12 + 116 * (1 - ns / most);
  const now = predicted.times.wall ?? predicted.times.busy;
  const current = predicted.chosen.find((one) => one.index === change.index)?.factor ?? SPEED_UPS[0]!;
  const ticks = [1, 2, 4, Infinity];
  return [
    h("figcaption", null, "Wall time against the speed-up of ", h("strong", null, nameOf(change))),
    s(
      "svg",
      {
        viewBox: "0 0 440 152",
        role: "img",
        "aria-label": `Wall time against the speed-up of ${nameOf(change)}: from ${timeText(known[0]?.ns ?? 0)} to ${
          timeText(known.at(-1)?.ns ?? 0)
        }`,
      },
      s("line", { x1: 46, x2: 426, y1: 128, y2: 128, class: "axis" }),
      s("text", { x: 40, y: 20, "text-anchor": "end" }, timeText(most).replace(/(\.\d)\d+/, "$1").split(" ")[0] ?? ""),
      s("text", { x: 40, y: 132, "text-anchor": "end" }, "0"),
      ticks.map((tick) =>
        s(
          "text",
          { x: 46 + 380 * (1 - 1 / tick), y: 146, "text-anchor": "middle" },
          tick === Infinity ? "∞" : `${tick}x`,
        )
      ),
      s("polyline", {
        points: known.map((one) => `${x(one.factor).toFixed(1)},${y(one.ns).toFixed(1)}`).join(" "),
        class: "line",
      }),
      s("circle", { cx: x(current), cy: y(now), r: 4.5, class: "now" }),
    ),
  ];
}

/** Which rule, or the host, would save most beside what is chosen. It is looked for when nothing moves. */
function nextLimit(
  run: RunData,
  replay: Replay,
  predicted: Readable<Predicted>,
  timed: readonly OfferedChange[],
): HTMLElement {
  const rules = timed.filter((one) => kindOf(one) === "rule").map((change) => ({ change, ns: timeOf(change, run) }))
    .sort((a, b) => b.ns - a.ns).slice(0, 8).map((one) => one.change);
  const candidates = [...rules, ...timed.filter((one) => one.subject === "host" || one.subject === "launches")];
  const found = signal<Child>(null);
  effect(() => {
    const { times, chosen, ms } = predicted.value;
    const timer = setTimeout(() => {
      if (!times || ms * candidates.length > MOST_MS) return found.value = null;
      const now = times.wall ?? times.busy;
      let best: OfferedChange | null = null, least = now * 0.995;
      for (const change of candidates) {
        const result = replay.predict([...chosen, {
          index: change.index,
          manner: "time",
          factor: { numerator: 0n, denominator: 1n },
        }]);
        const ns = "times" in result ? result.times.wall ?? result.times.busy : now;
        if (ns < least) [best, least] = [change, ns];
      }
      found.value = best
        ? [h("strong", null, nameOf(best)), `: without it ${timeText(least)} were left`]
        : "none by itself: the run takes about as long without the host, and without any of the longest rules";
    }, 150);
    onCleanup(() => clearTimeout(timer));
  });
  return h(
    "p",
    { class: "next-limit", hidden: () => found.value === null },
    h("span", { class: "soft" }, "Next limit: "),
    () => [found.value],
  );
}
