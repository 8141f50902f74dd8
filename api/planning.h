/// Plans the pipeline that a request asks for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/request.h"
#include "ir/module.h"
#include "passes/manager/pipeline.h"
#include "report/outputs/output_requests.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::api {

/// The pipeline with `default` replaced according to the given inputs, the outputs of `-emit` added to the pass that
/// renders outputs, and options of passes set as the request says. If an option asks for an explanation, the pipeline
/// ends with the last pass that explains something. `isFinal`: all inputs are known. `outcome` tells whether an error
/// is in an input or in the request.
std::optional<Pipeline> planPipeline(const Request& request, const PassInputs& given, const PassRegistry& registry,
                                     bool isFinal, SourceManager& sources, DiagnosticEngine& diagnostics,
                                     Outcome& outcome);

/// Checks that the facets in `present`, the given inputs and earlier passes provide what each pass and each output
/// needs. Also checks that named passes, options of passes and of outputs, and given inputs, are used. Without a model,
/// only its outputs count of the pipeline, the traces must allow them, and parts of the request that are about a model
/// are refused.
Outcome checkPlan(const Pipeline& pipeline, const Request& request, const PassInputs& given, ir::FacetSet present,
                  const LostFacets& lost, const PassRegistry& registry, DiagnosticEngine& diagnostics);

/// Reports outputs of the pipeline that cannot exist. An output of the request is a fault of the request, one in the
/// pipeline text is one of an input.
Outcome checkOutputs(const Pipeline& pipeline, const Request& request, const PassInputs& given, ir::FacetSet present,
                     const PassRegistry& registry, DiagnosticEngine& diagnostics);

/// The pass that renders one output, with the options that it has in the pipeline that ran. `range` is the place of the
/// text of the output. Reports a text that names none.
std::optional<Pipeline> planOutput(const std::string& output, SourceRange range, const Pipeline& ran,
                                   const PassRegistry& registry, DiagnosticEngine& diagnostics);

bool contains(const Pipeline& pipeline, std::string_view pass);

/// Whether an output of the pipeline is rendered: without a model, only if it is asked for.
bool isRendered(const PlannedOutput& output, const Request& request);

/// Warns of options that choose parts of a trace, without a trace.
void warnUnusedSelection(const Request& request, DiagnosticEngine& diagnostics);

/// Notes which passes `default` leaves out because IR text contains no host events, and of which trace files the runs
/// of the text are.
void noteTracesNotGiven(const ir::Module& module, const Pipeline& pipeline, const Request& request,
                        const PassInputs& given, const PassRegistry& registry, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::api
