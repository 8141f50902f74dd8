/// `-check-rules` and `-print-rules`: rules without an analysis.
#pragma once

#include "api/request.h"
#include "ir/rules.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::api {

/// Loads the rules of the request, of which rules, model, dimensions and traces count. With `Request::checkRules`,
/// checks them against its model and traces, too. Warnings about the files of shipped rules are then summed up in one
/// for each kind: they are for all models and runs, and most of them do not occur in one.
Outcome checkRules(Request request, const PassRegistry& registry, SourceManager& sources, DiagnosticEngine& diagnostics,
                   ir::RuleSet& rules);

}  // namespace amdahlc::api
