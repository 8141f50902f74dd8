/// Pipeline text, and the passes that it names.
///
///     pipeline  := element { "," element }          (empty text: no pass)
///     element   := name [ "<" [ parameter { ";" parameter } ] ">" ]
///     parameter := name [ "=" value ]
///     value     := text without `;` `<` `>` `"` at its ends trimmed | '"' text with `\"` and `\\` '"'
///
/// Passes do not nest, therefore neither does the text. Blanks and line ends between tokens mean nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/module.h"
#include "passes/manager/pass.h"
#include "passes/manager/registry.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc {

struct PipelineParameter {
  std::string name;
  std::optional<std::string> value;
  SourceRange nameRange;
  SourceRange valueRange;
};

struct PipelineElement {
  std::string name;
  SourceRange range;
  std::vector<PipelineParameter> parameters;
};

/// Reads the text of a buffer; every error of form is reported as `pipeline-syntax`.
std::optional<std::vector<PipelineElement>> parsePipeline(BufferId buffer, const SourceManager& sources,
                                                          DiagnosticEngine& diagnostics);

/// Replaces each element `alias` by the passes it stands for, located where the alias stands.
std::vector<PipelineElement> expandAlias(const std::vector<PipelineElement>& elements, std::string_view alias,
                                         const std::vector<std::string>& passes);

/// A pass of a pipeline, created and with its options set.
struct PlannedPass {
  const PassInfo* info = nullptr;
  std::unique_ptr<Pass> pass;
  SourceRange range;
  std::vector<PipelineParameter> parameters;
};
using Pipeline = std::vector<PlannedPass>;

/// Creates the passes and sets their options; reports unknown names with a suggestion, and values that do not fit.
/// `aliases` are names that a suggestion may also offer.
std::optional<Pipeline> buildPipeline(const std::vector<PipelineElement>& elements, const PassRegistry& registry,
                                      const std::vector<std::string>& aliases, DiagnosticEngine& diagnostics);

/// The passes of `default`, in the order of the registry: those that run by default, whose inputs are given, whose
/// facets are established by the passes before them, and (where they run for their outputs only) one of whose outputs
/// is in `outputs`.
std::vector<std::string> defaultPasses(const PassRegistry& registry, const PassInputs& given,
                                       const std::vector<OutputRequest>& outputs);

/// Whether a pass of the pipeline needs `input`.
bool needsInput(const Pipeline& pipeline, PassInput input);

/// Outputs that a planned pass was asked for, each with the parameter that asks; the default one has none. Empty for a
/// pass that renders none.
struct PlannedOutput {
  OutputRequest request;
  const PipelineParameter* parameter = nullptr;
};
std::vector<PlannedOutput> plannedOutputs(const PlannedPass& planned);

/// Whether a pass of the pipeline renders outputs; otherwise the pipeline prints the IR at its end.
bool rendersOutputs(const Pipeline& pipeline);

/// True when every input that a pass needs is given; otherwise says how to give it, once for each.
bool checkInputs(const Pipeline& pipeline, const PassInputs& given, DiagnosticEngine& diagnostics);

/// True when every pass finds the facets it requires, in `module` or by a pass before it; otherwise says which pass to
/// add.
bool checkFacets(const Pipeline& pipeline, const ir::Module& module, const PassRegistry& registry,
                 DiagnosticEngine& diagnostics);

/// The text that gives this pipeline again.
std::string printPipeline(const Pipeline& pipeline);

}  // namespace amdahlc
