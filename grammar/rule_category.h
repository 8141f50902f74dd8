/// The category of rules that programs write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace amdahlc::grammar {

/// The category of a kernel of operators of these types, where nothing states it.
std::string_view categoryOf(const std::vector<std::string>& types);

}  // namespace amdahlc::grammar
