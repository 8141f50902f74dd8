import { reportText } from "./report_text.ts";
import { equal } from "./testing.ts";

Deno.test("values are restored to their places by the key before them", () => {
  equal(
    reportText('{"a": \x01, "b": [\x01, {"a": \x01}, \x01], "c": {}}\x021\x01"x, \\"y\\": "\x01-2.5\x02null'),
    '{"a": 1, "b": [null, {"a": "x, \\"y\\": "}, -2.5], "c": {}}',
  );
});

Deno.test("a document without values, and one without keys, are restored", () => {
  equal(reportText('{"a": []}'), '{"a": []}');
  equal(reportText("[\x01, \x01]\n\x02true\x01false"), "[true, false]\n");
});
