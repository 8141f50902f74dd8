#include "report/page/encoding.h"

#include <libdeflate.h>

#include <algorithm>
#include <bit>
#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace amdahlc::page {
namespace {

constexpr std::string_view kTypeNames[] = {"u8", "u16", "u32", "i32", "f64", "text"};
constexpr std::string_view kEncodingNames[] = {"planes", "delta", "after"};

/// Levels of libdeflate: to compare encodings, and for what is written.
constexpr int kFastLevel = 1, kLevel = 9;

std::string deflated(std::string_view bytes, int level) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(level), libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string out(libdeflate_deflate_compress_bound(compressor.get(), bytes.size()), '\0');
  // Never 0, because there is room for the worst case.
  out.resize(libdeflate_deflate_compress(compressor.get(), bytes.data(), bytes.size(), out.data(), out.size()));
  return out;
}

template <typename Value>
constexpr ValueType typeOf() {
  if constexpr (std::is_same_v<Value, uint8_t>) return ValueType::U8;
  if constexpr (std::is_same_v<Value, uint16_t>) return ValueType::U16;
  if constexpr (std::is_same_v<Value, uint32_t>) return ValueType::U32;
  if constexpr (std::is_same_v<Value, int32_t>) return ValueType::I32;
  return ValueType::F64;
}

/// The difference as a number that is small where the difference is, of either sign. It is modulo the width of values.
template <typename Value>
std::make_unsigned_t<Value> difference(Value from, Value to) {
  using Bits = std::make_unsigned_t<Value>;
  const Bits bits = static_cast<Bits>(static_cast<Bits>(to) - static_cast<Bits>(from));
  const bool isNegative = (bits >> (sizeof(Bits) * 8 - 1)) != 0;
  return static_cast<Bits>(static_cast<Bits>(bits << 1) ^ (isNegative ? static_cast<Bits>(~Bits{0}) : Bits{0}));
}

/// The number of bytes that hold all of these bits, at least one.
template <typename Bits>
size_t planesOf(const std::vector<Bits>& values) {
  Bits all = 0;
  for (const Bits bits : values) all |= bits;
  return std::max<size_t>((std::bit_width(all) + 7) / 8, 1);
}

/// The bytes of a column before they are compressed.
struct Planes {
  Encoding encoding;
  size_t count;
  std::string bytes;
};

template <typename Bits>
Planes planes(Encoding encoding, const std::vector<Bits>& values) {
  Planes out{encoding, planesOf(values), {}};
  out.bytes.resize(out.count * values.size());
  for (size_t plane = 0; plane < out.count; ++plane)
    for (size_t i = 0; i < values.size(); ++i)
      out.bytes[plane * values.size() + i] = static_cast<char>(static_cast<unsigned char>(values[i] >> (plane * 8)));
  return out;
}

/// Differences to what `expected` says of a position behind the first one.
template <typename Value, typename Expected>
std::vector<std::make_unsigned_t<Value>> differences(const std::vector<Value>& values, const Expected& expected) {
  std::vector<std::make_unsigned_t<Value>> out;
  out.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    out.push_back(difference(i == 0 ? Value{0} : static_cast<Value>(expected(i)), values[i]));
  return out;
}

EncodedColumn compressed(ValueType type, size_t length, Planes planes) {
  std::string smaller = deflated(planes.bytes, kLevel);
  const bool isDeflated = smaller.size() < planes.bytes.size();
  return {type, length, planes.encoding, planes.count, isDeflated, base64(isDeflated ? smaller : planes.bytes)};
}

/// `durations` is null, or of the things that begin at the values.
template <typename Value>
EncodedColumn smallest(const std::vector<Value>& values, const std::vector<Value>* durations = nullptr) {
  using Bits = std::make_unsigned_t<Value>;
  Planes chosen = planes(Encoding::Planes, std::vector<Bits>(values.begin(), values.end()));
  size_t size = deflated(chosen.bytes, kFastLevel).size();
  const auto consider = [&](Encoding encoding, const std::vector<Bits>& bits) {
    Planes candidate = planes(encoding, bits);
    const size_t candidateSize = deflated(candidate.bytes, kFastLevel).size();
    if (candidateSize >= size) return;
    size = candidateSize;
    chosen = std::move(candidate);
  };
  consider(Encoding::Delta, differences(values, [&](size_t i) { return values[i - 1]; }));
  if (durations != nullptr)
    consider(Encoding::After, differences(values, [&](size_t i) {
               return static_cast<Bits>(values[i - 1]) + static_cast<Bits>((*durations)[i - 1]);
             }));
  return compressed(typeOf<Value>(), values.size(), std::move(chosen));
}

template <typename Value>
std::optional<std::vector<Value>> as(const std::vector<int64_t>& values) {
  if (!std::ranges::all_of(values, [](int64_t value) { return std::in_range<Value>(value); })) return std::nullopt;
  return std::vector<Value>(values.begin(), values.end());
}

}  // namespace

std::string_view name(ValueType type) { return kTypeNames[static_cast<size_t>(type)]; }
std::string_view name(Encoding encoding) { return kEncodingNames[static_cast<size_t>(encoding)]; }

EncodedColumn encoded(const std::vector<uint8_t>& values) { return smallest(values); }
EncodedColumn encoded(const std::vector<uint16_t>& values) { return smallest(values); }
EncodedColumn encoded(const std::vector<uint32_t>& values) { return smallest(values); }
EncodedColumn encoded(const std::vector<int32_t>& values) { return smallest(values); }
EncodedColumn encoded(const std::vector<int64_t>& values) { return smallest(values); }
EncodedColumn encodedText(std::string_view text) {
  return compressed(ValueType::Text, text.size(), {Encoding::Planes, 1, std::string(text)});
}
EncodedColumn encodedStarts(const std::vector<int64_t>& starts, const std::vector<int64_t>& durations) {
  return smallest(starts, &durations);
}
EncodedColumn encodedDurations(const std::vector<int64_t>& values) {
  const auto small = as<uint32_t>(values);
  return small ? encoded(*small) : encoded(values);
}
EncodedColumn encodedSmall(const std::vector<int64_t>& values) {
  if (const auto small = as<uint8_t>(values)) return encoded(*small);
  if (const auto small = as<int32_t>(values)) return encoded(*small);
  if (const auto small = as<uint32_t>(values)) return encoded(*small);
  return encoded(values);
}

std::string deflated(std::string_view bytes) { return deflated(bytes, kLevel); }

std::string base64(std::string_view bytes) {
  using namespace boost::archive::iterators;
  using Characters = base64_from_binary<transform_width<const char*, 6, 8>>;
  // Behind the last byte the iterator may look at one more.
  const std::string copy(bytes);
  std::string out(Characters(copy.data()), Characters(copy.data() + copy.size()));
  out.append((3 - bytes.size() % 3) % 3, '=');
  return out;
}

}  // namespace amdahlc::page
