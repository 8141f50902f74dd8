/** What the timeline shows of one run: lanes, texts, categories, sums, and what belongs to what. */
import { forwardOfEvent, phaseOfEvent } from "../../model/parts.ts";
import type { Kernel, ModelNode } from "../../contract/report.ts";
import type { Page, RunData } from "../../data/tables.ts";
import { makeRow, type Row, type Spans, stackLanes } from "../../model/lanes.ts";
import { matches, searchWords } from "../../model/sorting.ts";
import { placesByStart, type RangeColumns, rangeColumns } from "../../model/range_sums.ts";
import { signal } from "../../state/signals.ts";
import type { Filters, Selection } from "../../state/state.ts";
import type { PathPieces, Target } from "./painter.ts";
import { type Content, type Track, tracksOf } from "./scene.ts";

/** Kinds of events of the host, in the order of the column `host.kind`. */
export const EVENT_KINDS = [
  "kernel",
  "copy",
  "set",
  "operator",
  "runtime",
  "annotation",
  "device-annotation",
  "frame",
  "module-frame",
  "synchronization",
  "other",
] as const;

const MODULE_KIND = EVENT_KINDS.indexOf("module-frame");

/** Categories of events without a kernel, by the kind of their lane. */
const CATEGORY_OF_LANE: Readonly<Record<string, string>> = { copies: "copy", collectives: "communication" };

/** A kernel whose nodes are shown below its event. They have no times of their own, and share its time equally. */
export interface OpenKernel {
  readonly event: number;
  readonly nodes: readonly KernelNode[];
  readonly spans: Spans;
}

/** A node of a kernel, with what the run tells of it. */
export interface KernelNode {
  readonly name: string;
  readonly scope: string;
  readonly operator: string;
  /** As the report says, such as `absorbed`; empty if it does not. */
  readonly state: string;
}

/** A text without what only a program needs to read. */
export function printable(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\u0000-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, " ");
}

/** A kernel of a library without its parameters and what is before its name. */
export function shortName(name: string): string {
  const text = printable(name).replace(/^void /, "");
  const end = text.search(/[<(]/);
  const head = end > 0 ? text.slice(0, end) : text;
  return head.split("::").at(-1) || text;
}

/** The name of a node within its scope. */
export function ownName(name: string, scope: string): string {
  const own = scope !== "" && name.startsWith(scope) ? name.slice(scope.length).replace(/^[./]/, "") : name;
  return own === "" ? name : own;
}

/** The selected iterations in order of start. */
function selectedIterations({ meta }: RunData): Spans {
  const selected = meta.iterations.filter((one) => one.selected).sort((a, b) => a.start_ns - b.start_ns);
  return {
    start: Float64Array.from(selected, (one) => one.start_ns),
    duration: Float64Array.from(selected, (one) => one.end_ns - one.start_ns),
  };
}

/** Everything that the timeline needs of a run. It does not change. */
export class TimelineData {
  readonly run: RunData;
  readonly tracks: readonly Track[];
  /** Categories of device events, the one with the most time first. */
  readonly categories: readonly string[];
  /** For each device event a place in `categories`. */
  readonly categoryOf: Uint16Array;
  readonly sums: RangeColumns | null;
  readonly path: PathPieces | null;
  /** Causes of idle time that the run has. */
  readonly causes: readonly number[];
  /** The kernel that is opened. */
  readonly opened = signal<OpenKernel | null>(null);
  readonly #trackOf = new Map<string, Track>();
  readonly #depths: Readonly<Record<"event" | "host", Uint16Array>>;
  readonly #nodes = new Map<string, ModelNode>();
  readonly #kernels: readonly Kernel[];
  #launched: ReadonlyMap<number, readonly number[]> | null = null;

  constructor(page: Page, run: RunData) {
    this.run = run;
    this.#kernels = run.report.kernels;
    const { event, host, idle } = run;
    const lanes = run.meta.lanes;
    const eventRows = event === undefined ? [] : stackLanes(event, event.lane, lanes.length);
    const hostRows = host === undefined ? [] : stackLanes(host, host.lane, lanes.length);
    const idleRow = idle === undefined || idle.length === 0 ? null : makeRow(idle, placesByStart(idle));
    this.tracks = tracksOf(lanes, eventRows, hostRows, idleRow);
    for (const track of this.tracks) this.#trackOf.set(track.key, track);
    this.#depths = { event: depthsOf(eventRows, event?.length ?? 0), host: depthsOf(hostRows, host?.length ?? 0) };
    [this.categories, this.categoryOf] = this.#categorize();
    this.causes = idle === undefined ? [] : [...new Set(idle.cause)].sort((a, b) => a - b);
    this.sums = event === undefined ? null : rangeColumns({
      events: event,
      groupOf: (index) => this.categoryOf[index] ?? 0,
      groups: this.categories.length,
      idle,
      selected: selectedIterations(run),
      causes: run.meta.causes.length,
    });
    this.path = this.#pathPieces();
    for (const node of (run.report.model ?? page.report.model).nodes) this.#nodes.set(node.name, node);
  }

  #categorize(): [string[], Uint16Array] {
    const { event, meta } = this.run;
    const count = event?.length ?? 0;
    const places = new Map<string, number>();
    const times: number[] = [];
    const first = new Uint16Array(count);
    for (let index = 0; index < count; ++index) {
      const lane = meta.lanes[event?.lane[index] ?? 0];
      const category = this.kernelOf(index)?.category ?? CATEGORY_OF_LANE[lane?.kind ?? ""] ?? "other";
      let place = places.get(category);
      if (place === undefined) places.set(category, place = places.size);
      times[place] = (times[place] ?? 0) + Math.max(0, event?.duration[index] ?? 0);
      first[index] = place;
    }
    const names = [...places.keys()];
    const order = names.map((_, place) => place).sort((a, b) => (times[b] ?? 0) - (times[a] ?? 0) || a - b);
    const rank = new Uint16Array(order.length);
    order.forEach((place, at) => rank[place] = at);
    return [order.map((place) => names[place] ?? ""), first.map((place) => rank[place] ?? 0)];
  }

  #pathPieces(): PathPieces | null {
    const { path } = this.run;
    if (path === undefined || path.length === 0) return null;
    const placeOf = (piece: number): Target | undefined => {
      const event = path.event[piece] ?? -1;
      if (event >= 0) return { content: "event", event };
      const host = path.host[piece] ?? -1;
      return host >= 0 ? { content: "host", event: host } : undefined;
    };
    return { start: path.start, duration: path.duration, placeOf };
  }

  /** The kernel of a device event. */
  kernelOf(event: number): Kernel | undefined {
    return this.#kernels[this.run.event?.kernel[event] ?? -1];
  }

  #spansOf(content: Content): Spans | undefined {
    return content === "node" ? this.opened.peek()?.spans : this.run[content];
  }

  /** Opens the kernel of a device event into its nodes, or closes it. Does nothing for an event without a kernel. */
  toggle(event: number): void {
    const kernel = this.kernelOf(event);
    if (this.opened.peek()?.event === event || kernel === undefined) {
      this.opened.value = null;
      return;
    }
    const nodes = this.nodesOf(kernel);
    const from = this.startOf({ content: "event", event });
    const length = Math.max(0, this.durationOf({ content: "event", event }));
    const border = (node: number): number => from + Math.round((length * node) / nodes.length);
    const start = Float64Array.from(nodes, (_, node) => border(node));
    this.opened.value = { event, nodes, spans: { start, duration: start.map((ns, node) => border(node + 1) - ns) } };
  }

  /** The name in the trace; of a node, that in the model. */
  nameOf({ content, event }: Target): string {
    const { run } = this;
    if (content === "idle") return run.meta.causes[run.idle?.cause[event] ?? -1] ?? "unknown";
    if (content === "node") return printable(this.opened.peek()?.nodes[event]?.name ?? "");
    return printable(run.strings.at((content === "event" ? run.event : run.host)?.name[event] ?? -1));
  }

  /** The label of the kernel of a device event, else a short form of its name. */
  labelOf(target: Target): string {
    const kernel = target.content === "event" ? this.kernelOf(target.event) : undefined;
    if (kernel !== undefined) return printable(kernel.label);
    const name = this.nameOf(target);
    if (target.content === "node") return ownName(name, this.opened.peek()?.nodes[target.event]?.scope ?? "");
    if (target.content === "event") return shortName(name);
    // The lane says that these are modules; the rest of the name is what tells them apart.
    return target.content === "host" && this.run.host?.kind[target.event] === MODULE_KIND
      ? name.slice(name.indexOf(": ") + 1).trimStart()
      : name;
  }

  startOf({ content, event }: Target): number {
    return this.#spansOf(content)?.start[event] ?? 0;
  }

  /** As the trace says; may be negative. */
  durationOf({ content, event }: Target): number {
    return this.#spansOf(content)?.duration[event] ?? 0;
  }

  endOf(target: Target): number {
    return this.startOf(target) + Math.max(0, this.durationOf(target));
  }

  /** Whether the run has such an event. */
  has({ content, event }: Target): boolean {
    return event >= 0 && event < (this.#spansOf(content)?.start.length ?? 0);
  }

  trackOf({ content, event }: Target): Track | undefined {
    if (content === "node") return this.trackOf({ content: "event", event: this.opened.peek()?.event ?? -1 });
    return this.#trackOf.get(content === "idle" ? "idle" : `${content}${this.run[content]?.lane[event] ?? -1}`);
  }

  depthOf({ content, event }: Target): number {
    if (content === "node") return this.trackOf({ content, event })?.rows.length ?? 0;
    return content === "idle" ? 0 : (this.#depths[content][event] ?? 0);
  }

  /** The nodes of a kernel, its anchor first. */
  nodesOf(kernel: Kernel): KernelNode[] {
    return kernel.nodes.map((name) => {
      const node = this.#nodes.get(name);
      const state = node === undefined ? null : this.run.report.nodes[node.index]?.state;
      return { name, scope: node?.scope ?? "", operator: node?.op_type ?? "", state: state ?? "" };
    });
  }

  /** Device events that an event of the host launched. */
  launchedBy(host: number): readonly number[] {
    if (this.#launched === null) {
      const launched = new Map<number, number[]>();
      this.run.event?.call.forEach((call, event) => {
        if (call < 0) return;
        const events = launched.get(call);
        if (events === undefined) launched.set(call, [event]);
        else events.push(event);
      });
      this.#launched = launched;
    }
    return this.#launched.get(host) ?? [];
  }

  /** Tells which events a search and filters let pass; null if all do. Filters are of device events alone. */
  passes(search: string, filters: Filters): ((content: Content, event: number) => boolean) | null {
    const words = searchWords(search);
    const { category, phase, forward, stream } = filters;
    if (words.length === 0 && category === null && phase === null && forward === null && stream === null) return null;
    const { run } = this;
    const found = new Uint8Array(run.strings.length);
    const foundKernels = new Uint8Array(this.#kernels.length);
    if (words.length > 0) {
      for (let i = 0; i < found.length; ++i) found[i] = matches(words, run.strings.at(i)) ? 1 : 0;
      this.#kernels.forEach(({ label, scope, nodes }, index) => {
        foundKernels[index] = matches(words, [label, scope, ...nodes].join(" ")) ? 1 : 0;
      });
    }
    return (content, event) => {
      if (content === "idle" || content === "node") return true;
      const name = run[content]?.name[event] ?? -1;
      if (
        words.length > 0 && found[name] !== 1 &&
        !(content === "event" && foundKernels[run.event?.kernel[event] ?? -1] === 1)
      ) return false;
      if (content === "host") return true;
      if (category !== null && this.categories[this.categoryOf[event] ?? -1] !== category) return false;
      if (phase !== null && phaseOfEvent(run, event) !== phase) return false;
      if (forward !== null && forwardOfEvent(run, event) !== forward) return false;
      return stream === null || run.meta.lanes[run.event?.lane[event] ?? -1]?.name === stream;
    };
  }

  /** Tells which device events belong to what is selected elsewhere; null for an event, which is outlined by itself. */
  belongsTo(selection: Selection | null): ((event: number) => boolean) | null {
    if (selection === null || selection.run !== this.run.index) return null;
    const { kind, id } = selection;
    const ofKernel = (test: (kernel: Kernel) => boolean): (event: number) => boolean => {
      const yes = this.#kernels.map(test);
      return (event) => yes[this.run.event?.kernel[event] ?? -1] ?? false;
    };
    if (kind === "kernel") return ofKernel((kernel) => kernel.id === id);
    if (kind === "rule") return ofKernel((kernel) => kernel.rule === id);
    if (kind === "operator") return ofKernel((kernel) => kernel.operator === id);
    if (kind === "scope") return ofKernel(({ scope }) => scope === id || scope.startsWith(`${id}.`));
    if (kind === "node") return ofKernel((kernel) => kernel.nodes.includes(String(id)));
    if (kind === "category") return (event) => this.categories[this.categoryOf[event] ?? -1] === id;
    if (kind === "stream") return (event) => this.run.meta.lanes[this.run.event?.lane[event] ?? -1]?.name === id;
    return null;
  }
}

function depthsOf(rows: readonly (readonly Row[])[], count: number): Uint16Array {
  const depths = new Uint16Array(count);
  for (const lane of rows) lane.forEach((row, depth) => row.events.forEach((event) => depths[event] = depth));
  return depths;
}

/** Rows of those events that pass a test, made when they are first asked for. */
export class FilteredRows {
  readonly #rows = new Map<Row, Row>();
  readonly #test: (content: Content, event: number) => boolean;

  constructor(test: (content: Content, event: number) => boolean) {
    this.#test = test;
  }

  of(row: Row, content: Content): Row {
    let filtered = this.#rows.get(row);
    if (filtered === undefined) {
      filtered = makeRow(row.spans, row.events.filter((event) => this.#test(content, event)));
      this.#rows.set(row, filtered);
    }
    return filtered;
  }
}
