/** How well the events of a run were attributed to kernels, the captures that helped, and the critical path. */

import type { BindingQuality, Capture, CriticalPath } from "../../contract/report.ts";
import type { RunData } from "../../data/tables.ts";
import { type Child, h } from "../../view/elements.ts";
import { decimal, formatCount, formatShare, formatTime, valued } from "../../view/number.ts";
import { figures } from "../../view/sections.ts";

/** What is opened above the kernels; null if there is nothing to tell. */
export function attribution(run: RunData): HTMLElement | null {
  const { binding, captures, critical_path } = run.report;
  const told = [
    ...(critical_path ? [figures(pathFigures(critical_path))] : []),
    ...(binding ? [figures(bindingFigures(binding))] : []),
    ...(captures && captures.length > 0 ? [h("ul", null, captures.map(captureItem))] : []),
  ];
  if (told.length === 0) return null;
  const names = [
    critical_path ? "Critical path" : null,
    binding ? "attribution of events" : null,
    captures && captures.length > 0 ? "captured graphs" : null,
  ].filter((one) => one !== null).join(", ");
  return h("details", { class: "attribution" }, h("summary", null, names[0]!.toUpperCase(), names.slice(1)), told);
}

type Figure = readonly [name: string, value: Child];

function pathFigures(path: CriticalPath): Figure[] {
  return [
    ["Critical path of the kernels", formatTime(path.duration_ns)],
    ["Of busy time", formatShare(path.ratio)],
    ["Kernels on it", formatCount(path.kernels.length)],
    ["Other paths as long", path.ties === null ? "2^63 - 2 or more" : formatCount(path.ties)],
  ];
}

function bindingFigures(binding: BindingQuality): Figure[] {
  const share = (value: number | null) => value === null ? null : formatShare(value);
  const time = (ns: number) => ns === 0 ? null : formatTime(ns);
  return [
    ["The trace is of this model", binding.fits === null ? null : valued(binding.fits, binding.fits ? "yes" : "no")],
    ["Rules look at", binding.names_only ? "names alone: nothing was tested" : null],
    [
      "Runs of the model in an iteration",
      binding.forwards === null
        ? null
        : valued(binding.forwards, decimal(binding.forwards, Number.isInteger(binding.forwards) ? 0 : 2)),
    ],
    ["Calls inside the model that have a node", share(binding.calls_explained)],
    ["Work that must launch and did", share(binding.units_run)],
    ["Dimensions of weights seen in the trace", share(binding.weights_seen)],
    [
      "Evidence of a call",
      binding.bits_per_call === null ? null : valued(binding.bits_per_call, `${decimal(binding.bits_per_call, 1)} bit`),
    ],
    ["Device time bound", time(binding.bound_ns)],
    ["Ambiguous", time(binding.ambiguous_ns)],
    ["Of the runtime only", time(binding.runtime_only_ns)],
    ["Of other work", time(binding.foreign_ns)],
    ["Unknown", time(binding.unknown_ns)],
  ];
}

function captureItem(capture: Capture): HTMLElement {
  return h(
    "li",
    null,
    `${capture.name ? `Graph ${capture.name}` : "The graph"} of ${capture.file} was launched `,
    formatCount(capture.replays),
    capture.replays === 1 ? " time; " : " times; ",
    formatCount(capture.events),
    " device events have the operators of its ",
    formatCount(capture.launches),
    " captured launches.",
  );
}
