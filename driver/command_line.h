/// Parses argv into an invocation.
#pragma once

#include "driver/options.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::driver {

/// Reads options with one or two dashes, `-name=value` or `-name value`; `--` ends them. Every error is reported. Each
/// argument becomes a buffer `<command line>`, so that messages about a value can point into it.
Invocation readCommandLine(int argc, char** argv, SourceManager& sources, DiagnosticEngine& diagnostics);

/// Names of options that a suggestion may offer.
std::vector<std::string> optionNames();

}  // namespace amdahlc::driver
