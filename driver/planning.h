/// Plans the pipeline from the settings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/settings.h"
#include "ir/module.h"
#include "passes/manager/pipeline.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::driver {

/// The pipeline with `default` replaced according to the given inputs, the outputs of `-emit` added to the pass that
/// renders outputs, and options of passes set as the command line says. If an option asks for an explanation, the
/// pipeline ends with the last pass that explains something. `isFinal`: all inputs are known. `exitCode` tells whether
/// an error is in an input or in the command line.
std::optional<Pipeline> planPipeline(const Settings& settings, const PassInputs& given, const PassRegistry& registry,
                                     bool isFinal, SourceManager& sources, DiagnosticEngine& diagnostics,
                                     ExitCode& exitCode);

/// Checks that the facets in `present`, the given inputs and earlier passes provide what each pass and each output
/// needs. Also checks that requested dumps and debug text, options of passes, and given inputs, are used.
ExitCode checkPlan(const Pipeline& pipeline, const Settings& settings, const PassInputs& given, ir::FacetSet present,
                   const LostFacets& lost, const PassRegistry& registry, const SourceManager& sources,
                   DiagnosticEngine& diagnostics);

/// Checks, without a model, that the traces allow the outputs, and that the outputs use the options.
ExitCode checkTraceOutputs(const std::vector<OutputRequest>& requests, const Settings& settings,
                           const PassRegistry& registry, DiagnosticEngine& diagnostics);

bool contains(const Pipeline& pipeline, std::string_view pass);

/// Warns of options that choose parts of a trace, without a trace.
void warnUnusedSelection(const Settings& settings, DiagnosticEngine& diagnostics);

/// Notes which passes `default` leaves out because IR text contains no host events, and of which trace files the runs
/// of the text are.
void noteTracesNotGiven(const ir::Module& module, const Pipeline& pipeline, const Settings& settings,
                        const PassInputs& given, const PassRegistry& registry, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::driver
