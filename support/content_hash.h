/// A hash of a file's bytes, to tell whether a file has changed. Not for security.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace amdahlc {

/// XXH3 with 64 bits, of bytes that arrive in pieces.
class ContentHash {
 public:
  ContentHash();
  void add(std::string_view bytes);
  /// 16 hexadecimal digits, of the bytes so far.
  std::string text() const;

 private:
  struct Deleter {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Deleter> state_;
};

/// Of bytes in one piece.
std::string contentHash(std::string_view bytes);

}  // namespace amdahlc
