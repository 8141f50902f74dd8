// Before: facts in the module.                      After: the same module, and outputs for the driver to write.
//
//   emit<output=json=report.json;output=summary>
//
// It only divides totals by iterations and sorts. All other numbers are facts that passes established. A missing fact
// is null or left out. An output that needs a missing facet is an error before any pass runs.

#include "passes/emit/emit_pass.h"

#include <fmt/format.h>

#include "ir/text.h"
#include "passes/emit/report_analysis.h"
#include "passes/emit/trace_annotations.h"
#include "passes/emit/writers.h"
#include "passes/manager/registry.h"
#include "trace/annotate.h"
#include "trace/kineto_excerpt.h"

namespace amdahlc {
namespace {

constexpr std::string_view kDefaultOutput = "summary";

const Report& reportOf(const OutputContext& context) { return context.analyses.get<ReportAnalysis>().report(); }

}  // namespace

EmitPass::EmitPass() : written_(statistic("outputs", "outputs rendered")) {
  runsByDefault();
  enablesOutput({.name = std::string(kDefaultOutput),
                 .summary = "tables for a terminal: totals, top kernels, aggregates, unbound time, what-ifs",
                 .write = [](const OutputContext& context) {
                   return writeSummary(reportOf(context), context.style, context.sections);
                 }});
  enablesOutput({.name = "json",
                 .summary = "the whole report as JSON, schema amdahlc.report/1",
                 .write = [](const OutputContext& context) { return writeJson(reportOf(context), context.sections); }});
  enablesOutput({.name = "csv",
                 .summary = "one row per kernel",
                 .write = [](const OutputContext& context) { return writeCsv(reportOf(context), context.sections); },
                 .isCsv = true});
  enablesOutput({.name = "dot",
                 .summary = "the kernel graph for Graphviz, with the critical path and branch labels",
                 .needs = ir::Facet::Fused,
                 .write = [](const OutputContext& context) { return writeDot(reportOf(context), context.sections); }});
  enablesOutput({.name = "trace",
                 .summary = "the selected iterations of the trace as a small trace with the same report",
                 .writeTimeline = trace::writeExcerpt,
                 .whyNot = whyNoExcerpt});
  enablesOutput({.name = "chrome-trace",
                 .summary = "the trace itself with the kernel of each event, for Perfetto and chrome://tracing",
                 .needs = ir::Facet::Bound,
                 .annotate = [](const OutputContext& context,
                                ir::CoverId run) { return traceAnnotations(reportOf(context), run, context.sections); },
                 .whyNot = trace::whyNotAnnotated});
  enablesOutput({.name = std::string(kIrOutput),
                 .summary = "the module as IR text, which can be the input of another run",
                 .write = [](const OutputContext& context) { return ir::print(context.module); }});
}

void EmitPass::completeOptions(const PassRegistry& registry) {
  kinds_ = registry.outputKinds();
  sections_ = registry.reportSections();
  outputs("output", std::string(kDefaultOutput), registry, outputs_);
}

PassResult EmitPass::run(ir::Module& module, PassContext& context) {
  if (outputs_.empty()) outputs_.push_back({std::string(kDefaultOutput), ""});
  const TextStyle style{context.terminalColumns ? context.terminalColumns : kColumnsOfAPipe, context.color};
  for (const OutputRequest& output : outputs_) {
    auto artifacts = renderOutput(*findOutputKind(kinds_, output.kind), output.path,
                                  {module, context.analyses, style, sections_}, context.diagnostics);
    if (!artifacts) return PassResult::failed();
    for (Artifact& artifact : *artifacts) {
      if (context.wantsDebug())
        context.debug(fmt::format("rendered `{}`, {} bytes", artifact.kind, artifact.bytes.size()));
      context.artifacts.push_back(std::move(artifact));
    }
    ++written_;
  }
  return PassResult::unchanged();
}

}  // namespace amdahlc
