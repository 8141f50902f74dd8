import { reportText } from "./report_text.ts";
import { equal } from "./testing.ts";

const textOf = (byKey: string): string => reportText(new TextEncoder().encode(byKey));

Deno.test("values are restored to their places by the key before them", () => {
  equal(
    textOf('{"a": \x01, "b": [\x01, {"a": \x01}, \x01], "c": {}}\x021\x01"x, \\"y\\": "\x01-2.5\x02null'),
    '{"a": 1, "b": [null, {"a": "x, \\"y\\": "}, -2.5], "c": {}}',
  );
});

Deno.test("an escaped quote does not end a key", () => {
  equal(textOf('{"a\\"": \x01, "é\\\\": \x01}\x021\x02"ü"'), '{"a\\"": 1, "é\\\\": "ü"}');
});

Deno.test("a document without values, and one without keys, are restored", () => {
  equal(textOf('{"a": []}'), '{"a": []}');
  equal(textOf("[\x01, \x01]\n\x02true\x01false"), "[true, false]\n");
  equal(textOf(""), "");
});
