/** What is known of the selected event, what a range of time sums up to, and what the pointer is over. */
import type { Kernel } from "../../contract/report.ts";
import { EVENT_CLASSES } from "../../data/tables.ts";
import { CAUSES, causeText } from "../../model/causes.ts";
import { hueOf, hueOfCause } from "../../draw/colours.ts";
import { absoluteNs } from "../../draw/time_axis.ts";
import type { RangeSums } from "../../model/range_sums.ts";
import { facts, link } from "../../view/controls.ts";
import { type Child, h } from "../../view/elements.ts";
import { hueColour, swatch } from "../../view/marks.ts";
import { formatCount, formatShare, formatTime, shareText, timeText, valued } from "../../view/number.ts";
import { otherTimeName, uncausedTimeName } from "../../view/restricted.ts";
import type { Target } from "./painter.ts";
import { EVENT_KINDS, type KernelNode, ownName, printable, type TimelineData } from "./timeline_data.ts";

/** What details can show elsewhere. */
export interface DetailActions {
  showKernel(kernel: Kernel): void;
  showEvent(target: Target): void;
}

/** What a screen reader says of the event that has the focus: its name, its value and its place. */
export function spokenText(data: TimelineData, target: Target, position: number, count: number): string {
  const { name } = data.trackOf(target) ?? { name: "" };
  const start = timeText(data.startOf(target));
  return `${data.labelOf(target)}, ${timeText(data.durationOf(target))}, at ${start}, event ${
    position + 1
  } of ${count} in ${name}`;
}

/** What else is known of a piece of idle time; 0 until the column is there, which is loaded when it is first asked for. */
function noteOf({ run }: TimelineData, piece: number): number {
  const notes = run.loaded("idle.note");
  if (!notes) void run.column("idle.note");
  return notes?.[piece] ?? 0;
}

/** The text beside the pointer. */
export function hoverContent(data: TimelineData, target: Target): Child {
  const kernel = target.content === "event" ? data.kernelOf(target.event) : undefined;
  const name = data.nameOf(target);
  const label = data.labelOf(target);
  return [
    h(
      "div",
      { class: "timeline-tip-title" },
      swatch(hueColour(hueOfTarget(data, target)), target.content === "idle"),
      target.content === "idle" ? `idle: ${label}` : label,
    ),
    target.content === "idle" &&
    h("div", { class: "soft" }, causeText(name, noteOf(data, target.event))),
    target.content === "node"
      ? h("div", null, `one of ${data.opened.peek()?.nodes.length} nodes of the kernel, without a time of its own`)
      : h("div", null, formatTime(data.durationOf(target)), " at ", timeText(data.startOf(target))),
    target.content === "node" &&
    h("div", { class: "soft" }, printable(data.opened.peek()?.nodes[target.event]?.scope ?? "")),
    kernel !== undefined && kernel.scope !== "" && h("div", { class: "soft" }, printable(kernel.scope)),
    target.content !== "node" && name !== label &&
    h("div", { class: "soft" }, name.length > 120 ? `${name.slice(0, 120)}…` : name),
  ];
}

function hueOfTarget(data: TimelineData, { content, event }: Target): string {
  if (content === "node") return hueOfTarget(data, { content: "event", event: data.opened.peek()?.event ?? -1 });
  if (content === "event") return hueOf(data.categories[data.categoryOf(event) ?? -1] ?? "");
  return content === "idle" ? hueOfCause(data.run.meta.causes[data.run.idle?.cause[event] ?? -1] ?? "") : "host";
}

/** All that is known of an event. */
export function detailsOf(data: TimelineData, target: Target, actions: DetailActions): HTMLElement {
  const kernel = target.content === "event" ? data.kernelOf(target.event) : undefined;
  return h(
    "div",
    { class: "timeline-details" },
    h(
      "div",
      null,
      h("h2", null, swatch(hueColour(hueOfTarget(data, target)), target.content === "idle"), data.labelOf(target)),
      facts(factsOf(data, target, kernel, actions)),
    ),
    kernel !== undefined && kernel.nodes.length > 0 &&
      nodeList(
        kernel,
        data.nodesOf(kernel),
        data.opened.value?.event === target.event,
        () => data.toggle(target.event),
      ),
  );
}

function factsOf(
  data: TimelineData,
  target: Target,
  kernel: Kernel | undefined,
  actions: DetailActions,
): [string, Child][] {
  const { run } = data;
  const { content, event } = target;
  const start = data.startOf(target);
  const table = content === "event" ? run.eventFacts : content === "host" ? run.hostFacts : undefined;
  const iteration = run.meta.iterations[table?.iteration[event] ?? -1];
  const lines: [string, Child][] = [
    ["duration", formatTime(data.durationOf(target))],
    ["starts at", formatTime(start)],
    ["in the trace", `${absoluteNs(run.meta.origin_ns, start)} ns`],
    ["lane", data.trackOf(target)?.name],
    ["iteration", iteration?.name],
  ];
  if (content === "host") {
    const launched = data.launchedBy(event);
    lines.push(["kind", EVENT_KINDS[run.host?.kind[event] ?? -1]], [
      "launches",
      launched.slice(0, 8).map((one) => eventLink(data, { content: "event", event: one }, actions)),
    ], ["", launched.length > 8 ? `and ${launched.length - 8} more` : null]);
  }
  if (content === "event") {
    const state = EVENT_CLASSES[run.eventFacts?.class[event] ?? -1] ?? "";
    const call = run.eventFacts?.call[event] ?? -1;
    const caller: Target = { content: "host", event: call };
    const operator: Target = { content: "host", event: run.eventFacts?.operator[event] ?? -1 };
    lines.push(
      ["state", state],
      ["category", data.categories[data.categoryOf(event) ?? -1]],
      ["kernel", kernel && link([printable(kernel.label), ` (${kernel.id})`], () => actions.showKernel(kernel))],
      ["rule", kernel?.rule],
      ["scope", kernel && printable(kernel.scope)],
      ["operator", data.has(operator) && eventLink(data, operator, actions)],
      ["launched by", data.has(caller) && eventLink(data, caller, actions)],
      ["from the launch's end", data.has(caller) && formatTime(start - data.endOf(caller))],
    );
  }
  lines.push(["name in the trace", h("span", { class: "timeline-symbol" }, data.nameOf(target))]);
  return lines.filter(([, value]) =>
    value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)
  );
}

function eventLink(data: TimelineData, target: Target, actions: DetailActions): Child {
  return link(data.labelOf(target), () => actions.showEvent(target));
}

/** The nodes that a kernel runs, also those that have no event of their own. */
function nodeList(kernel: Kernel, nodes: readonly KernelNode[], isOpen: boolean, toggle: () => void): HTMLElement {
  const title = nodes.length === 1 ? "1 node" : `${nodes.length} nodes in one kernel`;
  return h(
    "div",
    null,
    h("h2", null, title, link(isOpen ? "Hide in the lanes" : "Show in the lanes", toggle)),
    h(
      "ul",
      { class: "timeline-nodes", "aria-label": `Nodes of ${printable(kernel.label)}` },
      nodes.map(({ name, scope, operator, state }) => {
        return h(
          "li",
          null,
          h("data", { value: name, class: "timeline-node" }, ownName(printable(name), scope)),
          h("span", { class: "soft" }, [operator, state].filter((text) => text !== "").join(", ")),
          scope !== "" && h("span", { class: "timeline-scope" }, printable(scope)),
        );
      }),
    ),
  );
}

/** What happens in a range of time. */
export function sumsContent(data: TimelineData, sums: RangeSums): Child {
  const length = sums.to - sums.from;
  const share = (ns: number): Child => length > 0 && h("span", { class: "soft" }, ` ${shareText(ns / length)}`);
  const line = (hue: string, isIdle: boolean, name: string, ns: number): Child =>
    h(
      "div",
      { class: "timeline-sum", title: isIdle ? CAUSES[name] : undefined },
      swatch(hueColour(hue), isIdle),
      h("span", null, name),
      h("span", null, formatTime(ns), share(ns)),
    );
  const byTime = (values: Float64Array): number[] =>
    [...values.keys()].filter((i) => (values[i] ?? 0) > 0).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0));
  const categories = byTime(sums.byGroup).map((group) => {
    const category = data.categories[group] ?? "";
    return line(hueOf(category), false, category, sums.byGroup[group] ?? 0);
  });
  const causes = byTime(sums.idleByCause).map((index) => {
    const cause = data.run.meta.causes[index] ?? "";
    return line(hueOfCause(cause), true, cause, sums.idleByCause[index] ?? 0);
  });
  if (sums.unknownNs !== 0) {
    causes.push(line("other", true, uncausedTimeName(data.run.meta, data.causes.length > 0), sums.unknownNs));
  }
  if (sums.otherNs !== 0) causes.push(line("other", true, otherTimeName(data.run.meta), sums.otherNs));
  const part = (title: string, lines: Child[]): Child =>
    lines.length > 0 && h("div", null, h("h3", null, title), lines);
  return [
    facts([
      ["range", [formatTime(length), h("span", { class: "soft" }, " from ", formatTime(sums.from))]],
      ["device busy", [formatTime(sums.busyNs), share(sums.busyNs)]],
      ["events", formatCount(sums.events)],
    ]),
    h(
      "div",
      { class: "timeline-sums" },
      part("device time by category", categories),
      part("idle time by cause", causes),
    ),
  ];
}

/** A range of time with its length, and its part of all. */
export function rangeContent(from: number, to: number, all: number): Child {
  return [
    valued(from, timeText(from)),
    " to ",
    valued(to, timeText(to)),
    ": ",
    formatTime(to - from),
    ", ",
    formatShare((to - from) / all),
  ];
}
