import { equal } from "../data/testing.ts";
import { otherTimeName, uncausedTimeName, whyNoSums } from "./restricted.ts";

Deno.test("where the page lacks events of selected iterations, no table sums them, and the rest of a range may be of them", () => {
  equal(whyNoSums({ restricted: null, has_selected: true }), null);
  equal(whyNoSums({ restricted: "it would be slow", has_selected: true }), null);
  equal(
    whyNoSums({ restricted: "it would be slow", has_selected: false }),
    "Sums over events are not shown, because it would be slow; `-emit='html<events-kib=N>'` makes room for more events.",
  );
  equal([true, false].map((hasCauses) => uncausedTimeName({ restricted: null }, hasCauses)), [
    "before the first or after the last event of an iteration",
    "cause not known",
  ]);
  equal(uncausedTimeName({ restricted: "it would be slow" }, true), "of causes or events that the page lacks");
  equal(otherTimeName({ restricted: null }), "outside of the selected iterations");
  equal(
    otherTimeName({ restricted: "it would be slow" }),
    "outside of the selected iterations, or of events that the page lacks",
  );
});
