/// Checks that all of a request has an effect in the pipeline that was planned for it, and that what it asks for can
/// exist.
#pragma once

#include "api/request.h"
#include "ir/module.h"
#include "passes/manager/pipeline.h"
#include "support/diagnostic.h"

namespace amdahlc::api {

/// Checks that the facets in `present`, the given inputs and earlier passes provide what each pass and each output
/// needs. Also checks that named passes, options of passes and of outputs, and given inputs, are used. Without a model,
/// only its outputs count of the pipeline, the traces must allow them, and parts of the request that are about a model
/// are refused.
Outcome checkPlan(const Pipeline& pipeline, const Request& request, const PassInputs& given, ir::FacetSet present,
                  const LostFacets& lost, const PassRegistry& registry, const SourceManager& sources,
                  DiagnosticEngine& diagnostics);

/// Reports outputs of the pipeline that cannot exist.
Outcome checkOutputs(const Pipeline& pipeline, const Request& request, const PassInputs& given, ir::FacetSet present,
                     const PassRegistry& registry, const SourceManager& sources, DiagnosticEngine& diagnostics);

/// Warns of options that choose parts of a trace, without a trace.
void warnUnusedSelection(const Request& request, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::api
