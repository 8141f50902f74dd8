/// What the registry knows about passes, as text: lists for the terminal and pages for the documentation.
#pragma once

#include <string>

#include "passes/manager/registry.h"

namespace amdahlc {

/// What a pass declares: its place, facets, inputs, outputs, and its options with their defaults.
std::string describePass(const PassRegistry& registry, const PassInfo& info);
/// `-print-passes`.
std::string describePasses(const PassRegistry& registry);
/// The generated part of a pass's documentation page, in Markdown.
std::string passDocumentation(const PassRegistry& registry, const PassInfo& info);

}  // namespace amdahlc
