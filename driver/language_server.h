/// `-lsp`: the language server on stdin and stdout.
#pragma once

#include "driver/console.h"
#include "driver/settings.h"
#include "support/diagnostic.h"

namespace amdahlc::driver {

/// Serves until the editor says `exit` or closes stdin. An input fault if it did not say `shutdown` before, as the
/// protocol has it.
Outcome serveEditor(const Settings& settings, Console& console, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::driver
