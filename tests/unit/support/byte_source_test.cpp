#include "support/byte_source.h"

#include <doctest/doctest.h>
#include <zstd.h>

#include <algorithm>

#include "support/content_hash.h"
#include "tests/unit/support/gzipped.h"

using namespace amdahlc;
using amdahlc::testing::gzipped;

namespace {

/// One Zstandard frame with a checksum.
std::string zstandard(std::string_view text) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const size_t size = ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size());
  ZSTD_freeCCtx(context);
  REQUIRE(!ZSTD_isError(size));
  out.resize(size);
  return out;
}

struct Decompressed {
  std::string text;
  bool failed;
  size_t errors;
};

/// Reads `step` bytes at a time.
Decompressed decompressed(std::string_view bytes, Compression compression, size_t step = 1000) {
  DiagnosticEngine engine;
  const auto raw = bytesInMemory(bytes);
  const auto source = decompress(*raw, compression, "t", engine);
  Decompressed out{};
  std::string piece(step, '\0');
  for (size_t got = step; got == step;) {
    got = source->read(piece.data(), step);
    out.text.append(piece, 0, got);
  }
  out.failed = source->failed();
  out.errors = engine.errorCount();
  return out;
}

constexpr std::string_view kFox = "the quick brown fox jumps over the lazy dog";

}  // namespace

TEST_CASE("gzip and Zstandard data are decompressed, with pieces of any size") {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 7919 % 10007);
  for (const size_t step : {size_t{1}, size_t{999}, size_t{1} << 20}) {
    const std::string some = step == 1 ? text.substr(0, 5000) : text;
    CHECK(decompressed(gzipped(some), Compression::Gzip, step).text == some);
    CHECK(decompressed(zstandard(some), Compression::Zstd, step).text == some);
  }
  CHECK(compressionOf(gzipped("")) == Compression::Gzip);
  CHECK(compressionOf(zstandard("")) == Compression::Zstd);
  CHECK(compressionOf("{\"a\"") == Compression::None);
}

TEST_CASE("several members, also empty ones, and padding with zeros are one text") {
  const std::string padding(300'000, '\0');
  for (const size_t step : {1, 2, 3, 1000}) {
    CAPTURE(step);
    const Decompressed gzip =
        decompressed(gzipped("one") + gzipped("") + gzipped(kFox) + padding, Compression::Gzip, step);
    CHECK(gzip.text == "one" + std::string(kFox));
    CHECK_FALSE(gzip.failed);
    const Decompressed zstd =
        decompressed(zstandard("one") + zstandard("") + zstandard("two"), Compression::Zstd, step);
    CHECK(zstd.text == "onetwo");
    CHECK_FALSE(zstd.failed);
  }
  std::string members, text;
  for (int i = 0; i < 3000; ++i) {
    const std::string part = std::to_string(i) + std::string(static_cast<size_t>(i % 97), 'x');
    members += gzipped(part);
    text += part;
  }
  CHECK(decompressed(members, Compression::Gzip).text == text);
}

TEST_CASE("every truncation and every damaged byte of the check sum is one error") {
  for (const Compression compression : {Compression::Gzip, Compression::Zstd}) {
    const std::string whole = compression == Compression::Gzip ? gzipped(kFox) : zstandard(kFox);
    for (size_t length = 4; length < whole.size(); ++length) {
      CAPTURE(length);
      const Decompressed cut = decompressed(std::string_view(whole).substr(0, length), compression);
      CHECK(cut.failed);
      CHECK(cut.errors == 1);
    }
    for (size_t at = whole.size() - 4; at < whole.size(); ++at) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 1);
      CHECK(decompressed(damaged, compression).failed);
    }
    CHECK(decompressed(whole + "rest", compression).failed);
    // What was decompressed before the damage is there.
    CHECK(decompressed(whole + "rest", compression).text == kFox);
  }
}

TEST_CASE("the content hash is XXH3, whatever the pieces") {
  CHECK(ContentHash().text() == "2d06800538d394c2");
  ContentHash pieces, whole;
  whole.add("foobar");
  pieces.add("foo");
  pieces.add("bar");
  CHECK(pieces.text() == whole.text());
  pieces.add("x");
  CHECK(pieces.text() != whole.text());
}
