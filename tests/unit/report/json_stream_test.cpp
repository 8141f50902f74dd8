#include "report/json_stream.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace amdahlc;
using Json = nlohmann::ordered_json;

TEST_CASE("a document in pieces has the text of the whole") {
  const Json rows = {{{"id", 1}, {"name", "a\nb \"c\""}}, {{"id", 2}, {"list", {1, 2}}}};
  const Json whole = {
      {"schema", "s"},          {"none", nullptr},           {"rows", rows},
      {"empty", Json::array()}, {"nothing", Json::object()}, {"inner", {{"rows", rows}, {"last", 0.5}}}};
  std::string text;
  JsonStream out(text);
  out.beginObject();
  out.member("schema", "s");
  out.member("none", nullptr);
  out.beginArray("rows");
  for (const Json& row : rows) out.value(row);
  out.end();
  out.beginArray("empty");
  out.end();
  out.beginObject("nothing");
  out.end();
  out.beginObject("inner");
  out.member("rows", rows);
  out.member("last", 0.5);
  out.end();
  out.end();
  CHECK(text == whole.dump(1));
}

TEST_CASE("a value on one line is read as the same value") {
  std::string text;
  JsonStream out(text);
  out.beginObject();
  out.beginArray("rows");
  out.line({{"id", 1}, {"name", "a\nb"}});
  out.line(Json::array());
  out.end();
  out.end();
  CHECK(text == "{\n \"rows\": [\n  {\"id\":1,\"name\":\"a\\nb\"},\n  []\n ]\n}");
}

TEST_CASE("invalid bytes of a name are replaced") {
  std::string text;
  JsonStream out(text);
  out.beginObject();
  out.member("a\xff", "\xfe");
  out.end();
  CHECK(text == "{\n \"a\uFFFD\": \"\uFFFD\"\n}");
}
