#include "report/page/json_by_key.h"

#include <doctest/doctest.h>

namespace amdahlc::page {
namespace {

TEST_CASE("page/json_by_key: values are put together by the key that is written last before them") {
  CHECK_EQ(jsonByKey(R"({"a": 1, "b": [null, {"a": "x, \"y\": "}, -2.5], "c": {}})"
                     "\n"),
           "{\"a\": \x01, \"b\": [\x01, {\"a\": \x01}, \x01], \"c\": {}}\n\x02"
           R"(1)"
           "\x01"
           R"("x, \"y\": ")"
           "\x01-2.5\x02null");
}

TEST_CASE("page/json_by_key: of a document without values its text stays, and one without keys has one list") {
  CHECK_EQ(jsonByKey("{\"a\": []}"), "{\"a\": []}");
  CHECK_EQ(jsonByKey("[true,false]"),
           "[\x01,\x01]\x02true\x01"
           "false");
  CHECK_EQ(jsonByKey("\"cut \\"), "\x01\x02\"cut \\");
}

}  // namespace
}  // namespace amdahlc::page
