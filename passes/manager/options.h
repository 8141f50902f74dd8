/// Options of passes and of outputs, as pipeline text sets them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/diagnostic.h"
#include "support/rational.h"
#include "support/source.h"

namespace amdahlc {

/// A text `name=value` or `name` in the angle brackets of pipeline text.
struct PipelineParameter {
  std::string name;
  std::optional<std::string> value;
  SourceRange nameRange;
  SourceRange valueRange;
};

/// What help says of an option: one sentence for lists, and sentences with all else.
struct OptionText {
  OptionText(const char* summary) : summary(summary) {}  // NOLINT: a text is often one sentence
  OptionText(std::string summary, std::string details = "")
      : summary(std::move(summary)), details(std::move(details)) {}
  std::string summary, details;
};

/// Before the name of a flag that is on by default, it switches the flag off, as in LLVM.
inline constexpr std::string_view kNegation = "no-";

/// One option, set by pipeline text `pass<name=value;flag>`.
struct PassOption {
  enum class Kind : uint8_t { Flag, Value, List };
  std::string name;
  Kind kind = Kind::Flag;
  OptionText text = "";
  /// As printed in help.
  std::string defaultValue;
  /// For `Value`: whether a text fits, and what fits, as messages say it: `an integer of at least 1`. Empty: any text,
  /// or one of `choices`.
  std::function<bool(std::string_view)> fits = {};
  std::string takes = {};
  /// The allowed values; empty for any that fit.
  std::vector<std::string> choices;
  /// Where it is set, the last time; nullopt if it has its default.
  std::optional<SourceRange> place = std::nullopt;
  /// For `List`: where each of its texts is.
  std::vector<SourceRange> places = {};
  /// What help writes for the values, if there are no choices.
  std::string form = "<text>";
  /// Of values with a syntax of their own: reports what is wrong with one at this place, and returns false. Empty:
  /// nothing can be.
  std::function<bool(const std::string&, SourceRange, DiagnosticEngine&)> check = {};
  /// Stores a checked value.
  std::function<void(std::string_view)> set;
};

/// A time that a run is to take: as a time, or as so many times as fast. One of both is set.
struct TimeGoal {
  /// Per iteration.
  std::optional<int64_t> ns;
  /// Measured over wanted time; not 0.
  std::optional<Rational> times;
  friend bool operator==(const TimeGoal&, const TimeGoal&) = default;
};

/// Reads `8ms` or `1.5x` (decimals and fractions); nullopt for other text, and for a negative time.
std::optional<TimeGoal> parseTimeGoal(std::string_view text);

/// Declared options. Their values are stored where the declarations say.
class DeclaredOptions {
 public:
  DeclaredOptions() = default;
  DeclaredOptions(const DeclaredOptions&) = delete;
  DeclaredOptions& operator=(const DeclaredOptions&) = delete;

  std::vector<PassOption>& options() { return options_; }
  const std::vector<PassOption>& options() const { return options_; }
  /// The option of this name, or null.
  PassOption* findOption(std::string_view name);
  const PassOption* findOption(std::string_view name) const {
    return const_cast<DeclaredOptions*>(this)->findOption(name);
  }
  /// Sets the option that a checked parameter names; `no-NAME` switches a flag off.
  void set(const PipelineParameter& parameter);

 protected:
  // Each returns the option, until the next one is declared.
  PassOption& flag(std::string name, OptionText text, bool& storage);
  PassOption& integer(std::string name, OptionText text, int64_t& storage, int64_t minimum, int64_t maximum);
  /// A time with its unit, from 0 to `maximumNs`.
  PassOption& duration(std::string name, OptionText text, int64_t& storageNs, int64_t maximumNs);
  /// A number of bytes per second with its unit, from 1 to `maximumBytesPerS`.
  PassOption& byteRate(std::string name, OptionText text, int64_t& storageBytesPerS, int64_t maximumBytesPerS);
  /// A time with its unit, or how many times as fast.
  PassOption& timeGoal(std::string name, OptionText text, std::optional<TimeGoal>& storage);
  PassOption& string(std::string name, OptionText text, std::string& storage, std::vector<std::string> choices = {});
  /// Repeatable; each setting appends.
  PassOption& list(std::string name, OptionText text, std::vector<std::string>& storage,
                   std::vector<std::string> choices = {});
  PassOption& declare(PassOption option) { return options_.emplace_back(std::move(option)); }

 private:
  PassOption& declare(std::string name, PassOption::Kind kind, OptionText text, std::string defaultValue,
                      std::function<void(std::string_view)> set);
  /// An option with the values that `read` reads.
  template <typename Storage, typename Read>
  PassOption& declareValue(std::string name, OptionText text, std::string defaultValue, Storage& storage, Read read);

  std::vector<PassOption> options_;
};

/// `` `a`, `b` or `c` ``
std::string joinChoices(const std::vector<std::string>& choices);

/// The option that a parameter names, with its value checked. Reports an unknown name, a second value of one that takes
/// one (`seen` has the names of those before), and a value that does not fit, and returns null. `owner` is what has the
/// options: ``pass `fuse` ``.
const PassOption* checkedOption(const std::vector<const PassOption*>& options, std::string_view owner,
                                const PipelineParameter& parameter, std::vector<std::string>& seen,
                                DiagnosticEngine& diagnostics);

}  // namespace amdahlc
