/// Text about the passes of the registry: lists for the terminal and pages for the documentation.
#pragma once

#include <string>

#include "passes/manager/registry.h"

namespace amdahlc {

/// The option with its values, as pipeline text takes it: `max-steps-per-root=<1..>`.
std::string valueForm(const PassOption& option);
/// The declarations of a pass: place, facets, inputs, outputs, and options with their defaults.
std::string describePass(const PassRegistry& registry, const PassInfo& info);
/// `-print-passes`.
std::string describePasses(const PassRegistry& registry);
/// The generated part of a pass's documentation page, in Markdown.
std::string passDocumentation(const PassRegistry& registry, const PassInfo& info);

}  // namespace amdahlc
