/// What the entries of a library are in `.akp`, as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grammar/xml_rules/group_graph.h"

namespace amdahlc::grammar::xml_rules {

/// `match ... -> result`, in lines that are indented by two.
std::string matchText(const GroupGraph& graph);

/// The match of an operator alone.
std::string matchText(const OperatorType& type);

/// The name of the class of miscellaneous operators.
inline constexpr std::string_view kMiscellaneousClass = "Miscellaneous";

}  // namespace amdahlc::grammar::xml_rules
