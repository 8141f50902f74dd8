/// Names and literals of the rule language, for everything that writes rules.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/rules.h"

namespace amdahlc::ir {

/// Whether the word is a keyword somewhere in the language. The grammar still accepts most of them as names.
bool isRuleKeyword(std::string_view word);

/// The name of a rule, a category or a target; quoted where it has to be.
std::string ruleName(std::string_view name);
std::string quotedString(std::string_view text);
/// `/regex/`.
std::string regexLiteral(std::string_view regex);
/// A regular expression that finds the text.
std::string regexThatFinds(std::string_view text);
/// `*`, `+`, `{1,3}`; empty for one. A maximum of 0 is none.
std::string countText(uint32_t min, uint32_t max);
/// `Add`, `com.microsoft::Gelu`, `*::Gelu`, `_`. A name that a class of views could have gets its domain.
std::string operatorWord(const OperatorName& name);

/// A set of operators for messages: `` `A` or `B` ``, `` any operator but `C` ``. Of many it lists the first.
std::string describe(const OperatorSet& set);

/// What `operatorWord` keeps apart from operators: classes of views that a printer declares begin with it.
inline constexpr std::string_view kViewClass = "View";

}  // namespace amdahlc::ir
