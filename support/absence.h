/// What does not exist, and why: a fact, an output, a picture, a folder. Whoever looks for it returns the reason in its
/// place; reports, messages and pictures make the sentence.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace amdahlc {

struct Absence {
  enum class Reason : uint8_t {
#define AMDAHLC_ABSENCE(REASON, CLAUSE) REASON,
#include "support/absences.def"
  };
  Reason reason;
  /// As many as its clause takes, as they are in the input: not printable.
  std::vector<std::string> arguments = {};

  friend auto operator<=>(const Absence&, const Absence&) = default;
};

/// As a clause for users.
std::string describe(const Absence& absence);

/// What was looked for, or why it does not exist.
template <typename Fact>
class Known {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a function returns either of them.
  Known(Fact fact) : state_(std::in_place_index<0>, std::move(fact)) {}
  Known(Absence absence) : state_(std::in_place_index<1>, std::move(absence)) {}
  // NOLINTEND(google-explicit-constructor)

  explicit operator bool() const { return state_.index() == 0; }
  // Precondition: it exists.
  const Fact& operator*() const { return std::get<0>(state_); }
  const Fact* operator->() const { return &std::get<0>(state_); }
  /// nullopt if it exists.
  std::optional<Absence> absence() const {
    return state_.index() == 0 ? std::nullopt : std::optional(std::get<1>(state_));
  }

  friend bool operator==(const Known&, const Known&) = default;

 private:
  std::variant<Fact, Absence> state_;
};

}  // namespace amdahlc
