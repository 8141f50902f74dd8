/// The manual page of the command, from the same tables as its help.
#pragma once

#include <string>

#include "passes/manager/registry.h"

namespace amdahlc::driver {

/// In the macros of man(7). It has no date: equal builds print the same.
std::string manPage(const PassRegistry& registry);

}  // namespace amdahlc::driver
