#include "report/page/encoding.h"

#include <libdeflate.h>

#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace amdahlc::page {
namespace {

constexpr std::string_view kTypeNames[] = {"u8", "u16", "u32", "i32", "f64", "text"};
constexpr std::string_view kEncodingNames[] = {"plain", "planes", "delta"};

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

template <typename Value>
std::string bytesOf(const std::vector<Value>& values, Encoding encoding) {
  std::string out(values.size() * sizeof(Value), '\0');
  Value before = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    using Bits = std::make_unsigned_t<Value>;
    const Bits bits = encoding == Encoding::Delta ? difference(before, values[i]) : static_cast<Bits>(values[i]);
    before = values[i];
    for (size_t byte = 0; byte < sizeof(Value); ++byte)
      out[encoding == Encoding::Plain ? i * sizeof(Value) + byte : byte * values.size() + i] =
          static_cast<char>(static_cast<unsigned char>(bits >> (byte * 8)));
  }
  return out;
}

EncodedColumn compressed(ValueType type, size_t length, Encoding encoding, std::string bytes) {
  std::string smaller = deflated(bytes, kLevel);
  const bool isDeflated = smaller.size() < bytes.size();
  return {type, length, encoding, isDeflated, base64(isDeflated ? smaller : bytes)};
}

template <typename Value>
EncodedColumn smallest(const std::vector<Value>& values) {
  Encoding chosen = Encoding::Plain;
  std::string bytes;
  size_t size = 0;
  for (const Encoding encoding : {Encoding::Plain, Encoding::Planes, Encoding::Delta}) {
    std::string candidate = bytesOf(values, encoding);
    const size_t candidateSize = deflated(candidate, kFastLevel).size();
    if (encoding != Encoding::Plain && candidateSize >= size) continue;
    chosen = encoding;
    bytes = std::move(candidate);
    size = candidateSize;
  }
  return compressed(typeOf<Value>(), values.size(), chosen, std::move(bytes));
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
  return compressed(ValueType::Text, text.size(), Encoding::Plain, std::string(text));
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
