// Before: facts in the module.                      After: the same module, and outputs for the driver to write.
//
//   emit<output=json=report.json;output="svg<fold=2>">
//
// It only divides totals by iterations and sorts. All other numbers are facts that passes established. A missing fact
// is null or left out. An output that needs a missing facet is an error before any pass runs.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ir/text.h"
#include "passes/manager/pass.h"
#include "passes/manager/registry.h"
#include "report/drawing/dot.h"
#include "report/drawing/fold.h"
#include "report/drawing/svg.h"
#include "report/measured_runs.h"
#include "report/outputs/diagrams.h"
#include "report/outputs/model_explorer.h"
#include "report/outputs/rank_writers.h"
#include "report/outputs/segment_writers.h"
#include "report/outputs/trace_annotations.h"
#include "report/outputs/writers.h"
#include "report/report_analysis.h"
#include "runs/builder/excerpt.h"
#include "runs/trace/kineto_writer.h"

namespace amdahlc {
namespace {

constexpr std::string_view kDefaultOutput = "summary";
constexpr int64_t kMostRows = 1'000'000;
// A million percent.
constexpr int64_t kMostGrowth = 1'000'000'000;

const Report& reportOf(const OutputContext& context) { return context.analyses.get<ReportAnalysis>().report(); }

SegmentTable segmentsOf(const OutputContext& context) {
  return segmentTable(reportOf(context), context.report.segments);
}

const RunReport& runOf(const OutputContext& context, ir::CoverId cover) {
  const Report& report = reportOf(context);
  return *std::find_if(report.runs.begin(), report.runs.end(),
                       [&](const RunReport& row) { return row.cover == &context.module.cover(cover); });
}

/// The picture of the kernels of a run.
drawing::Diagram kernelsOf(const OutputContext& context, ir::CoverId cover) {
  return drawing::fold(kernelDiagram(reportOf(context), runOf(context, cover),
                                     context.analyses.get<ir::OperatorGraph>(), context.picture.docStrings),
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

class EmitPass : public Pass {
 public:
  EmitPass();
  PassResult run(ir::Module& module, PassContext& context) override;
  /// Adds the option `output`, which accepts the kinds of all passes.
  void completeOptions(const PassRegistry& registry) override;

 private:
  void declareOptionsOfPictures();
  void declareOptionsOfReports();

  std::vector<OutputKind> kinds_;
  std::vector<OutputRequest> outputs_;
  int64_t& written_;
  /// What an output may set for itself.
  struct Looks {
    std::string fold = "auto", rankdir = "TB", stat = "mean", segments = "auto";
    bool docStrings = false;
    int64_t top = 0;
  } looks_;
  int64_t regressionLimit_ = 0;
  bool singleKernels_ = false;
};

EmitPass::EmitPass() : written_(statistic("outputs", "outputs rendered")) {
  runsByDefault();
  enablesOutput(
      {.name = std::string(kDefaultOutput),
       .summary = "tables for a terminal: totals, top kernels, aggregates, unbound time, what-ifs",
       .write =
           [](const OutputContext& context) { return writeSummary(reportOf(context), context.style, context.report); },
       .baseline = OutputKind::BaselineUse::IfGiven});
  enablesOutput({.name = "junit",
                 .summary = "the comparison with `-baseline` as JUnit XML, a case for each total and each kernel",
                 .needs = ir::Facet::Timed,
                 .write = [](const OutputContext& context) { return writeJUnit(reportOf(context), context.report); },
                 .baseline = OutputKind::BaselineUse::Needed});
  enablesOutput({.name = "json",
                 .summary = "the whole report as JSON, schema amdahlc.report/1",
                 .write = [](const OutputContext& context) { return writeJson(reportOf(context), context.report); },
                 .schemaName = "report",
                 .schema = reportSchema});
  enablesOutput({.name = "csv",
                 .summary = "one row per kernel",
                 .write = [](const OutputContext& context) { return writeCsv(reportOf(context)); },
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
                                                      context.analyses.get<ir::OperatorGraph>());
                     },
                 .alsoWithoutTrace = true});
  enablesOutput({.name = "node-data",
                 .summary = "shares of busy time as node data of Model Explorer, for the graph of `model-explorer`",
                 .needs = ir::Facet::Timed,
                 .writeDocuments = [](const OutputContext& context, ir::CoverId id) {
                   return writeNodeData(reportOf(context), runOf(context, id),
                                        context.analyses.get<ir::OperatorGraph>());
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
                       return trace::writeAnnotated(*run.timeline, traceAnnotations(context.module, run));
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
  string("fold",
         {"Draw modules or repeated modules as one node.",
          "`auto` draws repeated modules once, `none` folds nothing, `0` to `9` folds modules below so many levels."},
         looks_.fold, drawing::foldChoices())
      .outputs = pictures;
  string("rankdir", "Draw from top to bottom (TB) or from left to right (LR).", looks_.rankdir, {"TB", "LR"}).outputs =
      pictures;
  flag("embed-doc-strings", "Show the doc strings of the model's nodes.", looks_.docStrings).outputs = pictures;
  for (const char* name : {"fold", "rankdir", "embed-doc-strings"}) hasOldSpelling(name, name);
}

void EmitPass::declareOptionsOfReports() {
  string("stat", "Show means or medians over the iterations.", looks_.stat, {"mean", "median"}).outputs = {"summary"};
  integer("top", {"Limit the rows of each table.", "0 stands for 20 kernels, and 8 rows of other tables."}, looks_.top,
          0, kMostRows)
      .outputs = {"summary"};
  string("segments",
         {"Choose what comparisons of runs put together.",
          "`auto` takes repeated modules, else the smallest ones that no run divides; `atoms` the smallest groups of "
          "operators that no run divides; `1` to `9` modules of so many levels."},
         looks_.segments, ir::segmentChoices())
      .outputs = {"compare", "compare-csv", "json"};
  integer("regression-limit", "Set the growth from which `junit` fails a case, in thousandths of a percent.",
          regressionLimit_, 0, kMostGrowth);
  flag("single-kernels", "Let `junit` judge each kernel alone.", singleKernels_);
  for (const char* name : {"top", "segments"}) hasOldSpelling(name, name);
  addsCommandOption({.name = "stat",
                     .argument = "mean|median",
                     .summary = "Show means or medians over the iterations in the summary.",
                     .details = "The default is `mean`.",
                     .once = true,
                     .sets = "stat",
                     .needs = ir::Facet::Timed});
  addsCommandOption(
      {.name = "fail-on-regression",
       .argument = "[kernel:]percent",
       .summary = "Fail if a run became slower than `-baseline` by more than this.",
       .details =
           "Growth that noise explains does not count, and nothing fails where busy and wall both fell. New kernels "
           "count net of those that they replace; `kernel:3%` judges each kernel alone. Outputs are written, and "
           "the exit code is 3.",
       .maximum = kMostGrowth / 1000,
       .isPercent = true,
       .prefix = "kernel:",
       .sets = "regression-limit",
       .prefixSets = "single-kernels",
       .gate = Gate{.needs = ir::Facet::Timed, .needsBaseline = true, .check = checkRegressions}});
}

void EmitPass::completeOptions(const PassRegistry& registry) {
  kinds_ = registry.outputKinds();
  outputs("output", std::string(kDefaultOutput), registry, outputs_);
}

PassResult EmitPass::run(ir::Module& module, PassContext& context) {
  if (outputs_.empty()) outputs_.push_back({std::string(kDefaultOutput), ""});
  const TextStyle style{context.terminalColumns ? context.terminalColumns : kColumnsOfAPipe, context.color};
  for (const OutputRequest& output : outputs_) {
    const Looks ofAll = looks_;
    for (const PipelineParameter& setting : output.settings) set(setting);
    const drawing::PictureOptions picture{looks_.fold, looks_.rankdir == "LR", looks_.docStrings};
    const ReportOptions report{looks_.stat == "median",
                               looks_.top == 0 ? std::nullopt : std::optional(looks_.top),
                               context.baseline,
                               {regressionLimit_, singleKernels_},
                               ir::parseSegmentChoice(looks_.segments),
                               context.ranks};
    auto artifacts = renderOutput(*findOutputKind(kinds_, output.kind), output.path,
                                  {module, context.analyses, style, picture, report}, context.diagnostics);
    looks_ = ofAll;
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

std::unique_ptr<Pass> makeEmitPass() { return std::make_unique<EmitPass>(); }

}  // namespace amdahlc
