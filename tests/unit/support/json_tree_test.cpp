#include "support/json_tree.h"

#include <doctest/doctest.h>

#include <string>

using namespace amdahlc;

namespace {

std::string nested(size_t count) { return std::string(count, '[') + std::string(count, ']'); }

}  // namespace

TEST_CASE("a tree has the values that the library's own parser reads") {
  for (const std::string text : {"null", "[]", "{}", "-1", "18446744073709551615", R"("\u00e9\n")",
                                 R"([1, 2.5e3, true, [null, {"a": {}}], "x"])",
                                 R"({"a": [1, {"b": [], "c": {"d": 1}}], "e": {"a": {}, "a": [2]}, "a": 3})"}) {
    CAPTURE(text);
    const JsonTree tree = parseJsonTree(text, 10);
    REQUIRE(tree.value);
    CHECK(*tree.value == nlohmann::json::parse(text));
  }
}

TEST_CASE("values of skipped keys are left out, whatever they hold") {
  const auto isSkipped = [](size_t depth, std::string_view key) { return depth == 1 && key == "a"; };
  const auto read = [&](const char* text) { return parseJsonTree(text, 10, isSkipped).value; };
  CHECK(read(R"({"a": 1, "b": 2})") == nlohmann::json{{"b", 2}});
  CHECK(read(R"({"b": 2, "a": {"a": [{}, {"b": 1}], "b": []}})") == nlohmann::json{{"b", 2}});
  CHECK(read(R"({"a": [[], [1]], "b": {"a": 1}})") == nlohmann::json{{"b", {{"a", 1}}}});
  CHECK(read(R"([{"a": 1}])") == nlohmann::json::array({{{"a", 1}}}));
}

TEST_CASE("elements of the outermost array are handed on one by one, and not kept") {
  nlohmann::json elements = nlohmann::json::array();
  const auto visit = [&](nlohmann::json element) { elements.push_back(std::move(element)); };
  const std::string text = R"([1, {"a": [2, []]}, [], [[3]], "x"])";
  CHECK(parseJsonTree(text, 10, nullptr, visit).value == nlohmann::json::array());
  CHECK(elements == nlohmann::json::parse(R"([1, {"a": null}, [], [], "x"])"));
  elements.clear();
  CHECK(parseJsonTree(R"({"a": [1]})", 10, nullptr, visit).value == nlohmann::json{{"a", {1}}});
  CHECK(elements.empty());
}

TEST_CASE("nesting is limited, inside skipped values as well") {
  CHECK(parseJsonTree(nested(5), 5).value);
  const JsonTree deeper = parseJsonTree(nested(6), 5);
  CHECK(!deeper.value);
  CHECK(deeper.fault == JsonFault::Nesting);
  CHECK(parseJsonTree(nested(1'000'000), 5).fault == JsonFault::Nesting);
  const auto all = [](size_t, std::string_view) { return true; };
  CHECK(parseJsonTree("{\"a\":" + nested(4) + "}", 5, all).value);
  CHECK(parseJsonTree("{\"a\":" + nested(5) + "}", 5, all).fault == JsonFault::Nesting);
}

TEST_CASE("a fault has the number of its byte") {
  const auto faultAt = [](const char* text) {
    const JsonTree tree = parseJsonTree(text, 5);
    CHECK(!tree.value);
    CHECK(tree.fault == JsonFault::Syntax);
    return tree.at;
  };
  CHECK(faultAt("") == 1);
  CHECK(faultAt("[1,") == 4);
  CHECK(faultAt("[1,]") == 4);
  CHECK(faultAt("{} {") == 4);
  CHECK(faultAt("[\"\xff\"]") == 3);
  CHECK(parseJsonTree("[1e999]", 5).fault == JsonFault::NumberRange);
}
