#include "grammar/lsp/message_stream.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace amdahlc::lsp {
namespace {

/// Gives a text in pieces of one size.
class Pieces : public Channel {
 public:
  Pieces(std::string_view text, size_t size) : text_(text), size_(size) {}
  size_t read(char* into, size_t size) override {
    const size_t count = std::min({size, size_, text_.size()});
    std::copy_n(text_.data(), count, into);
    text_.remove_prefix(count);
    return count;
  }
  bool hasInput() override { return !text_.empty(); }
  bool write(std::string_view) override { return true; }

 private:
  std::string_view text_;
  size_t size_;
};

/// Bodies, and faults in brackets.
std::vector<std::string> read(std::string_view text, size_t size) {
  Pieces channel(text, size);
  MessageReader reader(channel);
  std::vector<std::string> out;
  while (const auto incoming = reader.next()) {
    if (!incoming->fault.empty()) out.push_back("[" + incoming->fault + "]");
    if (incoming->body) out.push_back(*incoming->body);
  }
  return out;
}

void checkRead(std::string_view text, const std::vector<std::string>& expected) {
  for (const size_t size : {size_t{1}, size_t{7}, size_t{100'000}}) CHECK(read(text, size) == expected);
}

TEST_CASE("messages one behind another") {
  checkRead(framed("one") + framed("") + framed("Content-Length: 3\r\n\r\n"), {"one", "", "Content-Length: 3\r\n\r\n"});
}

TEST_CASE("text that is no message is reported once, and the next header is found") {
  checkRead("what\r\n\r\nis\r\n\r\nthat\r\n\r\n" + framed("one"), {"[text that is no header]", "one"});
  checkRead("no blank line\r\n" + framed("one"), {"[text that is no header]", "one"});
  checkRead("A: b\r\n\r\n{\"a\":1}" + framed("one"), {"[a header without `Content-Length`]", "one"});
  checkRead("Content-Length: 3x\r\n\r\n" + framed("one"), {"[a `Content-Length` that is no number]", "one"});
}

TEST_CASE("a length that is too short or too long") {
  checkRead("Content-Length: 2\r\n\r\nlong" + framed("one"), {"lo", "[text that is no header]", "one"});
  checkRead("Content-Length: 99\r\n\r\nshort", {});
}

TEST_CASE("a line that never ends keeps no memory") {
  const std::string text = std::string(1'000'000, 'x') + framed("one");
  checkRead(text, {"[text that is no header]", "one"});
}

TEST_CASE("an encoding that is not UTF-8 is refused with its message") {
  checkRead("Content-Type: a; charset=UTF-16\r\n" + framed("one") + framed("two"),
            {"[a message whose encoding is not UTF-8]", "two"});
}

}  // namespace
}  // namespace amdahlc::lsp
