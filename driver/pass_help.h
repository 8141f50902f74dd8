/// Text about the passes of the registry and about outputs: lists for the terminal and pages for the documentation.
#pragma once

#include <string>

#include "passes/manager/registry.h"
#include "report/outputs/output.h"

namespace amdahlc::driver {

/// Both texts of an option: `SUMMARY DETAILS`.
std::string withDetails(std::string_view summary, std::string_view details);
/// The option with its values, as pipeline text takes it: `max-steps-per-root=<1..>`.
std::string valueForm(const PassOption& option);
/// The declarations of a pass: place, facets, inputs, outputs, and options with their defaults.
std::string describePass(const PassRegistry& registry, const PassInfo& info);
/// `-help=passes`.
std::string describePasses(const PassRegistry& registry);
/// A kind of output with its options.
std::string describeOutput(const Output& output);
/// The options that outputs take, each with its kinds.
std::string describeOptionsOfOutputs();
/// The generated part of a pass's documentation page, in Markdown.
std::string passDocumentation(const PassRegistry& registry, const PassInfo& info);

}  // namespace amdahlc::driver
