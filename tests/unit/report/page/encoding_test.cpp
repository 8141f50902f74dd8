#include "report/page/encoding.h"

#include <doctest/doctest.h>
#include <libdeflate.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>

namespace amdahlc::page {
namespace {

std::string bytesOfBase64(std::string_view base64) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  REQUIRE(base64.size() % 4 == 0);
  std::string out;
  uint32_t bits = 0, count = 0;
  for (const char c : base64.substr(0, base64.find('='))) {
    const size_t value = kAlphabet.find(c);
    REQUIRE(value != kAlphabet.npos);
    bits = bits << 6 | static_cast<uint32_t>(value);
    if ((count += 6) >= 8) out.push_back(static_cast<char>(bits >> (count -= 8)));
  }
  return out;
}

/// The bytes of a column, as the page finds them.
std::string bytesOf(const EncodedColumn& column, size_t size) {
  std::string bytes = bytesOfBase64(column.base64);
  if (!column.isDeflated) return bytes;
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  std::string out(size, '\0');
  REQUIRE(libdeflate_deflate_decompress(decompressor.get(), bytes.data(), bytes.size(), out.data(), size, nullptr) ==
          LIBDEFLATE_SUCCESS);
  return out;
}

/// As docs/page.md says, and the page does.
template <typename Value>
std::vector<Value> decoded(const EncodedColumn& column, const std::vector<Value>& after = {}) {
  using Bits = std::make_unsigned_t<Value>;
  const std::string bytes = bytesOf(column, column.length * column.planes);
  REQUIRE(bytes.size() == column.length * column.planes);
  std::vector<Value> values;
  Bits before = 0;
  for (size_t i = 0; i < column.length; ++i) {
    Bits bits = 0;
    for (size_t byte = 0; byte < column.planes; ++byte) {
      const auto plane = static_cast<unsigned char>(bytes[byte * column.length + i]);
      bits = static_cast<Bits>(bits | static_cast<Bits>(Bits{plane} << (byte * 8)));
    }
    if (column.encoding != Encoding::Planes) {
      const Bits sign = (bits & 1) != 0 ? static_cast<Bits>(~Bits{0}) : Bits{0};
      bits = static_cast<Bits>(before + static_cast<Bits>(static_cast<Bits>(bits >> 1) ^ sign));
    }
    before = bits;
    if (column.encoding == Encoding::After) before = static_cast<Bits>(before + static_cast<Bits>(after[i]));
    values.push_back(static_cast<Value>(bits));
  }
  return values;
}

template <typename Value>
EncodedColumn checkedColumn(const std::vector<Value>& values) {
  const EncodedColumn column = encoded(values);
  CHECK(column.length == values.size());
  CHECK(decoded<Value>(column) == values);
  return column;
}

TEST_CASE_TEMPLATE("values come back from any column", Value, uint8_t, uint16_t, uint32_t, int32_t, int64_t) {
  using Limits = std::numeric_limits<Value>;
  checkedColumn<Value>({});
  checkedColumn<Value>({7});
  checkedColumn<Value>({Limits::min(), Limits::max(), 0, Limits::max(), Limits::min(), 1});
  std::vector<Value> rising, noise, few;
  uint64_t state = 1;
  for (size_t i = 0; i < 1000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    rising.push_back(static_cast<Value>(i * 1000));
    noise.push_back(static_cast<Value>(state >> 20));
    few.push_back(static_cast<Value>((state >> 60) * 3));
  }
  checkedColumn(rising);
  checkedColumn(noise);
  checkedColumn(few);
}

TEST_CASE("a column has the encoding that makes it smallest") {
  std::vector<int64_t> times, durations;
  std::vector<uint8_t> noise;
  uint64_t state = 1;
  for (size_t i = 0; i < 4000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    durations.push_back(static_cast<int64_t>(1000 + (state >> 52)));
    times.push_back((times.empty() ? 0 : times.back()) + durations.back());
    noise.push_back(static_cast<uint8_t>(state >> 40));
  }
  const EncodedColumn ofTimes = checkedColumn(times);
  CHECK(ofTimes.encoding == Encoding::Delta);
  CHECK(ofTimes.isDeflated);
  CHECK(ofTimes.type == ValueType::F64);
  CHECK(ofTimes.base64.size() < times.size() * 3);
  CHECK(checkedColumn(durations).encoding == Encoding::Planes);
  // What cannot be compressed is as it is.
  const EncodedColumn ofNoise = checkedColumn(noise);
  CHECK(!ofNoise.isDeflated);
  CHECK(ofNoise.encoding == Encoding::Planes);
  // What begins where the one before ends takes nearly nothing.
  const EncodedColumn ofStarts = encodedStarts(times, durations);
  CHECK(decoded<int64_t>(ofStarts, durations) == times);
  CHECK(ofStarts.base64.size() <= ofTimes.base64.size());
  std::vector<int64_t> starts = times;
  for (size_t i = 1; i < starts.size(); ++i) starts[i] = starts[i - 1] + durations[i - 1] - (i % 500 == 0 ? 3 : 0);
  const EncodedColumn ofPieces = encodedStarts(starts, durations);
  CHECK(ofPieces.encoding == Encoding::After);
  CHECK(decoded<int64_t>(ofPieces, durations) == starts);
  CHECK(ofPieces.base64.size() < 200);
}

TEST_CASE("numbers have the smallest type that has all of them") {
  CHECK(encodedSmall({0, 255}).type == ValueType::U8);
  CHECK(encodedSmall({-1, 256}).type == ValueType::I32);
  CHECK(encodedSmall({0, 4294967295}).type == ValueType::U32);
  CHECK(encodedSmall({-1, 4294967295}).type == ValueType::F64);
  CHECK(encodedDurations({0, 1}).type == ValueType::U32);
  CHECK(encodedDurations({-1, 1}).type == ValueType::F64);
  CHECK(encodedDurations({4294967296}).type == ValueType::F64);
}

TEST_CASE("texts are bytes, with any of them") {
  using namespace std::string_view_literals;
  for (const std::string_view text : {""sv, "a"sv, "a\0b</script>\xff\n"sv}) {
    const EncodedColumn column = encodedText(text);
    CHECK(column.type == ValueType::Text);
    CHECK(column.length == text.size());
    CHECK(bytesOf(column, text.size()) == text);
  }
}

TEST_CASE("base64 is padded") {
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("\xff\xfe") == "//4=");
}

}  // namespace
}  // namespace amdahlc::page
