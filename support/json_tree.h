/// JSON text as a tree of values. Include it in .cpp files only, because it includes nlohmann's header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace amdahlc {

enum class JsonFault : uint8_t {
  Syntax,
  /// A number is beyond the range of a double.
  NumberRange,
  /// Objects and arrays are nested deeper than was allowed.
  Nesting,
};

struct JsonTree {
  /// nullopt where `fault` says why.
  std::optional<nlohmann::json> value;
  JsonFault fault = JsonFault::Syntax;
  /// The number, counted from one, of the byte that is wrong; one behind the last where the text ends too early.
  size_t at = 0;
};

/// Whether the value of a key is left out, in an object with `depth` objects and arrays around it and itself.
using SkippedJsonKey = std::function<bool(size_t depth, std::string_view key)>;

/// Takes an element of the outermost array, which then is no part of the tree: large arrays need not be in memory.
/// Objects and arrays inside an element are left out as well: such a member is null.
using JsonElementVisitor = std::function<void(nlohmann::json)>;

/// Reads text with at most `maxNesting` objects and arrays inside each other, without the values of keys that are
/// skipped. Of keys of one object that are equal, the last counts.
///
/// It takes time in proportion to the text. `nlohmann::json::parse` does not where it calls back for each value: as an
/// object ends, it walks over all its siblings.
JsonTree parseJsonTree(std::string_view text, size_t maxNesting, SkippedJsonKey isSkipped = nullptr,
                       JsonElementVisitor visit = nullptr);

}  // namespace amdahlc
