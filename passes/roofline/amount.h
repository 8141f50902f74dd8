/// Amounts of work: integers that know when they are unknown or too large.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace amdahlc {

/// A number that is not negative and fits 64 bits; or it is not known; or it is too large. What is computed from an
/// unknown or too large amount is that, too; unknown counts more.
class Amount {
 public:
  constexpr Amount(int64_t value) : value_(value) {  // NOLINT(google-explicit-constructor): counts are amounts
    if (value < 0) state_ = State::Unknown;
  }
  static constexpr Amount unknown() { return Amount(State::Unknown); }
  static constexpr Amount tooLarge() { return Amount(State::TooLarge); }

  constexpr bool isKnown() const { return state_ == State::Known; }
  constexpr bool isTooLarge() const { return state_ == State::TooLarge; }
  /// Precondition: `isKnown()`.
  constexpr int64_t operator*() const { return value_; }
  /// The largest number for one that is not known, or is too large.
  constexpr int64_t orMost() const { return isKnown() ? value_ : std::numeric_limits<int64_t>::max(); }

  friend constexpr Amount operator+(Amount a, Amount b) {
    int64_t sum = 0;
    if (const auto bad = worse(a, b)) return *bad;
    return __builtin_add_overflow(a.value_, b.value_, &sum) ? Amount(State::TooLarge) : Amount(sum);
  }
  friend constexpr Amount operator*(Amount a, Amount b) {
    int64_t product = 0;
    if (const auto bad = worse(a, b)) return *bad;
    return __builtin_mul_overflow(a.value_, b.value_, &product) ? Amount(State::TooLarge) : Amount(product);
  }
  /// 0 where `b` is larger.
  friend constexpr Amount operator-(Amount a, Amount b) {
    if (const auto bad = worse(a, b)) return *bad;
    return Amount(std::max<int64_t>(a.value_ - b.value_, 0));
  }
  /// Rounded down; unknown where `b` is 0.
  friend constexpr Amount operator/(Amount a, Amount b) {
    if (const auto bad = worse(a, b)) return *bad;
    return b.value_ == 0 ? unknown() : Amount(a.value_ / b.value_);
  }
  friend constexpr Amount smaller(Amount a, Amount b) {
    if (const auto bad = worse(a, b)) return *bad;
    return Amount(std::min(a.value_, b.value_));
  }
  friend constexpr Amount larger(Amount a, Amount b) {
    if (const auto bad = worse(a, b)) return *bad;
    return Amount(std::max(a.value_, b.value_));
  }

 private:
  enum class State : uint8_t { Known, TooLarge, Unknown };
  constexpr explicit Amount(State state) : state_(state) {}
  static constexpr std::optional<Amount> worse(Amount a, Amount b) {
    if (a.isKnown() && b.isKnown()) return std::nullopt;
    return a.state_ > b.state_ ? a : b;
  }

  int64_t value_ = 0;
  State state_ = State::Known;
};

}  // namespace amdahlc
