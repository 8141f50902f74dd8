/// Pipeline text, and the passes that it names.
///
///     pipeline  := element { "," element }          (empty text: no pass)
///     element   := name [ "<" [ parameter { ";" parameter } ] ">" ]
///     parameter := name [ "=" value ]
///     value     := text without `;` `<` `>` `"` at its ends trimmed | '"' text with `\"` and `\\` '"'
///
/// `default<PASS.OPTION=value>` sets an option of a pass that `default` stands for. Values of options may have the
/// same form, with a value behind it: `svg<fold=2>=out.svg`. Passes do not nest, so the text does not either. Blanks
/// and line ends between tokens are ignored.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/module.h"
#include "passes/manager/pass.h"
#include "passes/manager/registry.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc {

struct PipelineElement {
  std::string name;
  SourceRange range;
  std::vector<PipelineParameter> parameters;
};

/// Parses the text of a buffer. Every syntax error is reported as `pipeline-syntax`.
std::optional<std::vector<PipelineElement>> parsePipeline(BufferId buffer, const SourceManager& sources,
                                                          DiagnosticEngine& diagnostics);

/// An element with a value. What messages call them: `output`, `an output`, `a path`.
struct ValuedElement {
  struct Names {
    std::string_view element, anElement, aValue;
  };
  PipelineElement element;
  std::optional<std::string> value;
};
/// Parses a text of the form `name`, `name<parameters>`, or both with `=value`, at a place of a buffer. Reports an
/// error of the syntax as `pipeline-syntax`.
std::optional<ValuedElement> parseValuedElement(std::string_view text, SourceRange where,
                                                const ValuedElement::Names& names, DiagnosticEngine& diagnostics);

/// Replaces each element `alias` by its passes, at the location of the alias. Its parameters `PASS.OPTION` become
/// parameters `OPTION` of the pass; those of other passes are left out.
std::vector<PipelineElement> expandAlias(const std::vector<PipelineElement>& elements, std::string_view alias,
                                         const std::vector<std::string>& passes);

/// Of a parameter `PASS.OPTION`, the pass; an empty name if it has no such form.
std::string_view passOfParameter(const PipelineParameter& parameter);

/// A pass of a pipeline with its options set.
struct PlannedPass {
  const PassInfo* info = nullptr;
  std::unique_ptr<Pass> pass;
  SourceRange range;
  std::vector<PipelineParameter> parameters;
};
using Pipeline = std::vector<PlannedPass>;

/// Creates the passes and sets their options. Reports unknown names with a suggestion, and invalid values. `aliases`
/// are names that a suggestion may also offer.
std::optional<Pipeline> buildPipeline(const std::vector<PipelineElement>& elements, const PassRegistry& registry,
                                      const std::vector<std::string>& aliases, DiagnosticEngine& diagnostics);

/// The passes of the default pipeline, in the order of the registry: those that run by default, with given inputs and
/// with facets that earlier passes establish. A pass that runs if asked for also needs its name in `askedFor`.
std::vector<std::string> defaultPasses(const PassRegistry& registry, const PassInputs& given,
                                       const std::set<std::string>& askedFor = {});

/// Whether a pass of the pipeline needs `input`.
bool needsInput(const Pipeline& pipeline, PassInput input);

/// Whether every input that a pass needs is given. Otherwise reports each missing input once.
bool checkInputs(const Pipeline& pipeline, const PassInputs& given, DiagnosticEngine& diagnostics);

/// Facets that the module had when it was read, but that other inputs invalidate before the first pass.
struct LostFacets {
  ir::FacetSet facets;
  /// ``the IR text has no facts about run `u` ``
  std::string why;
  /// What the user can do instead of establishing them again: `` leave out `-rules=` ``; may be empty.
  std::string otherwise;
};

/// Why a lost facet is missing, and the passes that establish it again: `` WHY; add `fuse`, `trace-bind` WHERE ``.
std::string howToRestore(ir::Facet facet, ir::FacetSet present, const LostFacets& lost, const PassRegistry& registry,
                         std::string_view where);

/// Whether every facet that a pass requires is in `present` or established by an earlier pass. Otherwise reports
/// which pass to add. `hasRuns`: the module has, or will have, runs.
bool checkFacets(const Pipeline& pipeline, ir::FacetSet present, const LostFacets& lost, const PassRegistry& registry,
                 DiagnosticEngine& diagnostics, bool hasRuns = false);

/// The text of this pipeline, which can be parsed again.
std::string printPipeline(const Pipeline& pipeline);

}  // namespace amdahlc
