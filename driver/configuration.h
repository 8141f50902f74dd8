/// `-config=run.yaml`: the options of the command line in a file.
#pragma once

#include <string>

#include "driver/options.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::driver {

/// Reads a map from option names to values. An option or an input on the command line replaces the key. Flags are
/// `true` or `false`. An option that may be repeated takes one value, a list, or (if its value is `name=value`) a map.
/// `model` is the input; `passes` may be a list. Paths are relative to the current folder, as on the command line.
/// Reports every error; false if there was one.
bool readConfiguration(const std::string& path, Invocation& invocation, SourceManager& sources,
                       DiagnosticEngine& diagnostics);

}  // namespace amdahlc::driver
