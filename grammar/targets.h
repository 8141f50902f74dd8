/// Runtimes and vendors that a target is known to have: the one list for rules and for the command.
#pragma once

#include <string>
#include <vector>

namespace amdahlc::grammar {

/// Lower case, sorted. Rules may name others, since a trace says what it ran on; a slip of one of these is worth a warning.
const std::vector<std::string>& knownRuntimes();
const std::vector<std::string>& knownVendors();

}  // namespace amdahlc::grammar
