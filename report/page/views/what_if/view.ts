/** Predictions: what a change of the run would do, by the replay of the command. */

import "./style.css";
import type { RunData } from "../../data/tables.ts";
import {
  CAUTION_TEXTS,
  type Factor,
  fixedTimeText,
  MODEL_TEXTS,
  type OfferedChange,
  parseSpeedUp,
  parseTime,
  type PredictedTimes,
  type Replay,
  type Subject,
} from "../../model/replay.ts";
import { loadReplays, replayOf } from "../../model/replays.ts";
import {
  type Choice,
  chosenChanges,
  factorFromText,
  KEEPS_IDLE,
  positionOf,
  SPEED_UPS,
  speedUpText,
  withChange,
  type WrittenChange,
} from "../../model/what_if.ts";
import { computed, effect, onCleanup, type Readable, type Signal, signal } from "../../state/signals.ts";
import { choice, copyButton, facts, menu, status, toggle } from "../../view/controls.ts";
import { button, capitalised, type Child, h, prose } from "../../view/elements.ts";
import { chosenWords, viewOfRun } from "../../view/filtering.ts";
import { factorText, formatFactor, formatShare, formatTime, timeText } from "../../view/number.ts";
import { slider } from "../../view/slider.ts";
import type { Mounted, View, ViewContext } from "../../view/view.ts";
import { curveFigure } from "./curve.ts";
import { goalPart } from "./goal.ts";
import { adviceList, batchOf, iterationOf, scenarioList } from "./scenarios.ts";
import { tornadoPart } from "./tornado.ts";

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

const NO_TIME = SPEED_UPS.at(-1)!;
/** Rows of sliders of one kind; more are found by the search. */
const MOST_SLIDERS = 10;
/** Beyond this error of the replay the page warns of the number. */
const MOST_ERROR = 0.05;
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

interface Predicted extends Choice {
  times: PredictedTimes | null;
  base: PredictedTimes;
  conflict: string | null;
  ms: number;
}

function content(context: ViewContext, run: RunData, replay: Replay): Node[] {
  const { state } = context;
  const predicted = computed<Predicted>(() => {
    const choice = chosenChanges(state.whatIf.value, replay.offered);
    const { chosen, keepsIdle } = choice;
    const base = keepsIdle ? replay.baseOf(true) : replay.base;
    // Without a change there is nothing to predict.
    if (chosen.length === 0) return { ...choice, times: base, base, conflict: null, ms: 0 };
    const start = performance.now();
    const result = replay.predict(chosen, keepsIdle);
    const ms = performance.now() - start;
    performance.measure("amdahlc:what-if", { start, end: start + ms });
    return "times" in result
      ? { ...choice, times: result.times, base, conflict: null, ms }
      : { ...choice, times: null, base, conflict: result.conflict, ms };
  });
  const set = (change: OfferedChange, factor: Parameters<typeof withChange>[2]) =>
    state.whatIf.value = withChange(state.whatIf.peek(), change.text, factor);
  const focused = signal<OfferedChange | null>(null);
  const timed = replay.offered.filter((one) => one.manners.includes("time") && one.subject !== "wait");
  const kinds = KINDS.filter(([kind]) => timed.some((one) => kindOf(one) === kind));
  const kind = signal(kinds[0]?.[0] ?? "");
  const words = chosenWords(context);
  const written = computed(() => new Map(state.whatIf.value.map((one) => [one.selector, one])));
  const isWritten = (change: OfferedChange): boolean => written.peek().has(change.text);
  const shown = computed(() => shownChanges(timed, run, kind.value, words.value, isWritten));
  // Changes that are tried, or in the address, are seen.
  effect(() => {
    const changed = timed.filter((one) => written.value.has(one.text)).map(kindOf);
    if (changed.length > 0 && !changed.includes(kind.peek())) kind.value = changed[0]!;
  });
  const foldTitle = (title: string, list: readonly OfferedChange[]) =>
    h("summary", null, () => {
      const count = list.filter((one) => written.value.has(one.text)).length;
      return `${title} (${list.length}${count > 0 ? `, ${count} chosen` : ""})`;
    });
  const sliders = h(
    "div",
    { class: "sliders" },
    () =>
      shown.value.map((change) =>
        sliderRow(change, run, replay, written, context.state.whatIf, (factor) => {
          focused.value = change;
          set(change, factor);
        }, () => focused.value = change)
      ),
  );
  const switches = replay.offered.filter((one) => !one.manners.includes("time") && one.subject !== "kernels");
  const plain = switches.filter((one) => one.subject !== "fused"),
    fused = switches.filter((one) => one.subject === "fused"),
    waits = replay.offered.filter((one) => one.subject === "wait");
  const switchList = (list: readonly OfferedChange[]) =>
    h(
      "div",
      { class: "switches" },
      list.map((change) =>
        toggle(
          switchTitle(change, run),
          computed(() => written.value.has(change.text)),
          (on) => set(change, on ? (change.subject === "wait" ? NO_TIME : null) : undefined),
        )
      ),
    );
  const controls = h(
    "section",
    { class: "what-if-controls", "aria-label": "Changes" },
    adviceList(run, replay, state.whatIf),
    scenarioList(run, replay, state.whatIf),
    goalPart(run, replay, state.whatIf),
    h("h2", null, "Make it faster"),
    choice("Kind", kinds, kind, (to) => kind.value = to),
    sliders,
    plain.length > 0 ? [h("h2", null, "Change how it runs"), switchList(plain)] : null,
    fused.length > 0 ? h("details", null, foldTitle("Make one kernel of several", fused), switchList(fused)) : null,
    waits.length > 0
      ? h(
        "details",
        null,
        foldTitle("Do not wait for the device", waits),
        h(
          "p",
          { class: "soft" },
          "Each takes away the waits of a call, or all waits within an operator or a function; one wait is in several of these.",
        ),
        switchList(waits),
      )
      : null,
    replay.base.model === "replay"
      ? toggle(
        "Predict by arithmetic, as if idle time stayed: what the replay adds is the difference",
        computed(() => predicted.value.keepsIdle),
        (on) => {
          const others = state.whatIf.peek().filter((one) => one.selector !== KEEPS_IDLE);
          state.whatIf.value = on ? [{ selector: KEEPS_IDLE, factor: null }, ...others] : others;
        },
      )
      : null,
    tornadoPart(replay),
  );
  const curve = curveFigure(run, replay, focused, predicted);
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

/** Those with the most time, or those that a search finds, and all that are chosen; of several with the same kernels the first one. */
function shownChanges(
  timed: readonly OfferedChange[],
  run: RunData,
  kind: string,
  words: readonly string[],
  isWritten: (change: OfferedChange) => boolean,
): OfferedChange[] {
  const found = timed.filter((one) =>
    kindOf(one) === kind && words.every((word) => one.text.toLowerCase().includes(word))
  );
  if (kind === "other") return found.slice(0, 40);
  const sets = new Set<string>();
  const isOther = (change: OfferedChange) => sets.size < sets.add(change.kernels.join()).size;
  return found.map((change) => ({ change, ns: timeOf(change, run) })).sort((a, b) => b.ns - a.ns)
    .filter(({ change }) => isOther(change) || isWritten(change))
    .filter(({ change }, place) => place < MOST_SLIDERS || isWritten(change)).map((one) => one.change);
}

function sliderRow(
  change: OfferedChange,
  run: RunData,
  replay: Replay,
  written: Readable<ReadonlyMap<string, WrittenChange>>,
  whatIf: Signal<readonly WrittenChange[]>,
  onChange: (to: Factor | number) => void,
  onFocus: () => void,
): HTMLElement {
  const one = SPEED_UPS[0]!;
  const text = computed(() => written.value.get(change.text)?.factor ?? "1");
  const fixed = computed(() => parseTime(text.value));
  const factor = computed(() => factorFromText(text.value) ?? one);
  const name = nameOf(change), ns = timeOf(change, run);
  const { range, box } = slider({
    label: `Speed-up of ${name}`,
    last: SPEED_UPS.length - 1,
    position: computed(() => positionOf(factor.value)),
    text: computed(() => fixed.value === null ? speedUpText(factor.value) : fixedTimeText(fixed.value)),
    onMove: (position) => onChange(SPEED_UPS[position]!),
    boxLabel: `Factor of ${name}`,
    onText: (text) => {
      const parsed = /^(∞|inf)$/i.test(text)
        ? NO_TIME
        : parseSpeedUp(text) ?? (change.subject === "kernels" ? parseTime(text) : null);
      if (parsed !== null) onChange(parsed);
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
    howMenu(change, replay, whatIf),
  );
}

/** What else can be done with kernels than to make them faster. */
function howMenu(change: OfferedChange, replay: Replay, whatIf: Signal<readonly WrittenChange[]>): Child {
  const ways: [string, string][] = [];
  if (change.manners.includes("remove")) ways.push([`remove(${change.text})`, "removed"]);
  if (change.manners.includes("cuda-graph")) ways.push([`cuda-graph(${change.text})`, "in a graph"]);
  if (change.manners.includes("move")) {
    ways.push([`move(${change.text})`, "in a stream of its own"]);
    for (const stream of replay.streams) {
      ways.push([`move(${change.text}, stream=${stream})`, `in stream ${stream}`]);
    }
  }
  if (ways.length === 0) return null;
  const isWay = (selector: string) => ways.some(([way]) => way === selector);
  return menu(
    `Other changes of ${nameOf(change)}`,
    "as it is",
    ways,
    computed(() => whatIf.value.find((one) => isWay(one.selector))?.selector ?? null),
    (way) => {
      const others = whatIf.peek().filter((one) => !isWay(one.selector));
      whatIf.value = way === null ? others : [...others, { selector: way, factor: null }];
    },
  );
}

/** What switches are without advice. */
const SWITCHES: Partial<Record<Subject, string>> = {
  batch: "a batch so many times as large; times are those of all its items",
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

/** Fewer do not tell which time of a kernel is typical, so that its median is the lesser one. */
const FEWEST_ITERATIONS = 3;

const factorOf = (before: number, after: number): number => after > 0 ? before / after : Infinity;

function outcomeOf(context: ViewContext, run: RunData, replay: Replay, predicted: Readable<Predicted>): Child {
  const { state } = context;
  const error = run.report.replay?.kept_error ?? null, windowError = run.report.replay?.window_error ?? null;
  const ratio = (from: number | null, to: number | null): Child =>
    from === null || to === null ? null : formatFactor(to > 0 ? from / to : null);
  const { trace } = run.report;
  const measured = { busy: trace?.busy_ns, wall: trace?.wall_ns, window: trace?.window_ns };
  /** `undisturbed `, or of two iterations `best-case `, before the name of a time, where a prediction starts from another one than the measured one. */
  const wordOf = (base: PredictedTimes, what: keyof typeof measured): string =>
    base[what] === null || base[what] === (measured[what] ?? null)
      ? ""
      : (trace?.iterations ?? 0) < FEWEST_ITERATIONS
      ? "best-case "
      : "undisturbed ";
  const labelOf = (base: PredictedTimes, what: keyof typeof measured): string => capitalised(wordOf(base, what) + what);
  return [
    windowError !== null && Math.abs(windowError) > MOST_ERROR
      ? h(
        "p",
        { class: "notice" },
        "The replay of the unchanged run misses its window by ",
        formatShare(Math.abs(windowError)),
        ": predicted windows are guesses.",
      )
      : null,
    status("Predicted wall time", () => {
      const { times, conflict } = predicted.value;
      if (!times) return h("span", { class: "notice" }, conflict ?? "");
      if (times.wall === null) {
        return [
          h("span", { class: "big" }, formatTime(times.busy)),
          h(
            "span",
            { class: "soft" },
            ` ${wordOf(predicted.value.base, "busy")}busy; the wall time of this run is not known`,
          ),
        ];
      }
      return [
        h("span", { class: "big" }, formatTime(times.wall)),
        h("span", { class: "soft" }, ` of ${wordOf(predicted.value.base, "wall")}wall time, `),
        ratio(predicted.value.base.wall, times.wall),
        h("span", { class: "soft" }, " as fast"),
      ];
    }),
    status("Predicted window", () => {
      const { times, base, chosen } = predicted.value;
      if (chosen.length === 0 || !times || times.wall === null || times.window === null || base.window === null) {
        return null;
      }
      const factor = factorOf(base.window, times.window);
      // Where wall changes as the window does, the line above says all.
      if (base.wall !== null && factorText(factorOf(base.wall, times.wall)) === factorText(factor)) return null;
      return [
        h("span", { class: "big" }, formatTime(times.window)),
        h("span", { class: "soft" }, ` of ${wordOf(base, "window")}window, which the user waits for, `),
        formatFactor(Number.isFinite(factor) ? factor : null),
        h("span", { class: "soft" }, " as fast"),
        h("span", { class: "soft" }, "; an iteration takes the longer one of both, "),
        formatTime(iterationOf(times)),
      ];
    }),
    h("div", null, () => {
      const { times, base, unknown, chosen } = predicted.value;
      if (!times) return null;
      // Without a change there is nothing to be cautious about.
      const caution = chosen.length > 0 ? CAUTION_TEXTS[times.caution] : null;
      const batch = batchOf(state.whatIf.value), ofItems = iterationOf(times) / batch;
      return [
        caution ? h("p", { class: "notice" }, `Caution: ${caution}.`) : null,
        facts([
          [`${labelOf(base, "wall")}, now`, base.wall === null ? null : formatTime(base.wall)],
          [
            labelOf(base, "busy"),
            chosen.length === 0 ? formatTime(base.busy) : [formatTime(times.busy), " of ", formatTime(base.busy)],
          ],
          [
            labelOf(base, "window"),
            base.window === null
              ? null
              : chosen.length === 0
              ? formatTime(base.window)
              : times.window === null
              ? null
              : [
                formatTime(times.window),
                " of ",
                formatTime(base.window),
              ],
          ],
          [
            "Time of as many items as now",
            batch === 1 ? null : [
              formatTime(ofItems),
              ", ",
              formatFactor(factorOf(iterationOf(base), ofItems)),
              " as fast",
            ],
          ],
          ["Error of the replay", error === null ? null : formatShare(error)],
          ["Error of its window", windowError === null ? null : formatShare(windowError)],
          ["Predicted by", MODEL_TEXTS[times.model]],
        ]),
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

function optionText(replay: Replay, { chosen, keepsIdle }: Choice): string {
  const text = replay.option(chosen, keepsIdle);
  return text === "" ? "no change is chosen" : `-what-if='${text.replaceAll("'", "'\\''")}'`;
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
    const { times, chosen, ms, keepsIdle } = predicted.value;
    const timer = setTimeout(() => {
      if (!times || keepsIdle || ms * candidates.length > MOST_MS) return found.value = null;
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
