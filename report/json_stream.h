/// Writes a large JSON document piece by piece, so that only one piece at a time is a tree in memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace amdahlc {

/// Appends to a string what `dump(1)` of the whole document would give, except for values on one line. Invalid bytes in
/// strings are replaced.
class JsonStream {
 public:
  using Json = nlohmann::ordered_json;
  explicit JsonStream(std::string& out) : out_(out) {}

  /// Within an object, `key` precedes each value and each `begin`.
  void key(std::string_view name);
  /// A key of two parts that stand in JSON as they are, such as those of a table of fields.
  void plainKey(std::string_view name, std::string_view suffix);
  void value(const Json& value);
  /// As `value`, on one line.
  void line(const Json& value);
  void beginObject() { begin('{', '}'); }
  void beginArray() { begin('[', ']'); }
  /// A member that is an object or an array.
  void beginObject(std::string_view name) {
    key(name);
    beginObject();
  }
  void beginArray(std::string_view name) {
    key(name);
    beginArray();
  }
  /// Ends the object or array that began last.
  void end();

  void member(std::string_view name, const Json& value) {
    key(name);
    this->value(value);
  }

 private:
  struct Open {
    char close;
    bool isEmpty = true;
  };

  void begin(char open, char close);
  /// A comma and a new line where a value or a key starts in the object or array that is open.
  void separate();
  void newLine();

  std::string& out_;
  std::vector<Open> open_;
  bool afterKey_ = false;
};

}  // namespace amdahlc
