import { equal } from "../../data/testing.ts";
import { pathRows } from "./data.ts";

Deno.test("pieces of the path have their shares of it, the longest first", () => {
  const rows = pathRows([{ kind: "host", name: "a", ns: 25 }, { kind: "device-work", name: null, ns: 75 }]);
  equal(rows.map((one) => [one.kind, one.share]), [["device-work", 0.75], ["host", 0.25]]);
  equal(pathRows([]), []);
});
