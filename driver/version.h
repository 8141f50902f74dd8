/// The text of `-version`: what a report of a fault needs to know about the command.
#pragma once

#include <string>

namespace amdahlc::driver {

/// The version alone, as in `0.1.0`.
std::string versionNumber();

/// The version, then `key: value` lines: source, compiler and build, the libraries it was built with, and the rules
/// that it finds. Equal builds of equal sources print the same: no path, no name of a machine, no time.
std::string versionText();

}  // namespace amdahlc::driver
