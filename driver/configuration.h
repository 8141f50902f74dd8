/// `-config=run.yaml`: the options of the command line in a file.
#pragma once

#include <string>

#include "driver/options.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::driver {

/// Reads a map from option names to values and puts them before what the command line says: an option that the command
/// line names, or an input on it, replaces the key. Flags are `true` or `false`; an option that may be repeated takes
/// one value, a list, or (where its value is `name=value`) a map; `model` is the input; `passes` may be a list. Paths
/// mean what they mean on the command line. False after reporting every error.
bool readConfiguration(const std::string& path, Invocation& invocation, SourceManager& sources,
                       DiagnosticEngine& diagnostics);

}  // namespace amdahlc::driver
