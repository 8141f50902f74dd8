/** The state as the fragment of the address, such as `#v=1&tab=kernels&select=kernel:0:12`. What is not understood is left out. */

import { batch, effect } from "./signals.ts";
import {
  type Change,
  type Filters,
  isSame,
  NO_FILTERS,
  type Scheme,
  type Selection,
  SELECTION_KINDS,
  type State,
} from "./state.ts";

/** The version that is written. */
export const URL_VERSION = 1;
/** Longer fragments are ignored: no state needs so many characters. */
const LONGEST = 32768;
const MOST_CHANGES = 1000;
const FILTER_KEYS: Record<keyof Filters, string> = {
  phase: "phase",
  forward: "forward",
  stream: "stream",
  category: "category",
};

/** The chosen values of a state. */
export interface Chosen {
  tab: string;
  run: number;
  selection: Selection | null;
  search: string;
  filters: Filters;
  range: readonly [number, number] | null;
  whatIf: readonly Change[];
  scheme: Scheme;
}

/** What a fragment says, and what is to be said about it: null, or why it was ignored. */
export interface Parsed {
  chosen: Partial<Chosen>;
  notice: string | null;
}

/** Reads a fragment, with or without `#`. Never throws. */
export function parseFragment(fragment: string): Parsed {
  const text = fragment.replace(/^#/, "");
  const ignored = (notice: string): Parsed => ({ chosen: {}, notice });
  if (text === "") return { chosen: {}, notice: null };
  if (text.length > LONGEST) return ignored("The address holds more than a state of this page, and was ignored.");
  const parameters = new URLSearchParams(text);
  const version = parameters.get("v");
  if (version === null) return ignored("The address holds no state of this page, and was ignored.");
  if (version !== String(URL_VERSION)) {
    return ignored(`The address is of version ${version.slice(0, 20)} of this page, and was ignored.`);
  }
  return { chosen: parseParameters(parameters), notice: null };
}

function parseParameters(parameters: URLSearchParams): Partial<Chosen> {
  const chosen: Partial<Chosen> = {};
  const tab = parameters.get("tab");
  if (tab !== null && /^[a-z-]{1,40}$/.test(tab)) chosen.tab = tab;
  const run = parseIndex(parameters.get("run"));
  if (run !== null) chosen.run = run;
  const selection = parseSelection(parameters.get("select"));
  if (selection) chosen.selection = selection;
  const search = parameters.get("search");
  if (search) chosen.search = search.slice(0, 1000);
  const filters = { ...NO_FILTERS };
  let filtered = false;
  for (const [key, name] of Object.entries(FILTER_KEYS) as [keyof Filters, string][]) {
    const value = parameters.get(name);
    if (!value) continue;
    filters[key] = value;
    filtered = true;
  }
  if (filtered) chosen.filters = filters;
  const range = /^(-?\d{1,16})-(\d{1,16})$/.exec(parameters.get("range") ?? "");
  if (range && Number(range[1]) < Number(range[2])) chosen.range = [Number(range[1]), Number(range[2])];
  const changes = parameters.getAll("change").slice(0, MOST_CHANGES).map(parseChange).filter((one) => one !== null);
  if (changes.length > 0) chosen.whatIf = changes;
  const scheme = parameters.get("scheme");
  if (scheme === "light" || scheme === "dark") chosen.scheme = scheme;
  return chosen;
}

function parseIndex(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function parseSelection(text: string | null): Selection | null {
  const [, kind, run, id] = /^([a-z]+):(\d{1,6}):(.+)$/s.exec(text ?? "") ?? [];
  const known = SELECTION_KINDS.find((one) => one === kind);
  if (!known || run === undefined || id === undefined) return null;
  if (known !== "kernel" && known !== "event" && known !== "host") return { kind: known, run: Number(run), id };
  const index = parseIndex(id);
  return index === null ? null : { kind: known, run: Number(run), id: index };
}

/** A change is `SELECTOR` or `SELECTOR=FACTOR`; a selector may have `=` in it, a factor has only digits, `.` and `/`, or ends in `ns`. */
function parseChange(text: string): Change | null {
  const [, selector, factor] = /^(.+?)(?:=(\d{1,18}(?:[./]\d{1,18}|ns)?))?$/s.exec(text) ?? [];
  return selector === undefined ? null : { selector, factor: factor ?? null };
}

/** The fragment of chosen values, with `#`; those that are as at first are left out. */
export function writeFragment(chosen: Chosen): string {
  const parameters = new URLSearchParams({ v: String(URL_VERSION) });
  if (chosen.tab !== "summary") parameters.set("tab", chosen.tab);
  if (chosen.run !== 0) parameters.set("run", String(chosen.run));
  const { selection } = chosen;
  if (selection) parameters.set("select", `${selection.kind}:${selection.run}:${selection.id}`);
  if (chosen.search) parameters.set("search", chosen.search);
  for (const [key, name] of Object.entries(FILTER_KEYS) as [keyof Filters, string][]) {
    const value = chosen.filters[key];
    if (value !== null) parameters.set(name, value);
  }
  if (chosen.range) parameters.set("range", chosen.range.map(Math.round).join("-"));
  for (const { selector, factor } of chosen.whatIf) {
    parameters.append("change", factor === null ? selector : `${selector}=${factor}`);
  }
  if (chosen.scheme !== "auto") parameters.set("scheme", chosen.scheme);
  return `#${parameters}`;
}

/** What a state holds. Inside of an effect, the effect depends on all of it. */
export function chosenOf(state: State): Chosen {
  return {
    tab: state.tab.value,
    run: state.run.value,
    selection: state.selection.value,
    search: state.search.value,
    filters: state.filters.value,
    range: state.range.value,
    whatIf: state.whatIf.value,
    scheme: state.scheme.value,
  };
}

/** Puts chosen values into a state; what is missing becomes as it was at first. */
export function apply(state: State, chosen: Partial<Chosen>): void {
  batch(() => {
    state.tab.value = chosen.tab ?? "summary";
    state.run.value = chosen.run ?? 0;
    state.selection.value = chosen.selection ?? null;
    state.search.value = chosen.search ?? "";
    state.filters.value = chosen.filters ?? NO_FILTERS;
    state.range.value = chosen.range ?? null;
    state.whatIf.value = chosen.whatIf ?? [];
    state.scheme.value = chosen.scheme ?? "auto";
  });
}

/**
 * Reads the address into the state and writes later changes into the address: as a new entry of the history for a tab or a selection, else in place.
 * In a sandboxed frame, which has no history, the state stays in memory. `onNotice` gets what is to be said, or null.
 */
export function bindAddress(state: State, onNotice: (notice: string | null) => void, delay = 150): void {
  const read = () => {
    const { chosen, notice } = parseFragment(location.hash);
    apply(state, chosen);
    onNotice(notice);
  };
  read();
  let written = chosenOf(state);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = () => {
    const next = chosenOf(state);
    const fragment = writeFragment(next);
    const isStep = next.tab !== written.tab || !isSame(next.selection, written.selection);
    written = next;
    if (fragment === location.hash || (fragment === `#v=${URL_VERSION}` && location.hash === "")) return;
    try {
      if (isStep) history.pushState(null, "", fragment);
      else history.replaceState(null, "", fragment);
    } catch {
      // A sandboxed frame, or too many changes within a short time: the state is in memory all the same.
    }
  };
  effect(() => {
    chosenOf(state);
    clearTimeout(timer);
    timer = setTimeout(write, delay);
  });
  const back = () => {
    read();
    written = chosenOf(state);
    clearTimeout(timer);
  };
  addEventListener("popstate", back);
  addEventListener("hashchange", back);
}
