/// `-convert-rules`: the pattern library of the predecessor as `.akp`.
#pragma once

#include "driver/settings.h"

namespace amdahlc::driver {

/// Converts and writes. What could be converted is written even if some entries could not, which are errors.
ExitCode convertRules(const Settings& settings, SourceManager& sources, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::driver
