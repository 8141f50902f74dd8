/** The entry: reads the document, restores the state of the address, and shows the chosen view. */

import "./main.css";
import "../view/controls.css";
import "../view/charts.css";
import "../view/tables.css";
import { documentSource, loadPage } from "../data/page.ts";
import type { Page, TableName } from "../data/tables.ts";
import { batch, computed, effect, scope, untracked } from "../state/signals.ts";
import { newState, type Selection, type State } from "../state/state.ts";
import { bindAddress } from "../state/url.ts";
import { hueProperties } from "../draw/colours.ts";
import { button, h, prose, setAttribute, setStyle } from "../view/elements.ts";
import { menu, searchBox } from "../view/controls.ts";
import { tabElementId, tabs } from "../view/tabs.ts";
import type { Mounted, View, ViewContext } from "../view/view.ts";
import { VIEWS } from "../views/registry.ts";
import { absentViews } from "./absent_views.ts";
import { filterBar } from "./filters.ts";
import { foundLine } from "./found.ts";
import { keepFocus } from "./focus.ts";
import { selectionPanel } from "./selection_panel.ts";
import { linkSummary } from "./summary_links.ts";
// Comes last, because it changes what the styles of views say.
import "./sizes.css";

const SUMMARY: View = {
  id: "summary",
  title: "Summary",
  order: 0,
  isAvailable: () => true,
  mount: () => ({ element: document.createElement("div") }),
};

requestAnimationFrame(() => performance.mark("amdahlc:first-paint"));
void start();

async function start(): Promise<void> {
  const main = document.querySelector("main");
  if (!main) return;
  // What is read when it is asked for has nobody who waits for it. One message is enough.
  addEventListener("unhandledrejection", (event) => {
    for (const waiting of main.querySelectorAll("[aria-busy=true]")) waiting.setAttribute("aria-busy", "false");
    if (main.querySelector("[role=alert]") === null) {
      main.prepend(failure("A part of this page could not be read", event.reason));
    }
  });
  try {
    const page = await loadPage(documentSource());
    await new Shell(main, page).settled;
    performance.mark("amdahlc:ready");
  } catch (error) {
    main.prepend(failure("Only the summary can be shown", error));
  }
  main.setAttribute("aria-busy", "false");
}

function failure(what: string, error: unknown): HTMLElement {
  console.error(error);
  const why = error instanceof Error ? error.message : String(error);
  return h("p", { class: "notice", role: "alert" }, `${what}: ${why}.`);
}

/** The tabs, the panel of the chosen view, and what is around them. */
class Shell {
  /** Ends when the first view is shown. */
  readonly settled: Promise<void>;
  readonly #page: Page;
  readonly #state: State = newState();
  readonly #panel = h("div", { class: "panel", tabindex: -1 });
  readonly #views: readonly View[];
  readonly #summary: HTMLElement | null;
  readonly #main: HTMLElement;
  #end: (() => void) | null = null;
  #mounted: Mounted | null = null;
  #shown = 0;
  #isLinked = false;

  constructor(main: HTMLElement, page: Page) {
    this.#page = page;
    this.#main = main;
    this.#summary = main.querySelector("#summary");
    this.#views = [SUMMARY, ...VIEWS.filter((view) => view.isAvailable(page))];
    this.#addAbsences();
    const state = this.#state;
    const notice = h("p", { class: "notice", role: "status", hidden: true });
    bindAddress(state, (text) => {
      notice.textContent = text;
      notice.hidden = text === null;
      this.#correct();
    });
    const list = tabs("Views", this.#views, state.tab, this.#panel);
    const filters = filterBar(page, state, this.#views);
    const context: ViewContext = { page, state, navigate: (selection, view) => this.#navigate(selection, view) };
    const selection = selectionPanel(context, this.#views);
    keepFocus(this.#panel);
    this.#toolbar();
    main.before(h("nav", { class: "tab-bar" }, h("div", { class: "tab-scroll" }, list), filters));
    main.replaceChildren(notice, h("div", { class: "layout" }, this.#panel, selection));
    effect(() => void (document.documentElement.dataset["scheme"] = state.scheme.value));
    setStyle(document.documentElement, Object.fromEntries(hueProperties()));
    let settle = () => {};
    this.settled = new Promise((resolve) => settle = resolve);
    effect(() => {
      const view = this.#views.find((one) => one.id === state.tab.value) ?? SUMMARY;
      const id = tabElementId(list, this.#views, view.id);
      if (id) this.#panel.setAttribute("aria-labelledby", id);
      main.dataset["view"] = view.id;
      // The summary scrolls as a whole, and keys do that where the focus is.
      setAttribute(main, "tabindex", view === SUMMARY ? 0 : null);
      untracked(() => void this.#show(view, context).then(settle));
    });
    new ResizeObserver(() => this.#mounted?.resized?.()).observe(this.#panel);
  }

  /** At the end of the summary: what is not in the page, and why. */
  #addAbsences(): void {
    const absent = absentViews(this.#page, VIEWS);
    if (absent.length === 0) return;
    this.#summary?.append(
      h(
        "section",
        { class: "absent", "aria-label": "Not in this page" },
        h("h2", { class: "part" }, "Not in this page"),
        h("ul", null, absent.map(([title, why]) => h("li", null, h("strong", null, title), ": ", prose(why), "."))),
      ),
    );
  }

  /** Replaces values of the address that the document has nothing for. */
  #correct(): void {
    const { tab, run, selection } = this.#state;
    batch(() => {
      if (!this.#views.some((view) => view.id === tab.value)) tab.value = SUMMARY.id;
      if (run.value >= this.#page.runs.length) run.value = 0;
      if (selection.value && selection.value.run >= this.#page.runs.length) selection.value = null;
    });
  }

  #navigate(selection: Selection | null, view?: string): void {
    batch(() => {
      this.#state.selection.value = selection;
      if (selection) this.#state.run.value = selection.run;
      if (view !== undefined && this.#views.some((one) => one.id === view)) this.#state.tab.value = view;
    });
  }

  async #show(view: View, context: ViewContext): Promise<void> {
    const turn = ++this.#shown;
    this.#leave();
    if (view === SUMMARY) {
      this.#panel.replaceChildren(this.#summary ?? h("p", null, "The document has no summary."));
      // What the links are of takes time to load, which is that of the summary alone.
      if (this.#summary && !this.#isLinked) {
        linkSummary(
          this.#summary,
          context,
          new Set(this.#views.map((one) => one.id)),
        );
      }
      this.#isLinked = true;
      // The view before may not have been shown yet, and no longer will be.
      this.#main.setAttribute("aria-busy", "false");
      return;
    }
    const tables: readonly TableName[] = view.tables ?? [];
    this.#main.setAttribute("aria-busy", "true");
    try {
      const columns = view.columns ?? [];
      await Promise.all(
        this.#page.runs.flatMap((run) => [run.load(...tables), ...columns.map((name) => run.column(name))]),
      );
      await view.prepare?.(this.#page);
      if (turn !== this.#shown) return;
      const [mounted, end] = scope(() => view.mount(context));
      this.#mounted = mounted;
      this.#end = end;
      this.#panel.replaceChildren(mounted.element);
      mounted.resized?.();
    } catch (error) {
      const notice = failure("This view cannot be shown", error);
      if (turn !== this.#shown) return;
      this.#panel.replaceChildren(notice);
    }
    if (turn === this.#shown) this.#main.setAttribute("aria-busy", "false");
  }

  #leave(): void {
    this.#mounted?.dispose?.();
    this.#end?.();
    this.#mounted = this.#end = null;
  }

  #toolbar(): void {
    const { state, runs } = { state: this.#state, runs: this.#page.runs };
    const bar = h("div", { class: "toolbar" });
    if (runs.length > 1) {
      const chosen = computed(() => String(state.run.value));
      const [first, ...others] = runs.map((run, index) => [String(index), run.label] as const);
      const select = menu(
        "Run",
        first![1],
        others,
        computed(() => chosen.value === "0" ? null : chosen.value),
        (value) => {
          batch(() => {
            state.run.value = Number(value ?? 0);
            state.selection.value = null;
          });
        },
      );
      // The summary is of all runs.
      effect(() => void (select.hidden = state.tab.value === SUMMARY.id));
      bar.append(select);
    }
    bar.append(foundLine(this.#page, state, this.#views), searchBox("Search", state.search));
    // The first click changes what is seen, whichever colours the system has.
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const next = isDark
      ? { auto: "light", light: "dark", dark: "auto" } as const
      : { auto: "dark", dark: "light", light: "auto" } as const;
    const names = { auto: "Colours of the system", light: "Light colours", dark: "Dark colours" };
    bar.append(
      button(
        h("span", { "aria-hidden": true, class: "scheme-icon" }),
        () => state.scheme.value = next[state.scheme.value],
        {
          class: "quiet scheme",
          "aria-label": () => names[state.scheme.value],
          title: () => names[state.scheme.value],
        },
      ),
    );
    const header = document.querySelector("header") ??
      document.body.insertBefore(h("header"), document.body.firstChild);
    header.append(bar);
  }
}
