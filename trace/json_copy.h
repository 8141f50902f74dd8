/// Copies JSON as it is written, and as valid JSON. Internal to `trace`.
///
/// Readers of traces look at what they need and step over the rest, so that they accept values which are not JSON:
/// profilers write `nan` for a number, and backslashes that escape nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/json_cursor.h"

namespace amdahlc::trace {

/// A piece of text that is not JSON, and what stands for it.
struct JsonMend {
  std::string_view text;
  std::string replacement;
};

class JsonChecker {
 public:
  /// Steps over a value. False if its brackets, commas and colons are not those of JSON, with the cursor anywhere.
  /// What is wrong inside of strings, numbers and words is added to `mends`, in order: a word becomes a string, and a
  /// backslash that escapes nothing is escaped.
  bool value(JsonCursor& cursor, std::vector<JsonMend>& mends);
  /// The same of the key of a member and its colon.
  bool key(JsonCursor& cursor, std::string_view& key, std::vector<JsonMend>& mends);

 private:
  bool scalar(JsonCursor& cursor, std::vector<JsonMend>& mends);

  /// The brackets that are open. Not the call stack, because files may nest them as deep as they like.
  std::string open_;
};

/// A quoted string of JSON. What is not UTF-8 is replaced.
std::string jsonText(std::string_view text);

/// Appends `text`, in which `mends` lie, mended, to `out`.
void appendMended(std::string_view text, const std::vector<JsonMend>& mends, std::string& out);

}  // namespace amdahlc::trace
