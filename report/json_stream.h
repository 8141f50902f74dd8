/// Writes a large JSON document piece by piece, so that only one piece at a time is a tree in memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace amdahlc {

/// Appends to a string what `dump(1)` of the whole document would give, except for values on one line. Invalid bytes in
/// strings are replaced. The string is complete while no object and no array is open.
class JsonStream {
 public:
  using Json = nlohmann::ordered_json;
  explicit JsonStream(std::string& out) : out_(out) {}
  JsonStream(const JsonStream&) = delete;
  JsonStream& operator=(const JsonStream&) = delete;

  /// Within an object, `key` precedes each value and each `begin`.
  void key(std::string_view name);
  /// A key of two parts that stand in JSON as they are, such as those of a table of fields.
  void plainKey(std::string_view name, std::string_view suffix);
  void value(const Json& value);
  /// As `value`, on one line.
  void line(const Json& value);
  // The same of small values, without a tree for each.
  void null();
  void boolean(bool value);
  void integer(int64_t value);
  void integer(uint64_t value);
  void number(double value);
  void text(std::string_view value);
  /// An array on one line.
  template <typename Items, typename WriteItem>
  void arrayOnLine(const Items& items, const WriteItem& writeItem) {
    separate();
    put('[');
    bool isFirst = true;
    for (const auto& item : items) {
      if (!std::exchange(isFirst, false)) put(',');
      afterKey_ = true;
      writeItem(item);
    }
    put(']');
    finishValue();
  }
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
  void put(char c) {
    if (used_ == buffer_.size()) flush();
    buffer_[used_++] = c;
  }
  void put(std::string_view text);
  void putText(std::string_view text);
  void putDouble(double value);
  /// On one line.
  void putValue(const Json& value);
  /// `Digits` is an integer.
  template <typename Digits>
  void putInteger(Digits value);
  /// What is written must not stay here if nothing follows.
  void finishValue() {
    if (open_.empty()) flush();
  }
  void flush();
  /// A comma and a new line where a value or a key starts in the object or array that is open.
  void separate();
  void newLine();

  std::string& out_;
  /// What is not yet in `out_`. Most of a document is pieces of a few bytes, for which a string is slow.
  std::array<char, 4096> buffer_;
  size_t used_ = 0;
  std::vector<Open> open_;
  bool afterKey_ = false;
};

}  // namespace amdahlc
