/// The scripts of completion, one for each shell.
#pragma once

#include <string>

#include "passes/manager/registry.h"

namespace amdahlc::driver {

std::string bashCompletion(const PassRegistry& registry);
std::string zshCompletion(const PassRegistry& registry);
std::string fishCompletion(const PassRegistry& registry);

}  // namespace amdahlc::driver
