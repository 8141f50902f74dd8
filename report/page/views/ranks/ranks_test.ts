import type { ReportRank } from "../../contract/report.ts";
import { equal } from "../../data/testing.ts";
import { imbalanceOf, isStragglerKnown, partsOf, rangesText } from "./data.ts";

const rank = (of: Partial<ReportRank>): ReportRank => of as ReportRank;

Deno.test("the parts of a rank are its wall time", () => {
  const parts = partsOf(rank({
    wall_ns: 100,
    computation_ns: 50,
    exposed_communication_ns: 30,
    exposed_copies_ns: 5,
    exposed_wait_ns: 20,
  }));
  equal(parts.map((part) => [part.id, part.ns]), [
    ["computation", 50],
    ["waiting", 20],
    ["communication", 10],
    ["copies", 5],
    ["idle", 15],
  ]);
  equal(partsOf(rank({ wall_ns: null, computation_ns: 1, exposed_communication_ns: 1, exposed_copies_ns: 0 })), []);
  equal(
    partsOf(rank({ wall_ns: 9, computation_ns: null, exposed_communication_ns: null, exposed_copies_ns: null })),
    [],
  );
});

Deno.test("ranks are balanced if all compute as long", () => {
  equal(imbalanceOf([rank({ computation_ns: 5 }), rank({ computation_ns: 5 })]), 1);
  equal(imbalanceOf([rank({ computation_ns: 1 }), rank({ computation_ns: 3 })]), 1.5);
  equal(imbalanceOf([rank({ computation_ns: 1 }), rank({ computation_ns: null })]), null);
  equal(imbalanceOf([rank({ computation_ns: 1 })]), null);
});

Deno.test("numbers in a row are a range", () => {
  equal(rangesText([0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8");
  equal(rangesText([]), "");
});

Deno.test("whether a rank holds up others is not known of operations that nobody compares", () => {
  const problem = (name: string) => ({ name, count: 1, what: "" });
  equal(isStragglerKnown({ compared: 3, data_problems: [problem("no-launch")] }), true);
  equal(isStragglerKnown({ compared: 3, data_problems: [problem("point-to-point")] }), false);
  equal(isStragglerKnown({ compared: 0, data_problems: [] }), false);
});
