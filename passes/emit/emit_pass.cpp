// Before: facts in the module.                      After: the same module, and outputs for the driver to write.
//
//   emit<output=json=report.json;output="svg<fold=2>">
//
// It only divides totals by iterations and sorts. All other numbers are facts that passes established. A missing fact
// is null or left out. An output that needs a missing facet is an error before any pass runs.

#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "passes/manager/pass.h"
#include "report/measured_runs.h"
#include "report/outputs/rendering.h"

namespace amdahlc {

class EmitPass : public Pass {
 public:
  EmitPass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  OutputOptions options_;
  std::vector<std::string> outputs_;
  int64_t& written_;
};

EmitPass::EmitPass() : written_(statistic("outputs", "outputs rendered")) {
  runsByDefault();
  for (const PassOption& option : options_.options()) declare(option);
  PassOption& output =
      list(std::string(kOutputOption),
           {fmt::format("Render an output: kind, kind=path, or `kind<option=value>=path`; {} if none is named.",
                        kDefaultOutput),
            "`-help=output` lists the kinds and their options."},
           outputs_);
  output.form = "kind[<options>][=path]";
  output.check = [](const std::string& text, SourceRange range, DiagnosticEngine& diagnostics) {
    return checkOutputRequest(text, range, DiagId::PipelineOptionValue, diagnostics);
  };
  for (const char* name : {"fold", "rankdir", "embed-doc-strings", "top", "segments"}) hasOldSpelling(name, name);
  addsCommandOption(
      {.name = "fail-on-regression",
       .argument = "[kernel:]percent",
       .summary = "Fail if a run became slower than `-baseline` by more than this.",
       .details =
           "Growth that noise explains does not count, and nothing fails where busy and wall both fell. New kernels "
           "count net of those that they replace; `kernel:3%` also judges each kernel alone. Outputs are written, and "
           "the exit code is 3.",
       .maximum = kMostGrowth / 1000,
       .isPercent = true,
       .prefix = "kernel:",
       .sets = "regression-limit",
       .prefixSets = "single-kernels",
       .gate = Gate{.needs = ir::Facet::Timed, .check = checkRegressions}});
}

PassResult EmitPass::run(ir::Module& module, PassContext& context) {
  if (outputs_.empty()) outputs_.emplace_back(kDefaultOutput);
  for (const std::string& output : outputs_) {
    auto artifacts = render(parseOutputRequest(output), options_, module, context.analyses, context.diagnostics);
    if (!artifacts) return PassResult::failed();
    if (context.wantsDebug())
      for (const Artifact& artifact : *artifacts)
        context.debug(fmt::format("rendered `{}`, {} bytes", artifact.kind, artifact.bytes.size()));
    if (std::vector<Artifact>* all = context.analyses.options<Rendering>().artifacts)
      all->insert(all->end(), std::make_move_iterator(artifacts->begin()), std::make_move_iterator(artifacts->end()));
    ++written_;
  }
  return PassResult::unchanged();
}

std::unique_ptr<Pass> makeEmitPass() { return std::make_unique<EmitPass>(); }

}  // namespace amdahlc
