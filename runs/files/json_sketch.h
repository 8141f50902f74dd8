/// The top of a JSON document: enough to distinguish the formats of profilers. Internal to the readers.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace amdahlc::trace {

struct JsonSketch {
  bool isArray = false;
  /// Of the top-level object, or of an array's first element when that is an object; the first 64.
  std::vector<std::string> keys;
  /// `cat` of an array's first element.
  std::string firstCategory;
  bool has(std::string_view key) const { return std::ranges::find(keys, key) != keys.end(); }
};

/// The first bytes of a file, decompressed.
struct Beginning {
  std::string_view bytes;
  /// nullopt if the file is not JSON.
  std::optional<JsonSketch> json;
  /// The first byte that is not as JSON demands, or the number of bytes if they end early; nullopt if the sketch needed
  /// no more.
  std::optional<size_t> invalidAt;
};

/// Whatever JSON the bytes begin with; they may end anywhere.
Beginning look(std::string_view bytes);

}  // namespace amdahlc::trace
