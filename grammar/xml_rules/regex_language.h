/// The sets of kernel names that regular expressions accept, with look-arounds, and a decision whether a statement
/// about several such sets holds for every name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grammar/xml_rules/kernel_regex.h"

namespace amdahlc::grammar::xml_rules {

/// How an expression is applied to a name.
enum class RegexUse : uint8_t {
  /// It must match at the beginning of the name, as by Python's `re.match`.
  AtBegin,
  /// It may match anywhere, as in `.akp`.
  Anywhere,
};

struct RegexSide {
  const KernelRegex* regex;
  RegexUse use;
};

struct Decision {
  enum class Answer : uint8_t { Holds, Fails, Unknown };
  Answer answer = Answer::Unknown;
  /// Fails: a shortest name for which it does not hold; `?` stands for a character beyond ASCII.
  std::string counterexample;
  /// Unknown: why.
  std::string reason;
};

/// Whether `holds` is true for every name; its argument says which of the expressions accept the name. What it compares
/// is subtracted from `budget`.
Decision holdsForEveryName(const std::vector<RegexSide>& sides,
                           const std::function<bool(const std::vector<bool>&)>& holds, size_t& budget);

}  // namespace amdahlc::grammar::xml_rules
