/// JSON in an order in which DEFLATE makes it smaller.
#pragma once

#include <string>
#include <string_view>

namespace amdahlc::page {

/// What separates the values of a key, and takes their places; and what separates the parts. JSON has no such bytes.
inline constexpr char kJsonValue = '\x01', kJsonPart = '\x02';

/// The text of a JSON document without its strings, numbers and literals, in whose places are `kJsonValue`; and for
/// each key, in order of its first value, these values as they are written. A value is of the key that is written last
/// before it. Parts are separated by `kJsonPart`, so that every byte of the document can be restored.
std::string jsonByKey(std::string_view json);

}  // namespace amdahlc::page
