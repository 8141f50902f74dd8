// Before: facts in the module.                      After: the same module, and outputs for the driver to write.
//
//   emit<output=json=report.json;output=summary>
//
// It only divides totals by iterations and sorts. All other numbers are facts that passes established. A missing fact
// is null or left out. An output that needs a missing facet is an error before any pass runs.

#include "passes/emit/emit_pass.h"

#include <fmt/format.h>

#include <algorithm>

#include "drawing/dot.h"
#include "drawing/fold.h"
#include "drawing/svg.h"
#include "ir/text.h"
#include "passes/emit/diagrams.h"
#include "passes/emit/model_explorer.h"
#include "passes/emit/rank_writers.h"
#include "passes/emit/regression_gate.h"
#include "passes/emit/report_analysis.h"
#include "passes/emit/segment_writers.h"
#include "passes/emit/trace_annotations.h"
#include "passes/emit/writers.h"
#include "passes/manager/registry.h"
#include "timeline/excerpt.h"
#include "trace/kineto_writer.h"

namespace amdahlc {
namespace {

constexpr std::string_view kDefaultOutput = "summary";
constexpr int64_t kMostRows = 1'000'000;
// A million percent.
constexpr int64_t kMostGrowth = 1'000'000'000;

const Report& reportOf(const OutputContext& context) { return context.analyses.get<ReportAnalysis>().report(); }

SegmentTable segmentsOf(const OutputContext& context) {
  return segmentTable(reportOf(context), context.sections, context.report.segments);
}

const RunReport& runOf(const OutputContext& context, ir::CoverId cover) {
  const Report& report = reportOf(context);
  return *std::find_if(report.runs.begin(), report.runs.end(),
                       [&](const RunReport& row) { return row.cover == &context.module.cover(cover); });
}

/// The picture of the kernels of a run.
drawing::Diagram kernelsOf(const OutputContext& context, ir::CoverId cover) {
  return drawing::fold(
      kernelDiagram(reportOf(context), runOf(context, cover), context.analyses.get<ir::OperatorGraph>(),
                    context.sections, context.picture.docStrings),
      context.picture.fold);
}

drawing::Diagram simplifiedOf(const OutputContext& context) {
  return drawing::fold(
      simplifiedDiagram(context.module, context.analyses.get<ir::OperatorGraph>(), context.picture.docStrings),
      context.picture.fold);
}

drawing::Diagram fullOf(const OutputContext& context) {
  return drawing::fold(fullDiagram(context.module, context.picture.docStrings), context.picture.fold);
}

}  // namespace

EmitPass::EmitPass() : written_(statistic("outputs", "outputs rendered")) {
  runsByDefault();
  enablesOutput({.name = std::string(kDefaultOutput),
                 .summary = "tables for a terminal: totals, top kernels, aggregates, unbound time, what-ifs",
                 .write =
                     [](const OutputContext& context) {
                       return writeSummary(reportOf(context), context.style, context.report, context.sections);
                     },
                 .baseline = OutputKind::BaselineUse::IfGiven});
  enablesOutput(
      {.name = "junit",
       .summary = "the comparison with `-baseline` as JUnit XML, a case for each total and each kernel",
       .needs = ir::Facet::Timed,
       .write =
           [](const OutputContext& context) { return writeJUnit(reportOf(context), context.report, context.sections); },
       .baseline = OutputKind::BaselineUse::Needed});
  enablesOutput(
      {.name = "json",
       .summary = "the whole report as JSON, schema amdahlc.report/1",
       .write =
           [](const OutputContext& context) { return writeJson(reportOf(context), context.sections, context.report); },
       .schemaName = "report",
       .schema = reportSchema});
  enablesOutput({.name = "csv",
                 .summary = "one row per kernel",
                 .write = [](const OutputContext& context) { return writeCsv(reportOf(context), context.sections); },
                 .isCsv = true});
  enablesOutput(
      {.name = "compare",
       .summary = "the runs side by side, by segments of the model that all of them execute as a whole",
       .needs = ir::Facet::Timed,
       .write = [](const OutputContext& context) { return writeSegments(segmentsOf(context), context.style); }});
  enablesOutput(
      {.name = "compare-csv",
       .summary = "the same as CSV, one row for each segment of each run",
       .needs = ir::Facet::Timed,
       .write = [](const OutputContext& context) { return writeSegmentsCsv(segmentsOf(context), context.module); },
       .isCsv = true});
  enablesOutput({.name = std::string(kRanksOutput),
                 .summary = "the ranks of a run side by side: stragglers, exposed communication, who waits for whom",
                 .writeRanks = writeRanks});
  enablesOutput({.name = "ranks-csv",
                 .summary = "the same as CSV, one row per rank",
                 .writeRanks = writeRanksCsv,
                 .isCsv = true});
  enablesOutput({.name = "ranks-json",
                 .summary = "the same as JSON, schema amdahlc.ranks/1",
                 .writeRanks = writeRanksJson,
                 .schemaName = "ranks",
                 .schema = ranksSchema});
  enablesOutput({.name = "dot",
                 .summary = "the picture `svg` as a graph for Graphviz",
                 .needs = ir::Facet::Fused,
                 .writeRun = [](const OutputContext& context,
                                ir::CoverId id) { return drawing::writeDot(kernelsOf(context, id), context.picture); },
                 .alsoWithoutTrace = true});
  enablesOutput(
      {.name = "svg",
       .summary = "a picture of the kernels: time, share, limit, the critical path, branch totals, what-ifs",
       .needs = ir::Facet::Fused,
       .writeRun = [](const OutputContext& context,
                      ir::CoverId id) { return drawing::writeSvg(kernelsOf(context, id), context.picture); },
       .alsoWithoutTrace = true,
       .whyNotDocument = [](const OutputContext& context,
                            std::optional<ir::CoverId> id) { return drawing::whyNotDrawn(kernelsOf(context, *id)); }});
  enablesOutput(
      {.name = "svg-simple",
       .summary = "a picture of the operators after `simplify`",
       .write = [](const OutputContext& context) { return drawing::writeSvg(simplifiedOf(context), context.picture); },
       .whyNotDocument = [](const OutputContext& context,
                            std::optional<ir::CoverId>) { return drawing::whyNotDrawn(simplifiedOf(context)); }});
  enablesOutput(
      {.name = "svg-full",
       .summary = "a picture of all operators of the model, with the tensors between them",
       .write = [](const OutputContext& context) { return drawing::writeSvg(fullOf(context), context.picture); },
       .whyNotDocument = [](const OutputContext& context,
                            std::optional<ir::CoverId>) { return drawing::whyNotDrawn(fullOf(context)); }});
  enablesOutput({.name = "model-explorer",
                 .summary = "the operators after `simplify` with what is known of their kernels, for Model Explorer",
                 .needs = ir::Facet::Fused,
                 .writeRun =
                     [](const OutputContext& context, ir::CoverId id) {
                       return writeModelExplorerGraph(reportOf(context), runOf(context, id),
                                                      context.analyses.get<ir::OperatorGraph>(), context.sections);
                     },
                 .alsoWithoutTrace = true});
  enablesOutput({.name = "node-data",
                 .summary = "shares of busy time as node data of Model Explorer, for the graph of `model-explorer`",
                 .needs = ir::Facet::Timed,
                 .writeDocuments = [](const OutputContext& context, ir::CoverId id) {
                   return writeNodeData(reportOf(context), runOf(context, id),
                                        context.analyses.get<ir::OperatorGraph>(), context.sections);
                 }});
  enablesOutput({.name = "trace",
                 .summary = "the selected iterations of the trace as a small trace with the same report",
                 .writeTimeline = trace::writeExcerpt,
                 .whyNot = whyNoExcerpt});
  enablesOutput({.name = "chrome-trace",
                 .summary = "the whole run as a trace with tracks of kernels and modules, for Perfetto and "
                            "chrome://tracing",
                 .needs = ir::Facet::Bound,
                 .writeRun =
                     [](const OutputContext& context, ir::CoverId id) {
                       const RunReport& run = runOf(context, id);
                       return trace::writeAnnotated(*run.timeline,
                                                    traceAnnotations(context.module, run, context.sections));
                     },
                 .whyNot = whyNoExcerpt});
  enablesOutput({.name = std::string(kIrOutput),
                 .summary = "the module as IR text, which can be the input of another run",
                 .write = [](const OutputContext& context) { return ir::print(context.module); }});
  declareOptionsOfPictures();
  declareOptionsOfReports();
}

void EmitPass::declareOptionsOfPictures() {
  const std::vector<std::string> pictures{"svg", "svg-simple", "svg-full", "dot"};
  string("fold", "what pictures draw as one", fold_, drawing::foldChoices());
  string("rankdir", "direction of pictures: from top to bottom, or from left to right", rankdir_, {"TB", "LR"});
  flag("embed-doc-strings", "pictures have the doc strings of the model's nodes", docStrings_);
  addsCommandOption({.name = "fold",
                     .argument = "auto|none|0..9",
                     .help = "what pictures draw as one; auto: repeated modules, none: nothing, 0..9: modules below so "
                             "many levels; default: auto",
                     .once = true,
                     .sets = "fold",
                     .outputs = pictures});
  addsCommandOption({.name = "rankdir",
                     .argument = "TB|LR",
                     .help = "direction of pictures; TB: from top to bottom, LR: from left to right; default: TB",
                     .once = true,
                     .sets = "rankdir",
                     .outputs = pictures});
  addsCommandOption({.name = "embed-doc-strings",
                     .argument = "",
                     .help = "pictures have the doc strings of the model's nodes",
                     .sets = "embed-doc-strings",
                     .outputs = pictures});
}

void EmitPass::declareOptionsOfReports() {
  string("stat", "the times of the summary: means or medians over the iterations", stat_, {"mean", "median"});
  integer("top", "rows of each table of the summary; 0: 20 kernels, 8 of others", top_, 0, kMostRows);
  string("segments", "what `compare` puts together", segments_, ir::segmentChoices());
  integer("regression-limit", "growth from which `junit` fails a case, in thousandths of a percent", regressionLimit_,
          0, kMostGrowth);
  flag("single-kernels", "`junit` judges each kernel alone", singleKernels_);
  addsCommandOption({.name = "stat",
                     .argument = "mean|median",
                     .help = "the times of the summary: means or medians over the iterations; default: mean",
                     .once = true,
                     .sets = "stat",
                     .outputs = {"summary"},
                     .needs = ir::Facet::Timed});
  addsCommandOption({.name = "top",
                     .argument = "n",
                     .help = "rows of each table of the summary; 0, the default: 20 kernels, 8 of others",
                     .once = true,
                     .sets = "top",
                     .outputs = {"summary"}});
  addsCommandOption({.name = "segments",
                     .argument = "auto|atoms|1..9",
                     .help = "what comparisons of runs put together; auto: repeated modules, else the smallest ones "
                             "that no run divides, atoms: the smallest groups of operators that no run divides, 1..9: "
                             "modules of so many levels; default: auto",
                     .once = true,
                     .sets = "segments",
                     .outputs = {"compare", "compare-csv", "json"},
                     .needs = ir::Facet::Timed});
  addsCommandOption({.name = "fail-on-regression",
                     .argument = "[kernel:]percent",
                     .help = "fail if a run became slower than `-baseline` by more than this, and by more than noise "
                             "explains; new kernels count net of those that they replace, and nothing fails where busy "
                             "and wall both fell, but `kernel:3%` judges each kernel alone; outputs are written, and "
                             "the exit code is 3",
                     .maximum = kMostGrowth / 1000,
                     .isPercent = true,
                     .prefix = "kernel:",
                     .sets = "regression-limit",
                     .prefixSets = "single-kernels",
                     .gate = Gate{.needs = ir::Facet::Timed, .needsBaseline = true, .check = checkRegressions}});
}

void EmitPass::completeOptions(const PassRegistry& registry) {
  kinds_ = registry.outputKinds();
  sections_ = registry.reportSections();
  outputs("output", std::string(kDefaultOutput), registry, outputs_);
}

PassResult EmitPass::run(ir::Module& module, PassContext& context) {
  if (outputs_.empty()) outputs_.push_back({std::string(kDefaultOutput), ""});
  const drawing::PictureOptions picture{fold_, rankdir_ == "LR", docStrings_};
  const TextStyle style{context.terminalColumns ? context.terminalColumns : kColumnsOfAPipe, context.color};
  const ReportOptions report{stat_ == "median",
                             top_ == 0 ? std::nullopt : std::optional(top_),
                             context.baseline,
                             {regressionLimit_, singleKernels_},
                             ir::parseSegmentChoice(segments_),
                             context.ranks};
  for (const OutputRequest& output : outputs_) {
    auto artifacts = renderOutput(*findOutputKind(kinds_, output.kind), output.path,
                                  {module, context.analyses, style, sections_, picture, report}, context.diagnostics);
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
