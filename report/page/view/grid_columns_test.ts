import { equal } from "../data/testing.ts";
import { filledColumns, fittingColumns, leastWidth, trackOf, tracksText } from "./grid_columns.ts";

interface Row {
  readonly name: string;
  readonly time: number | null;
}

const ROWS: Row[] = [{ name: "linear", time: 1 }, { name: "layer_norm", time: 20 }];
const NAME = { title: "Kernel", width: 100, grow: 1, value: (row: Row) => row.name };
const TIME = { title: "Time", align: "end" as const, width: 90, value: (row: Row) => row.time };
const measure = (text: string): number => 10 * text.length;

Deno.test("Columns without any value are left out, but not the first one", () => {
  const columns = [{ ...NAME, value: () => "" }, TIME, { ...TIME, value: () => null }];
  equal(filledColumns<Row, (typeof columns)[number]>(columns, ROWS), columns.slice(0, 2));
});

Deno.test("Texts have what they need, numbers their width, and bars what is left", () => {
  equal(trackOf(NAME, ROWS, measure), { least: 136, most: 136, isName: true });
  equal(trackOf({ ...NAME, width: 50 }, ROWS, measure), { least: 70, most: 136, isName: true });
  equal(trackOf({ ...NAME, width: 50, title: "The name of a kernel" }, ROWS, measure).most, 236);
  equal(trackOf(TIME, ROWS, measure), { least: 90, most: 90 });
  equal(trackOf({ title: "Size", width: 80, grow: 1, value: TIME.value }, ROWS, measure), {
    least: 80,
    most: Infinity,
  });
});

Deno.test("Columns leave one by one until the others fit, and the one that orders rows stays", () => {
  const tracks = [100, 60, 50, 40].map((least) => ({ least, most: least }));
  equal(leastWidth(tracks), "calc(100px + 60px + 50px + 40px)");
  equal(fittingColumns(tracks, 250, [3, 2, 1], 0), [0, 1, 2, 3]);
  equal(fittingColumns(tracks, 249, [3, 2, 1], 0), [0, 1, 2]);
  equal(fittingColumns(tracks, 170, [3, 2, 1], 3), [0, 3]);
  // An id that no column has is at -1.
  equal(fittingColumns(tracks, 100, [-1, 3, 2, 1], 0), [0]);
  equal(fittingColumns(tracks, 10, [1], 0), [0, 2, 3]);
});

Deno.test("A name is cut before a column leaves a narrow window", () => {
  const tracks = [{ least: 200, most: 300, isName: true }, { least: 110, most: 110 }];
  equal(fittingColumns(tracks, 200, [1], 0), [0, 1]);
  equal(fittingColumns(tracks, 199, [1], 0), [0]);
  equal(tracksText(tracks), "minmax(min(200px, 45cqi), 300px) 110px minmax(0, 1fr)");
});

Deno.test("What no column takes is at the end", () => {
  equal(tracksText([{ least: 90, most: 90 }, { least: 70, most: 136 }]), "90px minmax(70px, 136px) minmax(0, 1fr)");
  equal(tracksText([{ least: 80, most: Infinity }]), "minmax(80px, 1fr)");
});
