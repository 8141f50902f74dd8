/// An analysis: reads what a request names, plans and runs the passes, and keeps the result.
///
///     api::Messages messages;
///     api::Request request;
///     request.model = {"model.onnx", {}};
///     api::addTrace(request, "", "trace.json.gz", {}, DiagId::OptionValue, messages.diagnostics);
///     api::Analysis analysis(std::move(request), messages.sources, messages.diagnostics, {});
///     if (analysis.run() != api::Outcome::Done) return messages.text();
///
/// Nothing is printed, and no process ends. There is no state besides: several analyses may run at once in threads,
/// each with messages of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/request.h"
#include "ir/module.h"
#include "passes/manager/analysis.h"
#include "passes/manager/instrumentation.h"
#include "passes/manager/pipeline.h"
#include "passes/speedup_rewrite/scenario_predictions.h"
#include "report/comparison/measured_run.h"
#include "report/outputs/rendering.h"
#include "report/report.h"
#include "report/table.h"
#include "runs/execution_trace/execution_trace.h"
#include "runs/ranks/comparison.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::api {

/// What a scenario would do to a run. Times are totals over the reported iterations, of
/// which there is one with `Average::Median`.
struct RunPrediction {
  std::string run;
  int64_t iterations = 1;
  Prediction prediction;
};

/// What surrounds an analysis: where text that is not an output goes, and who watches it.
///
/// All functions may be empty. They are called by the thread that runs the analysis. An exception of `progress` ends
/// the analysis and reaches its caller: that is how an analysis is cancelled.
struct Environment {
  /// Of outputs for people.
  TextStyle style;
  /// Receives the dumps of passes.
  std::function<void(std::string_view)> dump;
  /// Receives `pass: text` without a line end.
  std::function<void(std::string_view)> debugLine;
  /// Called before each piece of work, and often while it goes on. `fraction`, of the piece, is below 0 if unknown; it
  /// never falls while `what` is the same.
  std::function<void(std::string_view what, double fraction)> progress;
  /// Called after work outside of passes: reading inputs.
  std::function<void(const char* phase, int64_t elapsedNs)> phaseDone;
  /// Around the passes, the outermost first. Not owned.
  std::vector<PassInstrumentation*> instrumentation;
};

/// Messages as values, and the texts that they point into. The first text is empty: ranges of a request that are not
/// set are there.
class Messages {
 public:
  Messages();
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  SourceManager sources;
  /// In the order of reporting.
  std::vector<Diagnostic> list;
  DiagnosticEngine diagnostics;

  /// As the command prints them.
  std::string text() const;
};

class Analysis {
 public:
  /// Ranges of the request are of `sources`. Both references must stay valid as long as the analysis.
  Analysis(Request request, SourceManager& sources, DiagnosticEngine& diagnostics, Environment environment);
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  /// All of the steps below, until one does not end as `Done`.
  Outcome run();

  /// Reads the model and plans the pipeline.
  Outcome plan();
  /// Checks that the pipeline can run, and that all of the request has an effect.
  Outcome checkPlan();
  /// Reads all other inputs.
  Outcome readInputs();
  /// Runs the pipeline, which renders outputs. No pass runs if all outputs are of the traces alone (`isOfTracesAlone`).
  Outcome runPasses();
  /// Checks the conditions that the request demands, which reports call gates.
  Outcome checkGates();

  const Request& request() const { return request_; }
  const Pipeline& pipeline() const { return pipeline_; }
  const ir::Module& module() const { return module_; }
  AnalysisManager& analyses() { return analyses_; }
  /// What the analysis will write, known when the plan is checked: the outputs that the pipeline renders. Without one,
  /// `explanation` or `ir`, which have no path.
  std::vector<OutputRequest> plannedOutputs() const;
  /// The planned outputs as bytes.
  const std::vector<Artifact>& artifacts() const { return artifacts_; }

  // Of an analysis of a model whose steps are done. Nothing is read again.

  /// Renders one more output, as `-emit=` takes it: `json`, `svg<fold=2>`, with the options of the last `emit` of the
  /// pipeline. nullopt after reporting why it cannot.
  std::optional<std::vector<Artifact>> render(const std::string& output);
  /// Runs further passes that show facts, written as in `-passes=` without `default`, `curves<groups=sdpa>`, and gives
  /// what they found: of each run a JSON object with its label and the key of the report, such as `curves`. Outputs
  /// that are rendered afterwards do not have it. nullopt after an error.
  std::optional<std::string> further(const std::string& passes, std::string_view key);
  /// The kernels of all runs, with the columns of the output `csv`.
  RowTable kernels() { return kernelTable(analyses_.get<Report>()); }
  /// The selected device events of a run, with the columns of the output `bindings`; nullopt if it is not bound.
  std::optional<DeviceEventTable> events(const std::string& run) const;
  /// Predicts a scenario that need not be one of the request, of changes as in `-what-if=`, without files:
  /// `linear=2x;fuse(sdpa)`. The runs are those with kernel times, less those of which only a replay would tell.
  /// nullopt after an error.
  std::optional<std::vector<RunPrediction>> predict(const std::string& changes);
  /// The same as `predictionTable` has it, with a reason for each run that is not predicted.
  std::optional<RowTable> predictionRows(const std::string& changes);

 private:
  std::optional<ScenarioPredictions> predictions(const std::string& changes);
  void askForRendering();
  /// What the pipeline renders or explains; nullopt after an error.
  std::optional<std::vector<Artifact>> runPipeline(Pipeline& pipeline);
  bool readRanks();
  bool addTraces();
  bool addRules();
  bool makeProgram();
  void addScenarios();
  /// What is written where no output is rendered; empty if one is.
  std::string_view insteadOfOutputs() const;
  Outcome readInputsOfTraces();
  Outcome renderTraces();

  /// Runs `work` under a name for progress and `phaseDone`.
  template <typename Work>
  auto timed(const char* phase, Work work) -> decltype(work());

  Request request_;
  SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  Environment environment_;
  const PassRegistry& registry_;

  PassInputs given_;
  Pipeline pipeline_;
  ir::Module module_;
  AnalysisManager analyses_{module_};
  /// By label of a run without a model, until its program is made.
  std::map<std::string, execution_trace::ExecutionTrace> executionTraces_;
  std::optional<comparison::Baseline> baseline_;
  std::optional<ranks::RankComparison> ranks_;
  /// That whose events are bound. Meaningless without ranks.
  int64_t rank_ = 0;
  /// Of the pipeline that runs.
  std::vector<Artifact> rendered_;
  std::vector<Artifact> artifacts_;
  /// `Request::rules` replaced the grouping of IR text.
  bool regrouped_ = false;
};

}  // namespace amdahlc::api
