/// Values as bytes, for builds of the same sources: what is packed by one is unpacked by the other.
///
/// A struct is packed if `AMDAHLC_MEMBERS` names its members, in the namespace of the struct.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "support/source.h"

/// Defines `withMembers`, which calls `work` with all members of a value. It does not compile if one of them is not
/// named.
#define AMDAHLC_MEMBERS(TYPE, ...)               \
  template <typename Work>                       \
  void withMembers(TYPE& of, const Work& work) { \
    auto& [__VA_ARGS__] = of;                    \
    work(__VA_ARGS__);                           \
  }

namespace amdahlc {

/// The first buffer of a source manager: a range that is nowhere is in it.
inline constexpr BufferId kNoFile = 0;

class Packer {
 public:
  /// `firstFile`: the first buffer of those that ranges are in, which follow each other.
  explicit Packer(BufferId firstFile = kNoFile + 1) : firstFile_(firstFile) {}

  template <typename T>
  void add(T& value) {
    if constexpr (std::is_same_v<T, double>) {
      addNumber(std::bit_cast<uint64_t>(value));
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      addNumber(static_cast<uint64_t>(value));
    } else if constexpr (std::is_same_v<T, std::string>) {
      addNumber(value.size());
      bytes_ += value;
    } else if constexpr (std::is_same_v<T, SourceRange>) {
      addNumber(value.buffer == kNoFile ? 0 : value.buffer - firstFile_ + 1);
      addNumber(value.begin);
      addNumber(value.end - value.begin);
    } else if constexpr (requires { value.valueless_by_exception(); }) {
      addNumber(value.index());
      std::visit([this](auto& one) { this->add(one); }, value);
    } else if constexpr (requires { value.has_value(); }) {
      addNumber(value.has_value());
      if (value) add(*value);
    } else if constexpr (requires { value.emplace_back(); }) {
      addNumber(value.size());
      for (auto& one : value) add(one);
    } else if constexpr (!std::is_empty_v<T>) {
      withMembers(value, [this](auto&... members) { (this->add(members), ...); });
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  /// Seven bits a byte, the lowest first.
  void addNumber(uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>(number | 0x80);
    bytes_ += static_cast<char>(number);
  }

  BufferId firstFile_;
  std::string bytes_;
};

class Unpacker {
 public:
  /// Precondition: the bytes are of a `Packer` that was given the same types.
  explicit Unpacker(std::string_view bytes, BufferId firstFile = kNoFile + 1) : bytes_(bytes), firstFile_(firstFile) {}

  template <typename T>
  void take(T& value) {
    if constexpr (std::is_same_v<T, double>) {
      value = std::bit_cast<double>(takeNumber());
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      value = static_cast<T>(takeNumber());
    } else if constexpr (std::is_same_v<T, std::string>) {
      const size_t size = takeNumber();
      value = bytes_.substr(at_, size);
      at_ += size;
    } else if constexpr (std::is_same_v<T, SourceRange>) {
      const auto file = static_cast<BufferId>(takeNumber());
      value.buffer = file == 0 ? kNoFile : file - 1 + firstFile_;
      value.begin = static_cast<uint32_t>(takeNumber());
      value.end = value.begin + static_cast<uint32_t>(takeNumber());
    } else if constexpr (requires { value.valueless_by_exception(); }) {
      takeAlternative<0>(value, takeNumber());
    } else if constexpr (requires { value.has_value(); }) {
      if (takeNumber() != 0) take(value.emplace());
    } else if constexpr (requires { value.emplace_back(); }) {
      const size_t size = takeNumber();
      value.reserve(size);
      for (size_t i = 0; i < size; ++i) take(value.emplace_back());
    } else if constexpr (!std::is_empty_v<T>) {
      withMembers(value, [this](auto&... members) { (this->take(members), ...); });
    }
  }

 private:
  template <size_t index, typename Variant>
  void takeAlternative(Variant& value, uint64_t chosen) {
    if (chosen == index) return take(value.template emplace<index>());
    if constexpr (index + 1 < std::variant_size_v<Variant>) takeAlternative<index + 1>(value, chosen);
  }

  uint64_t takeNumber() {
    uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      number |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return number;
    }
  }

  std::string_view bytes_;
  size_t at_ = 0;
  BufferId firstFile_;
};

}  // namespace amdahlc
