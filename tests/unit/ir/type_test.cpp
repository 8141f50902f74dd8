#include <doctest/doctest.h>

#include "ir/text/escape.h"
#include "ir/type.h"

using namespace amdahlc::ir;

namespace {

std::string reprint(std::string_view text) {
  const auto type = parseType(text);
  return type && text.empty() ? describe(*type) : "no type";
}

}  // namespace

TEST_CASE("types read as they print") {
  for (const char* text : {"float16[1,128,256]", "int64[batch,?]", "float32[*]", "float32[]", "seq<float32[*]>",
                           "opt<seq<int4[3]>>", "map<int64,string[]>", "sparse<float32[2,2]>", "opaque", "?",
                           "bfloat16[\"2 * seq\",\"_\",/a/b,\"/1\",\"a//b\"]", "undefined[*]", "float8e4m3fn[0]"}) {
    CHECK(reprint(text) == text);
  }
  CHECK(reprint("double[2]") == "float64[2]");
}

TEST_CASE("text that is not a type is not consumed") {
  for (std::string text : {"", "float31[2]", "float32", "float32[", "float32[1,]", "float32[-1]",
                           "float32[99999999999999999999]", "map<int64>", "seq<>", "sparse<seq<?>>", "float32[\"a]"}) {
    std::string_view rest = text;
    CHECK_FALSE(parseType(rest).has_value());
    CHECK(rest == text);
  }
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "seq<";
  CHECK(reprint(deep) == "no type");
}

TEST_CASE("element counts and byte sizes are exact or absent") {
  const auto sized = [](ElementType element, std::vector<int64_t> sizes) {
    std::vector<Dim> dims;
    for (const int64_t size : sizes) dims.push_back(Dim::of(size));
    return Type::tensor(element, dims);
  };
  CHECK(sized(ElementType::Float, {2, 3}).byteSize() == 24);
  CHECK(sized(ElementType::Float, {}).byteSize() == 4);
  CHECK(sized(ElementType::Int4, {3}).byteSize() == 2);
  CHECK(sized(ElementType::UInt2, {5}).byteSize() == 2);
  CHECK(sized(ElementType::Bool, {0, 5}).byteSize() == 0);
  CHECK_FALSE(sized(ElementType::String, {2}).byteSize().has_value());
  CHECK(sized(ElementType::String, {2}).elementCount() == 2);
  const int64_t huge = int64_t{1} << 40;
  CHECK_FALSE(sized(ElementType::Float, {huge, huge}).elementCount().has_value());
  CHECK(sized(ElementType::Float, {huge, huge, 0}).elementCount() == 0);
  CHECK_FALSE(sized(ElementType::Double, {int64_t{1} << 61}).byteSize().has_value());
  CHECK_FALSE(Type::unranked(ElementType::Float).elementCount().has_value());
  CHECK_FALSE(Type::tensor(ElementType::Float, {Dim::named("n")}).elementCount().has_value());
}

TEST_CASE("every element type has a name that reads back") {
  for (const std::string& text : elementTypeNames()) CHECK(name(elementTypeFromName(text).value()) == text);
  CHECK(elementTypeFromName("float") == ElementType::Float);
  CHECK_FALSE(elementTypeFromName("float33").has_value());
}

TEST_CASE("quoted strings keep every byte") {
  std::string bytes;
  for (int c = 0; c < 256; ++c) bytes += static_cast<char>(c);
  bytes += "\xc3\xa9 \xf0\x9f\x98\x80 \xed\xa0\x80 \xc0\xaf";
  std::string text;
  appendQuoted(text, bytes);
  CHECK(text.find("\xc3\xa9 \xf0\x9f\x98\x80") != std::string::npos);
  for (const char* raw : {"\n", "\x7f", "\xff", "\xed", "\xc0"}) CHECK(text.find(raw) == std::string::npos);
  std::string_view rest = text;
  UnquoteError error;
  CHECK(consumeQuoted(rest, error) == bytes);
  CHECK(rest.empty());
}
