/** What the timeline shows where: sections, lanes and rows from top to bottom, before anything is drawn. */
import type { IterationMeta, LaneMeta, Section } from "../../contract/contract.ts";
import { endOf, type Row } from "../../model/lanes.ts";
import { largest } from "../../model/largest.ts";

/** Sections in the order in which they are shown, with their titles. */
export const SECTIONS: readonly { readonly id: Section; readonly title: string }[] = [
  { id: "process", title: "Process" },
  { id: "control", title: "Control" },
  { id: "execution", title: "Execution" },
  { id: "transfer", title: "Data transfer" },
];

/** Heights in pixels. */
export const HEIGHTS = { section: 30, row: 18, bar: 16, idle: 14, gap: 7 } as const;

/** What a row has: device events, host events, idle time of the device, or nodes of the kernel that is opened. */
export type Content = "event" | "host" | "idle" | "node";

/** Events of one lane, by depth. */
export interface Track {
  /** Stays the same while the page is open. */
  readonly key: string;
  readonly section: Section;
  readonly name: string;
  /** Of the lane, as the command names it. */
  readonly kind: string;
  readonly content: Content;
  readonly rows: readonly Row[];
}

/** A row of bars on the page. An event at `t` is drawn at the time `t - offset`, if it is from `from` to `to`. */
export interface SceneRow {
  readonly content: Content;
  readonly row: Row;
  readonly depth: number;
  readonly top: number;
  readonly offset: number;
  readonly from: number;
  readonly to: number;
}

/** A lane on the page; with iterations over each other, a lane of one iteration. */
export interface SceneLane {
  readonly track: Track;
  /** Beside the name of the track: of the iteration, or empty. */
  readonly iteration: string;
  /** Whether it is the first lane of its track. */
  readonly isFirst: boolean;
  readonly top: number;
  readonly height: number;
  readonly rows: readonly SceneRow[];
  readonly folded: boolean;
  /** Whether folding it would hide rows. */
  readonly foldable: boolean;
}

/** A title above lanes. */
export interface SceneSection {
  readonly id: Section;
  readonly title: string;
  readonly top: number;
  readonly closed: boolean;
  readonly lanes: number;
}

/** All lanes, from top to bottom. */
export interface Scene {
  readonly sections: readonly SceneSection[];
  readonly lanes: readonly SceneLane[];
  readonly height: number;
}

/** What the user chose of the scene. */
export interface SceneChoice {
  readonly closed: ReadonlySet<Section>;
  readonly folded: ReadonlySet<string>;
  /** Iterations that are laid over each other; null for one axis of time. */
  readonly over: readonly IterationMeta[] | null;
  /** The kernel that is opened: the key of its lane, and its nodes as a row below that lane. */
  readonly opened: { readonly key: string; readonly row: Row } | null;
  /** Height of a line for the name above each lane; 0 where names are beside lanes. */
  readonly nameHeight: number;
}

/** Lanes with more rows than this are folded at first. */
const ROWS_AT_FIRST = 8;

/** Keys of the tracks that are folded at first: high ones, and functions of Python. */
export function foldedAtFirst(tracks: readonly Track[]): ReadonlySet<string> {
  return new Set(
    tracks.filter(({ rows, kind }) => rows.length > ROWS_AT_FIRST || kind === "frames").map((track) => track.key),
  );
}

/** Kinds of lanes that a section tells nothing of. */
const NAMED_KINDS: ReadonlySet<string> = new Set([
  "annotations",
  "modules",
  "frames",
  "waits",
  "copies",
  "collectives",
]);

/** Tracks of the lanes that have events, and the one of idle time at the head of Execution. */
export function tracksOf(
  lanes: readonly LaneMeta[],
  eventRows: readonly (readonly Row[])[],
  hostRows: readonly (readonly Row[])[],
  idle: Row | null,
): Track[] {
  const tracks: Track[] = [];
  if (idle !== null) {
    tracks.push({
      key: "idle",
      section: "execution",
      name: "Idle, by cause",
      kind: "idle",
      content: "idle",
      rows: [idle],
    });
  }
  lanes.forEach((lane, index) => {
    const add = (content: Content, rows: readonly Row[] | undefined): void => {
      if (rows === undefined || rows.length === 0) return;
      // A thread or stream has a lane for each kind of its events.
      const name = NAMED_KINDS.has(lane.kind) ? `${lane.kind}, ${lane.name}` : lane.name;
      tracks.push({ key: `${content}${index}`, section: lane.section, name, kind: lane.kind, content, rows });
    };
    add("event", eventRows[index]);
    add("host", hostRows[index]);
  });
  return tracks;
}

/** Lays out tracks. */
export function layOutScene(tracks: readonly Track[], choice: SceneChoice): Scene {
  const sections: SceneSection[] = [];
  const lanes: SceneLane[] = [];
  let top = 0;
  for (const { id, title } of SECTIONS) {
    const inside = tracks.filter((track) => track.section === id);
    if (inside.length === 0) continue;
    const closed = choice.closed.has(id);
    sections.push({ id, title, top, closed, lanes: inside.length });
    top += HEIGHTS.section;
    if (closed) continue;
    for (const track of inside) {
      for (const [place, iteration] of (choice.over ?? [null]).entries()) {
        const lane = layOutLane(track, iteration, place === 0, top, choice);
        lanes.push(lane);
        top += lane.height;
      }
    }
    top += HEIGHTS.gap;
  }
  return { sections, lanes, height: top };
}

function layOutLane(
  track: Track,
  iteration: IterationMeta | null,
  isFirst: boolean,
  top: number,
  choice: SceneChoice,
): SceneLane {
  // The name of the track is above that of the first iteration.
  const nameHeight = Math.max(choice.nameHeight, iteration !== null && isFirst ? HEIGHTS.row : 0);
  const folded = choice.folded.has(track.key) && track.rows.length > 1;
  const shown: { content: Content; row: Row }[] = (folded ? track.rows.slice(0, 1) : track.rows).map((row) => ({
    content: track.content,
    row,
  }));
  if (choice.opened !== null && choice.opened.key === track.key && iteration === null) {
    shown.push({ content: "node", row: choice.opened.row });
  }
  const rowsTop = top + nameHeight + 2;
  const rows = shown.map(({ content, row }, depth) => ({
    content,
    row,
    depth,
    top: rowsTop + depth * HEIGHTS.row,
    offset: iteration?.start_ns ?? 0,
    from: iteration?.start_ns ?? -Infinity,
    to: iteration?.end_ns ?? Infinity,
  }));
  return {
    track,
    iteration: iteration?.name ?? "",
    isFirst,
    top,
    height: nameHeight + shown.length * HEIGHTS.row + HEIGHTS.gap,
    rows,
    folded,
    foldable: track.rows.length > 1,
  };
}

/** The lane at a height of the scene, if there is one. */
export function laneAt(scene: Scene, y: number): SceneLane | undefined {
  return scene.lanes.find((lane) => y >= lane.top && y < lane.top + lane.height);
}

/** The row at a height of the scene, if there is one. */
export function rowAt(scene: Scene, y: number): { readonly lane: SceneLane; readonly row: SceneRow } | undefined {
  const lane = laneAt(scene, y);
  const row = lane?.rows.find((candidate) => y >= candidate.top && y < candidate.top + HEIGHTS.row);
  return lane !== undefined && row !== undefined ? { lane, row } : undefined;
}

/** The first and last time at which something is drawn. */
export function extentOf(tracks: readonly Track[], over: readonly IterationMeta[] | null): readonly [number, number] {
  if (over !== null) return [0, Math.max(1, largest(over.map((iteration) => iteration.end_ns - iteration.start_ns)))];
  let from = Infinity;
  let to = -Infinity;
  for (const track of tracks) {
    for (const row of track.rows) {
      if (row.length === 0) continue;
      from = Math.min(from, row.spans.start.at(row.event(0)));
      to = Math.max(to, endOf(row.spans, row.event(row.length - 1)));
    }
  }
  return to > from ? [from, to] : from < Infinity ? [from - 1, from + 1] : [0, 1];
}
