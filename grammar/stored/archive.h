/// Rules as bytes, for the program that writes them and for builds of the same sources. Private to this component.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "ir/rules.h"
#include "support/source.h"

namespace amdahlc::grammar {

/// Calls `work` with all members of a value. It does not compile if one of them is not named.
#define AMDAHLC_MEMBERS(TYPE, ...)               \
  template <typename Work>                       \
  void withMembers(TYPE& of, const Work& work) { \
    auto& [__VA_ARGS__] = of;                    \
    work(__VA_ARGS__);                           \
  }
AMDAHLC_MEMBERS(ir::Expr, kind, args, text, integer, real, range)
AMDAHLC_MEMBERS(ir::OperatorName, domain, type)
AMDAHLC_MEMBERS(ir::OperatorSet, any, none)
AMDAHLC_MEMBERS(ir::ConstantTest, equals, test)
AMDAHLC_MEMBERS(ir::PatternValue::Definition, alias, index, output)
AMDAHLC_MEMBERS(ir::PatternValue, name, kind, optional, shared, constant, definitions)
AMDAHLC_MEMBERS(ir::PatternNode, operators, min, max, operands, moreOperands, anyOrder, outputs, attributes, view)
AMDAHLC_MEMBERS(ir::Pattern, values, nodes, results, anchor, where)
AMDAHLC_MEMBERS(ir::Applicability, runtimes, vendors, archs)
AMDAHLC_MEMBERS(ir::KernelStep, test, min, max)
AMDAHLC_MEMBERS(ir::LaunchSequence, steps, anyOrder, operators, operatorPatterns, where)
AMDAHLC_MEMBERS(ir::Rule, name, label, category, doc, file, priority, where, recompute, generated, noDeviceWork,
                namesOnly, patterns, launches, range)
AMDAHLC_MEMBERS(ir::Views, where, operators)
AMDAHLC_MEMBERS(ir::Lowering::Parameter, kind, optional, name, behindMore)
AMDAHLC_MEMBERS(ir::Lowering::Attribute, name, value)
AMDAHLC_MEMBERS(ir::Lowering::Operand, kind, index)
AMDAHLC_MEMBERS(ir::Lowering::Operator, name, operands, attributes)
AMDAHLC_MEMBERS(ir::Lowering, calls, parameters, moreTensors, passesMore, ops, where, range)
AMDAHLC_MEMBERS(ir::RuleSet, rules, lowerings, hidden, views)
#undef AMDAHLC_MEMBERS

/// The first buffer of a source manager, which is of no rule file: a range that is nowhere is in it.
inline constexpr BufferId kNoFile = 0;

class Packer {
 public:
  /// `firstFile`: the buffer of the first rule file; the others follow it.
  explicit Packer(BufferId firstFile) : firstFile_(firstFile) {}

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
    } else if constexpr (requires { value.has_value(); }) {
      addNumber(value.has_value());
      if (value) add(*value);
    } else if constexpr (requires { value.begin(); }) {
      addNumber(value.size());
      for (auto& one : value) add(one);
    } else {
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
  Unpacker(std::string_view bytes, BufferId firstFile) : bytes_(bytes), firstFile_(firstFile) {}

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
    } else if constexpr (requires { value.has_value(); }) {
      if (takeNumber() != 0) take(value.emplace());
    } else if constexpr (requires { value.begin(); }) {
      const size_t size = takeNumber();
      value.reserve(size);
      for (size_t i = 0; i < size; ++i) take(value.emplace_back());
    } else {
      withMembers(value, [this](auto&... members) { (this->take(members), ...); });
    }
  }

 private:
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

}  // namespace amdahlc::grammar
