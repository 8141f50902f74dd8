/// What the registry knows about passes, as text: lists for the terminal and pages for the documentation.
#pragma once

#include <string>

#include "passes/manager/registry.h"

namespace amdahlc {

/// `-print-passes`: name, summary, options with their defaults, what a pass requires and establishes.
std::string describePasses(const PassRegistry& registry);
/// The generated part of a pass's documentation page, in Markdown.
std::string passDocumentation(const PassInfo& info);

}  // namespace amdahlc
