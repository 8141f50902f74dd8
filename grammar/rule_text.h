/// Parts of `.akp` text, for programs that write rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace amdahlc::grammar {

/// The category of a kernel of operators of these types, where nothing states it.
std::string_view categoryOf(const std::vector<std::string>& types);

/// The name of a rule; quoted where it has to be.
std::string ruleName(const std::string& name);
std::string quotedString(std::string_view text);
/// A regular expression between slashes that finds the text.
std::string regexOf(std::string_view text);

}  // namespace amdahlc::grammar
