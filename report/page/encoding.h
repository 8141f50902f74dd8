/// Columns of numbers and texts as base64, small enough to stand in a page. docs/page.md describes the form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace amdahlc::page {

/// As which array the page has a column: those of JavaScript, and bytes of UTF-8. A `F64` holds integers.
enum class ValueType : uint8_t { U8, U16, U32, I32, F64, Text };
/// As the page names it: `u8`.
std::string_view name(ValueType type);

enum class Encoding : uint8_t {
  /// The lowest bytes of all values, then the next ones, and so on.
  Planes,
  /// Differences to the value before, of the first one to 0, as 0, -1, 1, -2, ...; in planes.
  Delta,
  /// The same to the sum of the value before and that of another column.
  After
};
/// As the page names it: `planes`.
std::string_view name(Encoding encoding);

struct EncodedColumn {
  ValueType type = ValueType::U8;
  /// Of values; of a text bytes.
  size_t length = 0;
  Encoding encoding = Encoding::Planes;
  /// Bytes of each value that are written; the higher ones are 0.
  size_t planes = 1;
  /// Whether the bytes are compressed, as raw DEFLATE.
  bool isDeflated = false;
  std::string base64;
};
/// Values that are those of another column: of all its rows, or of those where the column `rows` is not 0.
struct DerivedColumn {
  std::string of, rows;
  /// Is added to each.
  int64_t plus = 0;
};
struct NamedColumn {
  /// `RUN/NAME`: the position of the run, and what the column is.
  std::string name;
  EncodedColumn column;
  /// The name of the other column of `Encoding::After`.
  std::string after = {};
  /// In place of `column`.
  std::optional<DerivedColumn> derived = {};
};

// In the encoding that makes the column smallest. Values of `int64_t` are those of `F64`; beyond 2^53 the page rounds
// them.
EncodedColumn encoded(const std::vector<uint8_t>& values);
EncodedColumn encoded(const std::vector<uint16_t>& values);
EncodedColumn encoded(const std::vector<uint32_t>& values);
EncodedColumn encoded(const std::vector<int32_t>& values);
EncodedColumn encoded(const std::vector<int64_t>& values);
EncodedColumn encodedText(std::string_view text);
/// Starts of what mostly begins where the one before ends. As many values as durations.
EncodedColumn encodedStarts(const std::vector<int64_t>& starts, const std::vector<int64_t>& durations);
/// As `U32` if all fit, else as `F64`.
EncodedColumn encodedDurations(const std::vector<int64_t>& values);
/// As `U8`, `I32` or `U32` if all values fit, because the page keeps columns in memory; else as `F64`.
EncodedColumn encodedSmall(const std::vector<int64_t>& values);

/// As raw DEFLATE.
std::string deflated(std::string_view bytes);
/// With padding.
std::string base64(std::string_view bytes);

}  // namespace amdahlc::page
