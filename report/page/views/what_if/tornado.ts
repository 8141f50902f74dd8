/** What each group would save by itself: the tornado of the command. */

import { limitOf, type PredictedTimes, type Replay } from "../../model/replay.ts";
import { onCleanup, signal } from "../../state/signals.ts";
import { type Child, h } from "../../view/elements.ts";
import { formatTime, shareText } from "../../view/number.ts";

/** Labels of the picture of the command, and what it leaves out as too small to be seen. */
const MOST_LABELS = 40, LEAST_SHARE = 0.001;

/** A row of the tornado. */
export interface Effect {
  text: string;
  twice: number; // the time of an iteration with the group twice as fast
  free: number; // and with the group taking no time
}

/** The groups that save something, what saves most first; of equal ones what saves more at twice the speed. */
export function effectsOf(
  replay: Pick<Replay, "offered" | "groups">,
  base: PredictedTimes,
  effects: readonly { twice: PredictedTimes; free: PredictedTimes }[],
): { shown: Effect[]; useless: string[] } {
  let labels = 0;
  const rows = effects.map(({ twice, free }, i) => {
    const { text, subject } = replay.offered[replay.groups[i]!]!;
    return { text, twice: limitOf(twice), free: limitOf(free), isLabel: subject === "kernels" };
  }).filter((one) => !one.isLabel || labels++ < MOST_LABELS).sort((a, b) => a.free - b.free || a.twice - b.twice);
  const now = limitOf(base);
  const shown: Effect[] = [], useless: string[] = [];
  for (const { text, ...row } of rows) {
    const twice = Math.min(row.twice, now), free = Math.min(row.free, twice);
    if (now - free < LEAST_SHARE * now) useless.push(text);
    else shown.push({ text, twice, free });
  }
  return { shown, useless };
}

/** The tornado, which is found when it is opened. */
export function tornadoPart(replay: Replay): HTMLElement {
  const content = signal<Child>(null);
  const search = { isStopped: false };
  onCleanup(() => search.isStopped = true);
  let isBegun = false;
  const begin = async () => {
    if (isBegun) return;
    isBegun = true;
    content.value = h("p", { class: "soft" }, "searching …");
    const effects = await replay.effects(search);
    if (effects) content.value = table(limitOf(replay.base), effectsOf(replay, replay.base, effects));
  };
  const details: HTMLDetailsElement = h(
    "details",
    { class: "tornado", ontoggle: () => details.open && void begin() },
    h("summary", null, "What each part would save by itself"),
    () => [content.value],
  );
  return details;
}

function table(now: number, { shown, useless }: { shown: Effect[]; useless: string[] }): Child {
  const bar = (className: string, ns: number) => {
    const one = h("span", { class: className });
    one.style.setProperty("width", `${100 * ns / now}%`);
    return one;
  };
  return [
    h("p", { class: "soft" }, "Of ", formatTime(now), ": saved at twice the speed, and if it takes no time."),
    h(
      "table",
      null,
      h(
        "thead",
        null,
        h("tr", null, ["Part", "Saved", "2x saves", "Free saves"].map((text) => h("th", { scope: "col" }, text))),
      ),
      h(
        "tbody",
        null,
        shown.map((one) =>
          h(
            "tr",
            null,
            h("th", { scope: "row", class: "mono" }, one.text),
            h(
              "td",
              { class: "bars", title: shareText((now - one.free) / now) },
              bar("twice", now - one.twice),
              bar("free", one.twice - one.free),
            ),
            h("td", { class: "number" }, formatTime(now - one.twice)),
            h("td", { class: "number" }, formatTime(now - one.free)),
          )
        ),
      ),
    ),
    useless.length > 0
      ? h(
        "p",
        { class: "soft" },
        `Less than 0.1 % is saved by a faster ${useless.slice(0, 8).join(", ")}${
          useless.length > 8 ? ` and ${useless.length - 8} more` : ""
        }.`,
      )
      : null,
  ];
}
