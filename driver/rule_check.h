/// `-check-rules` with a model or a trace: what is said about the user's own rules, and about those that ship.
#pragma once

#include <set>
#include <vector>

#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::driver {

/// Reports what was found. Warnings about the files of shipped rules are summed up in one for each kind: they are for
/// all models and runs, and most of them do not occur in one.
void reportFound(const std::vector<Diagnostic>& found, const std::set<BufferId>& shipped,
                 DiagnosticEngine& diagnostics);

}  // namespace amdahlc::driver
