/// Columns of numbers and texts as base64, small enough to stand in a page. docs/page.md describes the form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace amdahlc::page {

/// As which array the page has a column: those of JavaScript, and bytes of UTF-8. A `F64` holds integers.
enum class ValueType : uint8_t { U8, U16, U32, I32, F64, Text };
/// As the page names it: `u8`.
std::string_view name(ValueType type);

enum class Encoding : uint8_t {
  /// One value after the other, the lowest byte first.
  Plain,
  /// The lowest bytes of all values, then the next ones, and so on.
  Planes,
  /// Differences to the value before, of the first one to 0, as 0, -1, 1, -2, ...; in planes.
  Delta
};
/// As the page names it: `planes`.
std::string_view name(Encoding encoding);

struct EncodedColumn {
  ValueType type = ValueType::U8;
  /// Of values; of a text bytes.
  size_t length = 0;
  Encoding encoding = Encoding::Plain;
  /// Whether the bytes are compressed, as raw DEFLATE.
  bool isDeflated = false;
  std::string base64;
};
struct NamedColumn {
  /// `RUN/NAME`: the position of the run, and what the column is.
  std::string name;
  EncodedColumn column;
};

// In the encoding that makes the column smallest. Values of `int64_t` are those of `F64`; beyond 2^53 the page rounds
// them.
EncodedColumn encoded(const std::vector<uint8_t>& values);
EncodedColumn encoded(const std::vector<uint16_t>& values);
EncodedColumn encoded(const std::vector<uint32_t>& values);
EncodedColumn encoded(const std::vector<int32_t>& values);
EncodedColumn encoded(const std::vector<int64_t>& values);
EncodedColumn encodedText(std::string_view text);

/// As raw DEFLATE.
std::string deflated(std::string_view bytes);
/// With padding.
std::string base64(std::string_view bytes);

}  // namespace amdahlc::page
