/// Renders the texts of `-help`, `-help=topic` and `-help=pass`.
#pragma once

#include <optional>
#include <string>

#include "driver/options.h"
#include "passes/manager/registry.h"

namespace amdahlc::driver {

/// All options by topic, one line each, and examples.
std::string helpText();
/// The full text of a topic, or the description of a pass; nullopt for other names.
std::optional<std::string> helpOn(const std::string& name, const PassRegistry& registry);
/// Names that `helpOn` knows.
std::vector<std::string> helpTopics(const PassRegistry& registry);

}  // namespace amdahlc::driver
