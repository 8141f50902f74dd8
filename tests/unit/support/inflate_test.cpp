#include <doctest/doctest.h>
#include <zlib.h>

#include "support/file.h"

using namespace amdahlc;

namespace {

/// One gzip member (`windowBits` 31) or zlib stream (15).
std::string deflated(std::string_view text, int windowBits = 31) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(::deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

constexpr uint64_t kLimit = 1 << 24;

}  // namespace

TEST_CASE("gzip, zlib, several members, padding") {
  DiagnosticEngine engine;
  const std::string text(3'000'000, 'x');
  CHECK(looksGzipped(deflated(text)));
  CHECK(inflate(deflated(text), kLimit, "t", engine) == text);
  CHECK(inflate(deflated(text, 15), kLimit, "t", engine) == text);
  CHECK(inflate(deflated("one") + deflated("") + deflated("two") + std::string(512, '\0'), kLimit, "t", engine) ==
        "onetwo");
  CHECK(!engine.hasErrors());
}

TEST_CASE("every truncation and every damaged byte of the check sum is noticed") {
  const std::string whole = deflated("the quick brown fox jumps over the lazy dog");
  for (size_t length = 0; length < whole.size(); ++length) {
    DiagnosticEngine engine;
    CHECK(!inflate(std::string_view(whole).substr(0, length), kLimit, "t", engine));
    CHECK(engine.errorCount() == 1);
  }
  for (size_t at = whole.size() - 8; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    DiagnosticEngine engine;
    CHECK(!inflate(damaged, kLimit, "t", engine));
  }
  DiagnosticEngine engine;
  CHECK(!inflate(whole + "rest", kLimit, "t", engine));
}

TEST_CASE("a small file with large compressed data stops at the limit") {
  const std::string bomb = deflated(std::string(20'000'000, '\0'));
  REQUIRE(bomb.size() < 30'000);
  DiagnosticEngine engine;
  CHECK(!inflate(bomb, 1'000'000, "t", engine));
  CHECK(engine.errorCount() == 1);
  CHECK(inflate(bomb, 20'000'000, "t", engine)->size() == 20'000'000);
}
