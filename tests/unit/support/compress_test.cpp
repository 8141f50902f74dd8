#include "support/compress.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include "support/byte_source.h"

using namespace amdahlc;

namespace {

class TextSink : public ByteSink {
 public:
  explicit TextSink(size_t limit) : limit_(limit) {}
  bool write(std::string_view bytes) override {
    text += bytes;
    return text.size() <= limit_;
  }
  std::string text;

 private:
  const size_t limit_;
};

std::string sampleText() {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 7919 % 10007);
  return text;
}

/// nullopt if the sink refused.
std::optional<std::string> compressed(std::string_view name, std::string_view text, size_t step,
                                      size_t limit = SIZE_MAX) {
  TextSink out(limit);
  const auto sink = compressingSink(name, out);
  REQUIRE(sink);
  for (size_t at = 0; at < text.size(); at += step)
    if (!sink->write(text.substr(at, step))) return std::nullopt;
  if (!sink->finish()) return std::nullopt;
  return out.text;
}

std::string decompressed(std::string_view bytes) {
  DiagnosticEngine engine;
  const auto raw = bytesInMemory(bytes);
  const auto source = decompress(*raw, compressionOf(bytes), "t", engine);
  std::string text(size_t{1} << 24, '\0');
  text.resize(source->read(text.data(), text.size()));
  CHECK_FALSE(engine.hasErrors());
  return text;
}

}  // namespace

TEST_CASE("what is compressed in pieces is decompressed as a whole") {
  const std::string text = sampleText();
  for (const char* name : {"t.json.gz", "t.json.zst"})
    for (const size_t step : {size_t{1000}, size_t{1} << 18, text.size()}) {
      CAPTURE(name);
      const auto bytes = compressed(name, text, step);
      REQUIRE(bytes);
      CHECK(bytes->size() < text.size());
      CHECK(decompressed(*bytes) == text);
      CHECK(compressed(name, text, step) == bytes);
    }
  for (const char* name : {"t.gz", "t.zst"}) CHECK(decompressed(*compressed(name, "", 1)).empty());
  TextSink out(SIZE_MAX);
  CHECK_FALSE(compressingSink("t.json", out));
}

TEST_CASE("gzip data that is compressed in pieces has one member") {
  const std::string text = sampleText();
  const std::string bytes = *compressed("t.gz", text, 5000);
  z_stream stream{};
  REQUIRE(::inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK);
  std::string out(text.size(), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  CHECK(::inflate(&stream, Z_FINISH) == Z_STREAM_END);
  CHECK(stream.avail_in == 0);
  CHECK(out == text);
  ::inflateEnd(&stream);
}

TEST_CASE("a sink that takes no more ends the compression") {
  for (const char* name : {"t.gz", "t.zst"}) CHECK_FALSE(compressed(name, sampleText(), 1000, 100));
}
