/// Plans the pipeline that a request asks for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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

/// The pass that renders one output, with the options that it has in the pipeline that ran. `range` is the place of the
/// text of the output. Reports a text that names none.
std::optional<Pipeline> planOutput(const std::string& output, SourceRange range, const Pipeline& ran,
                                   const PassRegistry& registry, DiagnosticEngine& diagnostics);

/// The outputs that an option of the command changes, because it sets an option of theirs.
std::vector<std::string_view> outputsChangedBy(const PassArgument& argument);

bool contains(const Pipeline& pipeline, std::string_view pass);

/// Whether an output of the pipeline is rendered: without a model, only if it is asked for.
bool isRendered(const PlannedOutput& output, const Request& request);

/// Notes which passes `default` leaves out because IR text contains no host events, and of which trace files the runs
/// of the text are.
void noteTracesNotGiven(const ir::Module& module, const Pipeline& pipeline, const Request& request,
                        const PassInputs& given, const PassRegistry& registry, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::api
