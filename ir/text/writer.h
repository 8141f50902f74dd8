/// Builds text of the IR form: indentation, names, numbers that read back as the same bits.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

#include "ir/text/escape.h"
#include "ir/type.h"
#include "support/id.h"

namespace amdahlc::ir {

class TextWriter {
 public:
  TextWriter& operator<<(std::string_view text) {
    out_ += text;
    return *this;
  }
  TextWriter& operator<<(const char* text) { return *this << std::string_view(text); }
  TextWriter& operator<<(char c) {
    out_ += c;
    return *this;
  }
  template <std::integral T>
    requires(!std::same_as<T, char> && !std::same_as<T, bool>)
  TextWriter& operator<<(T number) {
    char digits[24];
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
    return *this;
  }
  template <typename Tag>
  TextWriter& operator<<(Id<Tag> id) {
    return *this << id.index();
  }
  TextWriter& operator<<(double number) {
    appendNumber(out_, number);
    return *this;
  }

  TextWriter& quoted(std::string_view text) {
    appendQuoted(out_, text);
    return *this;
  }
  TextWriter& name(std::string_view text) {
    appendName(out_, text);
    return *this;
  }
  /// Starts a line at the current depth.
  TextWriter& line() {
    if (!out_.empty()) out_ += '\n';
    out_.append(depth_ * 2, ' ');
    return *this;
  }
  /// The lines of a text, each at the current depth. Empty ones stay empty.
  void lines(std::string_view text) {
    while (!text.empty()) {
      const size_t end = text.find('\n');
      const std::string_view next = text.substr(0, end);
      if (next.empty())
        out_ += '\n';
      else
        line() << next;
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }
  /// Goes on with a text of one or more lines, whose first one is part of the current line.
  void rest(std::string_view text) {
    const size_t end = std::min(text.find('\n'), text.size());
    *this << text.substr(0, end);
    lines(text.substr(std::min(end + 1, text.size())));
  }
  TextWriter& blankLine() {
    out_ += '\n';
    return *this;
  }
  void open() {
    out_ += " {";
    ++depth_;
  }
  void close() {
    --depth_;
    line() << '}';
  }
  /// `[a, b]`, each element written by `write`.
  template <typename Range, typename Write>
  TextWriter& list(const Range& range, const Write& write, char begin = '[', char end = ']') {
    out_ += begin;
    bool first = true;
    for (const auto& element : range) {
      if (!first) out_ += ", ";
      first = false;
      write(element);
    }
    out_ += end;
    return *this;
  }
  template <typename Range>
  TextWriter& numbers(const Range& range) {
    return list(range, [this](const auto& number) { *this << number; });
  }
  std::string take() {
    out_ += '\n';
    return std::move(out_);
  }

 private:
  std::string out_;
  size_t depth_ = 0;
};

}  // namespace amdahlc::ir
