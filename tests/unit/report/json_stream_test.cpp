#include "report/json_stream.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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

TEST_CASE("values without a tree have the text of those of a tree") {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  const std::string longText(10'000, 'x');
  const Json whole = {nullptr, true, false, kLeast, kMost, 0.1, 1e300, 2.0, nullptr, "a\n\xff\"", longText, ""};
  std::string text;
  JsonStream out(text);
  out.beginArray();
  out.null();
  out.boolean(true);
  out.boolean(false);
  out.integer(kLeast);
  out.integer(kMost);
  out.number(0.1);
  out.number(1e300);
  out.number(2);
  out.number(std::numeric_limits<double>::quiet_NaN());
  out.text("a\n\xff\"");
  out.text(longText);
  out.text("");
  out.end();
  CHECK(text == whole.dump(1, ' ', false, Json::error_handler_t::replace));
}

TEST_CASE("an array on one line holds arrays") {
  const std::vector<std::vector<int64_t>> rows = {{1, 2}, {}, {3}};
  std::string text;
  JsonStream out(text);
  out.beginObject();
  out.key("rows");
  out.arrayOnLine(
      rows, [&](const std::vector<int64_t>& row) { out.arrayOnLine(row, [&](int64_t value) { out.integer(value); }); });
  out.end();
  CHECK(text == "{\n \"rows\": [[1,2],[],[3]]\n}");
}

TEST_CASE("a document of many pieces is complete when it ends") {
  Json whole = Json::array();
  std::string text;
  JsonStream out(text);
  out.beginArray();
  for (int64_t i = 0; i < 5'000; ++i) {
    whole.push_back({{"number", i}});
    out.beginObject();
    out.plainKey("num", "ber");
    out.integer(i);
    out.end();
  }
  out.end();
  CHECK(text == whole.dump(1));
}
