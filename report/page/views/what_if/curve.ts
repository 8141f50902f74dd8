/** The curve of one target: times against its speed-up, the knee, and what limits beyond it. */

import type { RunData } from "../../data/tables.ts";
import {
  CAUTION_TEXTS,
  type Curve,
  type Factor,
  limitOf,
  type OfferedChange,
  type Replay,
} from "../../model/replay.ts";
import { type Choice, speedUpOf, speedUpText } from "../../model/what_if.ts";
import { effect, onCleanup, type Readable, signal } from "../../state/signals.ts";
import { type Child, h, s } from "../../view/elements.ts";
import { timeText } from "../../view/number.ts";

/** The curve of the change that is looked at, beside the others that are chosen. It is found when nothing moves. */
export function curveFigure(
  run: RunData,
  replay: Replay,
  focused: Readable<OfferedChange | null>,
  choice: Readable<Choice>,
): HTMLElement {
  const found = signal<{ change: OfferedChange; curve: Curve } | null>(null);
  effect(() => {
    const change = focused.value, { chosen, keepsIdle } = choice.value;
    found.value = null;
    if (!change || !change.manners.includes("time") || change.subject === "wait" || keepsIdle) return;
    const search = { isStopped: false };
    const timer = setTimeout(async () => {
      const curve = await replay.curve(change.index, chosen, search);
      if (curve && !search.isStopped) found.value = { change, curve };
    }, 150);
    onCleanup(() => {
      search.isStopped = true;
      clearTimeout(timer);
    });
  });
  return h("figure", { class: "curve" }, () => {
    if (!found.value) return null;
    const { change, curve } = found.value;
    return drawn(run, replay, change, curve, choice.value);
  });
}

function drawn(run: RunData, replay: Replay, change: OfferedChange, curve: Curve, { chosen }: Choice): Child {
  const { points } = curve;
  const most = Math.max(...points.map((one) => limitOf(one.times)), 1);
  // New time / old time is the horizontal axis, so that no time at all is a place, too.
  const x = (factor: Factor) => 46 + 380 * (1 - 1 / speedUpOf(factor));
  const y = (ns: number) => 12 + 116 * (1 - ns / most);
  const at = (factor: Factor) =>
    limitOf(
      points.reduce((a, b) => Math.abs(x(b.factor) - x(factor)) < Math.abs(x(a.factor) - x(factor)) ? b : a).times,
    );
  const one = { numerator: 1n, denominator: 1n };
  const current = chosen.find((each) => each.index === change.index && each.manner === "time")?.factor ?? one;
  const now = replay.predict(chosen);
  const first = limitOf(points[0]!.times), last = limitOf(points.at(-1)!.times);
  const what = points[0]!.times.wall === null ? "Busy" : "Wall";
  return [
    h("figcaption", null, `${what} time against the speed-up of `, h("strong", null, change.text)),
    s(
      "svg",
      {
        viewBox: "0 0 440 152",
        role: "img",
        "aria-label": `${what} time against the speed-up of ${change.text}: from ${timeText(first)} to ${
          timeText(last)
        }${curve.knee ? `, with a knee at ${speedUpText(curve.knee)}` : ""}`,
      },
      s("line", { x1: 46, x2: 426, y1: 128, y2: 128, class: "axis" }),
      s("text", { x: 40, y: 20, "text-anchor": "end" }, timeText(most).replace(/(\.\d)\d+/, "$1").split(" ")[0] ?? ""),
      s("text", { x: 40, y: 132, "text-anchor": "end" }, "0"),
      [1, 2, 4, Infinity].map((tick) =>
        s(
          "text",
          { x: 46 + 380 * (1 - 1 / tick), y: 146, "text-anchor": "middle" },
          tick === Infinity ? "∞" : `${tick}x`,
        )
      ),
      s("polyline", {
        points: points.map((each) => `${x(each.factor).toFixed(1)},${y(limitOf(each.times)).toFixed(1)}`).join(" "),
        class: "line",
      }),
      curve.knee
        ? s("line", { x1: x(curve.knee), x2: x(curve.knee), y1: y(at(curve.knee)), y2: 128, class: "knee" })
        : null,
      "times" in now ? s("circle", { cx: x(current), cy: y(limitOf(now.times)), r: 4.5, class: "now" }) : null,
    ),
    h("p", { class: "soft curve-text", title: KNEE }, ...curveText(run, replay, curve)),
  ];
}

const KNEE = "Beyond the knee, more speed-up saves at most half as much as at first";

/** What a line of the command says of a curve. */
export function curveText(_run: RunData, replay: Replay, curve: Curve): string[] {
  const nameOf = (group: number) => replay.offered[replay.groups[group]!]?.text ?? "";
  const said: string[] = [];
  if (curve.knee) {
    said.push(
      `Knee at ${speedUpText(curve.knee)}, then ${
        curve.next === null ? "no group alone limits" : `${nameOf(curve.next)} limits`
      }. `,
    );
  } else if (curve.flat === null) {
    said.push("No knee. ");
  }
  if (curve.flat !== null) said.push(`A faster one saves next to nothing, because ${curve.flat}. `);
  if (curve.rest !== null && curve.rest !== curve.next && curve.flat === null) {
    said.push(`Without it ${nameOf(curve.rest)} limits most. `);
  }
  const caution = CAUTION_TEXTS[curve.caution];
  if (caution) said.push(`Caution: ${caution}. `);
  if (!curve.isComplete) said.push("Not all breaks were looked for, because the trace is large.");
  return said;
}
