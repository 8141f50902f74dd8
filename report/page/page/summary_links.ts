/** Ways from the summary, which the command writes, to the views that show more of what it names. */

import { loadReplays, replayOf } from "../model/replays.ts";
import { changesOfOption } from "../model/what_if.ts";
import { batch } from "../state/signals.ts";
import { link } from "../view/controls.ts";
import type { ViewContext } from "../view/view.ts";

/** Makes the names of kernels links to Kernels, and adds one to What-if to each advice that the page can try. `views` has the ids of the tabs. */
export function linkSummary(summary: HTMLElement, context: ViewContext, views: ReadonlySet<string>): void {
  for (const article of summary.querySelectorAll<HTMLElement>("article[data-run]")) {
    const run = Number(article.dataset["run"]);
    if (views.has("kernels")) linkKernels(article, run, context);
    if (views.has("what-if")) void linkAdvice(article, run, context);
  }
}

function linkKernels(article: HTMLElement, run: number, context: ViewContext): void {
  for (const row of article.querySelectorAll<HTMLElement>("tr[data-kernel]")) {
    const name = row.querySelector("th > code"), id = Number(row.dataset["kernel"]);
    const place = name?.parentElement;
    if (!name || !place) continue;
    place.prepend(link(name, () => context.navigate({ kind: "kernel", run, id }, "kernels")));
  }
}

async function linkAdvice(article: HTMLElement, run: number, { page, state }: ViewContext): Promise<void> {
  const advice = article.querySelectorAll<HTMLElement>("[data-option]");
  const data = page.runs[run];
  if (advice.length === 0 || !data) return;
  // Which changes the page offers is known when the replay is there; What-if itself says why it is not.
  article.setAttribute("aria-busy", "true");
  await loadReplays(page).catch(() => {});
  article.removeAttribute("aria-busy");
  const found = replayOf(data);
  if (!found || "problem" in found) return;
  for (const place of advice) {
    const changes = changesOfOption(place.dataset["option"]!, found.replay.offered);
    if (changes === null) continue;
    const open = () =>
      batch(() => {
        state.run.value = run;
        state.whatIf.value = changes;
        state.tab.value = "what-if";
      });
    place.append(" ", link("Try in What-if", open));
  }
}
