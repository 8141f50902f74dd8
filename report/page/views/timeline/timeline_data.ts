/** What the timeline shows of one run: lanes, texts, categories, sums, and what belongs to what. */
import { forwardOfEvent, PART_COLUMNS, phaseOfEvent } from "../../model/parts.ts";
import { hueOf, HUES } from "../../draw/colours.ts";
import type { Kernel, ModelNode } from "../../contract/report.ts";
import type { Page, RunData } from "../../data/tables.ts";
import { PackedIntegers } from "../../data/packed_integers.ts";
import { type BaseOf, Row, type Spans, stackLanes } from "../../model/lanes.ts";
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

/** Bases of device events are places of hues. After those come kinds of events of the host, and causes of idle time. */
const HOST_BASE = HUES.length;
const CAUSE_BASE = HOST_BASE + EVENT_KINDS.length;

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
    start: PackedIntegers.of(...selected.map((one) => one.start_ns)),
    duration: Float64Array.from(selected, (one) => one.end_ns - one.start_ns),
  };
}

/** Everything that the timeline needs of a run. It does not change. */
export class TimelineData {
  readonly run: RunData;
  readonly tracks: readonly Track[];
  /** Categories of device events, the one with the most time first. */
  readonly categories: readonly string[];
  /** Whether what only details of events tell is loaded. */
  readonly hasFacts = signal(false);
  /** Whether phases and forwards of events are loaded. */
  readonly hasParts = signal(false);
  /** The path of the run, once it was loaded. */
  readonly path = signal<PathPieces | null>(null);
  /** Causes of idle time that the run has. */
  readonly causes: readonly number[];
  /** The kernel that is opened. */
  readonly opened = signal<OpenKernel | null>(null);
  readonly #trackOf = new Map<string, Track>();
  /** Places in `categories` by kernel, and by lane of events without one. */
  readonly #ofKernel: Uint16Array;
  readonly #ofLane: Uint16Array;
  /** Of device events. */
  readonly #baseOf: BaseOf;
  readonly #nodes = new Map<string, ModelNode>();
  readonly #kernels: readonly Kernel[];
  /** What `launchedBy` found last. */
  #launched: { readonly by: number; readonly events: readonly number[] } | null = null;
  #sums: RangeColumns | null = null;
  /** By number of the kernel, or of the name and what has it. */
  readonly #labels = new Map<number, string>();

  constructor(page: Page, run: RunData) {
    this.run = run;
    this.#kernels = run.report.kernels;
    const { event, host, idle } = run;
    const lanes = run.meta.lanes;
    [this.categories, this.#ofKernel, this.#ofLane] = this.#categorize();
    const hues = Uint8Array.from(this.categories, (category) => HUES.indexOf(hueOf(category)));
    this.#baseOf = (index) => hues[this.categoryOf(index) ?? 0] ?? 0;
    const eventRows = event === undefined ? [] : stackLanes(event, event.lane, lanes.length, this.#baseOf);
    const hostRows = host === undefined
      ? []
      : stackLanes(host, host.lane, lanes.length, (index) => HOST_BASE + host.kind[index]!);
    const idleRow = idle === undefined || idle.length === 0
      ? null
      : new Row(idle, placesByStart(idle), (piece) => CAUSE_BASE + idle.cause[piece]!);
    this.tracks = tracksOf(lanes, eventRows, hostRows, idleRow);
    for (const track of this.tracks) this.#trackOf.set(track.key, track);
    const hasCause = new Uint8Array(256);
    for (let piece = 0; piece < (idle?.length ?? 0); ++piece) hasCause[idle!.cause[piece]!] = 1;
    this.causes = [...hasCause.keys()].filter((cause) => hasCause[cause] === 1);
    for (const node of (run.report.model ?? page.report.model).nodes) this.#nodes.set(node.name, node);
  }

  #categorize(): [string[], Uint16Array, Uint16Array] {
    const { event, meta } = this.run;
    const places = new Map<string, number>();
    const placeOf = (category: string): number => {
      const place = places.get(category) ?? places.size;
      places.set(category, place);
      return place;
    };
    const ofKernel = Uint16Array.from(this.#kernels, ({ category }) => placeOf(category));
    const ofLane = Uint16Array.from(meta.lanes, ({ kind }) => placeOf(CATEGORY_OF_LANE[kind] ?? "other"));
    const times = new Float64Array(places.size);
    const first = new Float64Array(places.size).fill(Infinity);
    for (let index = 0; index < (event?.length ?? 0); ++index) {
      const place = ofKernel[event!.kernel[index]!] ?? ofLane[event!.lane[index]!]!;
      times[place]! += Math.max(0, event!.duration[index]!);
      if (first[place] === Infinity) first[place] = index;
    }
    const names = [...places.keys()];
    const order = [...names.keys()].filter((place) => first[place]! < Infinity)
      .sort((a, b) => times[b]! - times[a]! || first[a]! - first[b]!);
    const rank = new Uint16Array(names.length);
    order.forEach((place, at) => rank[place] = at);
    const ranked = (those: Uint16Array): Uint16Array => those.map((place) => rank[place]!);
    return [order.map((place) => names[place]!), ranked(ofKernel), ranked(ofLane)];
  }

  /** The place of a device event in `categories`; none for another number. */
  categoryOf(event: number): number | undefined {
    const table = this.run.event;
    return this.#ofKernel[table?.kernel[event] ?? -1] ?? this.#ofLane[table?.lane[event] ?? -1];
  }

  /** What sums over a range of time are made of; null without events. It is prepared when it is first asked for. */
  get sums(): RangeColumns | null {
    const { event, idle, meta } = this.run;
    if (event === undefined) return null;
    return this.#sums ??= rangeColumns({
      events: event,
      groupOf: (index) => this.categoryOf(index) ?? 0,
      groups: this.categories.length,
      idle,
      selected: selectedIterations(this.run),
      causes: meta.causes.length,
    });
  }

  /** Whether the run has a path. */
  get hasPath(): boolean {
    return this.run.has("path") && this.run.rowsOf("path") > 0;
  }

  /** Loads what only details of events tell. */
  async loadFacts(): Promise<void> {
    await this.run.load("eventFacts", "hostFacts");
    this.hasFacts.value = true;
  }

  /** Loads what filters need to know the parts of events. */
  async loadParts(): Promise<void> {
    await Promise.all(PART_COLUMNS.map((name) => this.run.column(name)));
    this.hasParts.value = true;
  }

  /** Loads the path. */
  async loadPath(): Promise<void> {
    await this.run.load("path");
    const { path } = this.run;
    if (path === undefined || this.path.peek() !== null) return;
    const placeOf = (piece: number): Target | undefined => {
      const event = path.event[piece] ?? -1;
      if (event >= 0) return { content: "event", event };
      const host = path.host[piece] ?? -1;
      return host >= 0 ? { content: "host", event: host } : undefined;
    };
    this.path.value = { start: path.start, duration: path.duration, placeOf };
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
    const start = new PackedIntegers(nodes.length, border);
    const duration = Float64Array.from(nodes, (_, node) => border(node + 1) - border(node));
    this.opened.value = { event, nodes, spans: { start, duration } };
  }

  /** The nodes of the kernel that is opened, as a row below the lane of the key. */
  openedRow(): { key: string; row: Row } | null {
    const opened = this.opened.value;
    const track = opened === null ? undefined : this.trackOf({ content: "event", event: opened.event });
    if (opened === null || track === undefined) return null;
    return { key: track.key, row: new Row(opened.spans, null, () => this.#baseOf(opened.event)) };
  }

  /** The name in the trace; of a node, that in the model. */
  nameOf({ content, event }: Target): string {
    const { run } = this;
    if (content === "idle") return run.meta.causes[run.idle?.cause[event] ?? -1] ?? "unknown";
    if (content === "node") return printable(this.opened.peek()?.nodes[event]?.name ?? "");
    return printable(run.strings.at((content === "event" ? run.event : run.host)?.name[event] ?? -1));
  }

  /** The label of the kernel of a device event, else a short form of its name. Each is made once, because frames ask for many. */
  labelOf(target: Target): string {
    const { content, event } = target;
    if (content === "idle" || content === "node" || !this.has(target)) return this.#newLabel(target);
    const isModule = content === "host" && this.run.host?.kind[event] === MODULE_KIND;
    const kernel = content === "event" ? this.run.event?.kernel[event] ?? -1 : -1;
    const user = content === "event" ? 0 : isModule ? 1 : 2;
    const key = kernel >= 0 ? -1 - kernel : 3 * (this.run[content]!.name[event]! + 1) + user;
    let label = this.#labels.get(key);
    if (label === undefined) this.#labels.set(key, label = this.#newLabel(target));
    return label;
  }

  #newLabel(target: Target): string {
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
    return this.#spansOf(content)?.start.at(event) ?? 0;
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

  /** The place of the row of an event in those of its track. */
  depthOf({ content, event }: Target): number {
    const rows = this.trackOf({ content, event })?.rows ?? [];
    if (content === "node") return rows.length;
    return Math.max(0, rows.findIndex((row) => row.positionOf(event) >= 0));
  }

  /** The nodes of a kernel, its anchor first. */
  nodesOf(kernel: Kernel): KernelNode[] {
    return kernel.nodes.map((name) => {
      const node = this.#nodes.get(name);
      const state = node === undefined ? null : this.run.report.nodes[node.index]?.state;
      return { name, scope: node?.scope ?? "", operator: node?.op_type ?? "", state: state ?? "" };
    });
  }

  /** Device events that an event of the host launched. None before the facts of events are loaded. */
  launchedBy(host: number): readonly number[] {
    if (this.#launched?.by === host) return this.#launched.events;
    const events: number[] = [];
    const call = this.run.eventFacts?.call;
    for (let event = 0; event < (call?.length ?? 0); ++event) if (call![event] === host) events.push(event);
    if (call !== undefined) this.#launched = { by: host, events };
    return events;
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
      if (category !== null && this.categories[this.categoryOf(event) ?? -1] !== category) return false;
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
    if (kind === "category") return (event) => this.categories[this.categoryOf(event) ?? -1] === id;
    if (kind === "stream") return (event) => this.run.meta.lanes[this.run.event?.lane[event] ?? -1]?.name === id;
    return null;
  }
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
      filtered = row.filter((event) => this.#test(content, event));
      this.#rows.set(row, filtered);
    }
    return filtered;
  }
}
