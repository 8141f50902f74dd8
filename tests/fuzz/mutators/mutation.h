/// The mutators, each for inputs of one structure, and what they share. They have the signature of libFuzzer's
/// `LLVMFuzzerCustomMutator`: they change `data` of `size` bytes in place and return the new size, at most `maxSize`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

/// libFuzzer's own mutations of bytes, which know the dictionary; the replay driver has simple ones.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t maxSize);

namespace amdahlc::fuzz {

size_t mutateDatabase(uint8_t* data, size_t size, size_t maxSize, unsigned seed);
size_t mutateJson(uint8_t* data, size_t size, size_t maxSize, unsigned seed);
size_t mutateModel(uint8_t* data, size_t size, size_t maxSize, unsigned seed);
size_t mutateTokens(uint8_t* data, size_t size, size_t maxSize, unsigned seed);

/// Small, and the same everywhere for a seed.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  /// Below `count`, which is not 0.
  size_t below(size_t count) { return engine_() % count; }
  bool oneIn(size_t count) { return below(count) == 0; }
  template <typename List>
  auto& of(List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::mt19937 engine_;
};

/// Numbers at the edges of types and formats.
inline constexpr int64_t kEdgeNumbers[] = {
    0,          1,          -1,      2,          64,         65,        255,         1024,      65535,    65536,
    2147483647, 2147483648, 1 << 20, 4294967295, 4294967296, 1LL << 53, (1LL << 62), INT64_MAX, INT64_MIN};

/// Names that must not reach a terminal as they are: escapes, a forged line, text from right to left, no UTF-8.
inline constexpr std::string_view kOddNames[] = {"",
                                                 "\x1B[2J\x07",
                                                 "a\r\nb",
                                                 "\xC2\x9B"
                                                 "31m",
                                                 "\xE2\x80\xAE"
                                                 "abc",
                                                 "\xFF\xFE",
                                                 "=1+1",
                                                 "\"',;",
                                                 "/a/b/c",
                                                 "a::b",
                                                 "aten::add",
                                                 "`"};

/// Replaces the input by `bytes` if they fit, otherwise mutates its bytes.
inline size_t store(std::string_view bytes, uint8_t* data, size_t size, size_t maxSize) {
  if (bytes.empty() || bytes.size() > maxSize) return LLVMFuzzerMutate(data, size, maxSize);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace amdahlc::fuzz
