/** Framework operators of a run: how often each was called, and its time on the host and on the device. */

import { forwardOfEvent, phaseOfEvent } from "./parts.ts";
import type { RunData } from "../data/tables.ts";
import { visitNested } from "./nesting.ts";

/** A framework operator, as one row for all of its calls in an iteration. Times are nanoseconds per iteration. */
export interface OperatorRow {
  readonly name: string;
  /** Null, as times on the host, where only the capture of a graph tells the operator, and of a part of the events. */
  readonly calls: number | null;
  /** On the host: without the operators that it calls, and with them. */
  readonly hostSelf: number | null;
  readonly hostTotal: number | null;
  /** Sums of the durations of device events: of those that it launches itself, and of all that are launched within it. */
  readonly deviceSelf: number;
  readonly deviceTotal: number;
  /** Device events that it launches itself. */
  readonly events: number;
  /** What its device events are of; each in the order of its time. */
  readonly categories: readonly string[];
  readonly phases: readonly string[];
  readonly streams: readonly string[];
  readonly forwards: readonly string[];
  readonly kernels: readonly OperatorKernel[];
  readonly text: string;
}

/** Device events of an operator with the same name and the same kernel. */
export interface OperatorKernel {
  readonly name: string;
  /** Id of the kernel in the report; null if the events belong to none. */
  readonly kernel: number | null;
  readonly events: number;
  readonly ns: number;
}

/** The name of the row of device events that no operator launches. */
export const NO_OPERATOR = "(no operator)";
/** Framework operators, in the order of the kinds of events. */
const OPERATOR_KIND = 3;

/** Iterations that rows are of: the representative one, or all selected ones if times are means. */
export function shownIterations(run: RunData): { indices: ReadonlySet<number>; divisor: number } {
  const selected = run.meta.iterations.map((one, index) => ({ ...one, index })).filter((one) => one.selected);
  const representative = selected.find((one) => one.name === run.report.trace?.representative);
  const chosen = representative ? [representative] : selected;
  return { indices: new Set(chosen.map((one) => one.index)), divisor: Math.max(1, chosen.length) };
}

class Sum {
  calls = 0;
  hostSelf = 0;
  hostTotal = 0;
  deviceSelf = 0;
  deviceTotal = 0;
  events = 0;
  readonly categories = new Map<string, number>();
  readonly phases = new Map<string, number>();
  readonly streams = new Map<string, number>();
  readonly forwards = new Map<string, number>();
  readonly kernels = new Map<string, { name: string; kernel: number | null; events: number; ns: number }>();
}

const add = (to: Map<string, number>, key: string | null | undefined, ns: number): void => {
  if (key) to.set(key, (to.get(key) ?? 0) + ns);
};

const byTime = (sums: Map<string, number>): string[] => [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name);

/** The operator that launched an event; of one that a graph launched, the operator of its kernel, which the capture tells. */
function operatorOfEvent(run: RunData, at: number): string {
  const { event, eventFacts, host, strings } = run, operator = eventFacts!.operator[at]!;
  if (operator >= 0) return strings.at(host!.name[operator]!);
  const captured = run.report.kernels[event!.kernel[at]!]?.operator;
  return captured && captured !== strings.at(event!.name[at]!) ? captured : NO_OPERATOR;
}

/**
 * The operators of a run, of which the tables of events and of the host must be loaded; null if the run lacks them. With
 * `keep`, those that launched one of the device events for which it is true, and only these events count.
 */
export function operatorRows(run: RunData, keep?: (event: number) => boolean): OperatorRow[] | null {
  const { event, eventFacts, host, hostFacts } = run;
  if (!event || !eventFacts || !host || !hostFacts) return null;
  const { indices, divisor } = shownIterations(run);
  const sums = new Map<string, Sum>();
  const sumOf = (name: string): Sum => {
    let sum = sums.get(name);
    if (!sum) sums.set(name, sum = new Sum());
    return sum;
  };
  const within = new Float64Array(host.length); // device time that an operator launches, later with those inside of it
  const isShown = (at: number): boolean => indices.has(eventFacts.iteration[at]!) && (!keep || keep(at));
  for (let i = 0; i < event.length; i++) {
    if (eventFacts.operator[i]! >= 0 && isShown(i)) within[eventFacts.operator[i]!]! += event.duration[i]!;
  }
  const around = new Int32Array(host.length).fill(-1); // the innermost operator around each event
  const open = new Int32Array(run.strings.length); // by name: operators that are around the event
  const isOperator = (at: number): boolean => host.kind[at] === OPERATOR_KIND;
  visitNested(hostFacts.parent, (at) => {
    const parent = hostFacts.parent[at]!;
    const outer = around[at] = parent < 0 || isOperator(parent) ? parent : around[parent]!;
    if (!isOperator(at)) return;
    // Total times have an operator that calls itself once.
    const isOutermost = open[host.name[at]!]!++ === 0;
    if (!indices.has(hostFacts.iteration[at]!)) return;
    const duration = host.duration[at]!;
    const sum = sumOf(run.strings.at(host.name[at]!));
    sum.calls++;
    sum.hostSelf += duration;
    if (isOutermost) sum.hostTotal += duration;
    if (outer >= 0) sumOf(run.strings.at(host.name[outer]!)).hostSelf -= duration;
  }, (at) => {
    if (!isOperator(at)) return;
    const isOutermost = --open[host.name[at]!]! === 0;
    if (within[at] === 0) return;
    if (isOutermost) sumOf(run.strings.at(host.name[at]!)).deviceTotal += within[at]!;
    if (around[at]! >= 0) within[around[at]!]! += within[at]!;
  });
  for (let i = 0; i < event.length; i++) {
    if (!isShown(i)) continue;
    const sum = sumOf(operatorOfEvent(run, i));
    addEvent(run, sum, i);
    if (eventFacts.operator[i]! < 0) sum.deviceTotal += event.duration[i]!;
  }
  return [...sums].filter(([, sum]) => !keep || sum.events > 0)
    .map(([name, sum]) => rowOf(name, sum, divisor, !keep && sum.calls > 0));
}

function addEvent(run: RunData, sum: Sum, at: number): void {
  const { event } = run;
  const duration = event!.duration[at]!;
  const kernel = run.report.kernels[event!.kernel[at]!] ?? null;
  sum.deviceSelf += duration;
  sum.events++;
  add(sum.categories, kernel?.category, duration);
  add(sum.phases, phaseOfEvent(run, at), duration);
  add(sum.forwards, forwardOfEvent(run, at), duration);
  add(sum.streams, run.meta.lanes[event!.lane[at]!]?.name, duration);
  const name = run.strings.at(event!.name[at]!), key = `${kernel?.id ?? ""}/${name}`;
  const entry = sum.kernels.get(key);
  if (entry) {
    entry.events++;
    entry.ns += duration;
  } else {
    sum.kernels.set(key, { name, kernel: kernel?.id ?? null, events: 1, ns: duration });
  }
}

function rowOf(name: string, sum: Sum, divisor: number, isHostKnown: boolean): OperatorRow {
  const kernels = [...sum.kernels.values()].sort((a, b) => b.ns - a.ns)
    .map((one) => ({ ...one, events: one.events / divisor, ns: one.ns / divisor }));
  return {
    name,
    calls: isHostKnown ? sum.calls / divisor : null,
    hostSelf: isHostKnown ? sum.hostSelf / divisor : null,
    hostTotal: isHostKnown ? sum.hostTotal / divisor : null,
    deviceSelf: sum.deviceSelf / divisor,
    deviceTotal: sum.deviceTotal / divisor,
    events: sum.events / divisor,
    categories: byTime(sum.categories),
    phases: byTime(sum.phases),
    streams: byTime(sum.streams),
    forwards: byTime(sum.forwards),
    kernels,
    text: [name, ...sum.categories.keys(), ...kernels.slice(0, 20).map((one) => one.name)].join(" ").toLowerCase(),
  };
}
