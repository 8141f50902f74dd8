import { equal } from "../../data/testing.ts";
import type { IterationMeta, LaneMeta, Section } from "../../contract/contract.ts";
import { Row } from "../../model/lanes.ts";
import { holds, spansOf } from "../../model/test_data.ts";
import { extentOf, HEIGHTS, layOutScene, rowAt, type SceneChoice, type Track, tracksOf } from "./scene.ts";

function rowOf(...events: [start: number, duration: number][]): Row {
  return new Row(spansOf(...events), null, () => 0);
}

function laneOf(section: Section, name: string): LaneMeta {
  return { section, name, kind: "", device: section === "execution" };
}

const CHOICE: SceneChoice = { closed: new Set(), folded: new Set(), over: null, opened: null, nameHeight: 0 };
const ITERATIONS: IterationMeta[] = [
  { name: "one", start_ns: 100, end_ns: 200, selected: true },
  { name: "two", start_ns: 300, end_ns: 450, selected: true },
];

function tracks(): Track[] {
  const lanes = [
    laneOf("execution", "stream 7"),
    laneOf("control", "thread 1"),
    laneOf("transfer", "copies"),
    laneOf("process", "steps"),
  ];
  return tracksOf(lanes, [[rowOf([110, 5], [310, 5])], [], [rowOf([120, 1])], []], [[], [
    rowOf([90, 100]),
    rowOf([95, 5]),
  ]], rowOf([0, 9]));
}

Deno.test("Lanes are in the order of their sections, without those that have no events", () => {
  const scene = layOutScene(tracks(), CHOICE);
  equal(scene.sections.map((section) => section.title), ["Control", "Execution", "Data transfer"]);
  equal(scene.lanes.map((lane) => lane.track.name), ["thread 1", "Idle, by cause", "stream 7", "copies"]);
});

Deno.test("No two rows are at one height", () => {
  const scene = layOutScene(tracks(), { ...CHOICE, over: ITERATIONS, nameHeight: 16 });
  const tops = scene.lanes.flatMap((lane) => lane.rows.map((row) => row.top));
  for (let i = 1; i < tops.length; ++i) holds((tops[i] ?? 0) >= (tops[i - 1] ?? 0) + HEIGHTS.row);
  holds((tops.at(-1) ?? 0) + HEIGHTS.row <= scene.height);
  for (const lane of scene.lanes) {
    for (const row of lane.rows) equal(rowAt(scene, row.top + 3)?.row, row);
  }
});

Deno.test("A folded lane has its first row, a closed section no lanes", () => {
  const folded = layOutScene(tracks(), { ...CHOICE, folded: new Set(["host1", "event0"]) });
  equal(folded.lanes.map((lane) => [lane.rows.length, lane.folded]), [[1, true], [1, false], [1, false], [
    1,
    false,
  ]]);
  const closed = layOutScene(tracks(), { ...CHOICE, closed: new Set<Section>(["execution"]) });
  equal(closed.lanes.map((lane) => lane.track.name), ["thread 1", "copies"]);
});

Deno.test("Iterations over each other begin at one place, and have their own events only", () => {
  const scene = layOutScene(tracks(), { ...CHOICE, over: ITERATIONS });
  const streams = scene.lanes.filter((lane) => lane.track.name === "stream 7");
  equal(streams.map((lane) => [lane.iteration, lane.isFirst]), [["one", true], ["two", false]]);
  equal(streams.map(({ rows }) => [rows[0]?.offset, rows[0]?.from, rows[0]?.to]), [[100, 100, 200], [
    300,
    300,
    450,
  ]]);
  equal(extentOf(tracks(), ITERATIONS), [0, 150]);
});

Deno.test("The nodes of the kernel that is opened are a row below the lane of its event", () => {
  const scene = layOutScene(tracks(), { ...CHOICE, opened: { key: "event0", row: rowOf([110, 2], [112, 3]) } });
  equal(scene.lanes.map((lane) => lane.rows.map((row) => row.content)), [["host", "host"], ["idle"], [
    "event",
    "node",
  ], ["event"]]);
});

Deno.test("The extent has all events, and some length also without", () => {
  equal(extentOf(tracks(), null), [0, 315]);
  equal(extentOf([], null), [0, 1]);
  equal(extentOf(tracksOf([laneOf("execution", "")], [[rowOf([7, 0])]], [], null), null), [6, 8]);
  equal(layOutScene([], CHOICE), { sections: [], lanes: [], height: 0 });
});
