/// Reads models, rules, traces and reports, all before the first pass.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/request.h"
#include "ir/module.h"
#include "report/comparison/measured_run.h"
#include "runs/execution_trace/execution_trace.h"
#include "runs/ranks/comparison.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::api {

/// Reads the model of the request: ONNX, ONNX text or IR text, by the ending of its name, else by its content.
std::optional<ir::Module> loadModel(const Request& request, SourceManager& sources, DiagnosticEngine& diagnostics);

/// A run, and the option that gives it, or its first recording.
struct LoadedTrace {
  Timeline timeline;
  SourceRange range;
  /// Of the same run, if one of its files is an execution trace.
  std::optional<execution_trace::ExecutionTrace> executionTrace = std::nullopt;
};

/// Reads the traces of the request in order. Those of one label become one run. If all devices of a trace are wanted
/// and it has several, `.devN` for device N follows the label; a label of another run is an error.
/// `progress` may be empty; it gets what is read, and the part of it that is read.
std::optional<std::vector<LoadedTrace>> loadTraces(
    const Request& request, DiagnosticEngine& diagnostics,
    const std::function<void(std::string_view what, double fraction)>& progress = {});

/// Finds the execution trace of a rank among those of all: the one that states its rank; else, of those that state
/// none, the one with most calls of the trace; of several the one whose file has the number of the rank in its name.
/// Leaves `found` as it is if there is none. Reports files that cannot be read, and returns false.
bool joinExecutionTrace(const TraceArgument& argument, const Timeline& timeline,
                        std::optional<execution_trace::ExecutionTrace>& found, DiagnosticEngine& diagnostics);

struct LoadedRanks {
  ranks::RankComparison comparison;
  /// Of the rank whose events are bound, that of `-rank`, else the lowest: its number, its files, and the execution
  /// traces of which one may be its own.
  int64_t rank = 0;
  std::vector<std::string> paths;
  std::vector<std::string> executionTraces;
};

/// Reads the trace of one rank, and returns the little that `loadRanks` keeps of it, with the messages about it, as
/// bytes: so that other processes and machines with the same build read the traces. For `RankArgument::File::found`.
std::string readRank(const std::string& path, const TraceSelection& selection);

/// Reads the traces of the ranks of a run, and keeps little of each. Precondition: the request has ranks. As many
/// traces are in memory as threads read (`-jobs`), however many ranks there are. What does not fit beside others is
/// read again alone. Takes what was found elsewhere as it is; throws std::runtime_error if that is not of `readRank`.
/// Reports errors in the order of the files.
std::optional<LoadedRanks> loadRanks(const Request& request, DiagnosticEngine& diagnostics,
                                     const std::function<void(double fraction)>& progress);

/// Adds host events to a run that IR text holds, and which lacks them, from its trace. Facts about its device events
/// stay valid. Reports why the trace is not that of the run, and returns false. `regrouped`: nothing that IR text says
/// of the run is kept.
bool giveHostEvents(Timeline& held, Timeline read, bool regrouped, SourceRange range, DiagnosticEngine& diagnostics);

/// The report of `-baseline`, plain or compressed with gzip or zstd. Reports `baseline-invalid`, or why it cannot be
/// read.
std::optional<comparison::Baseline> loadBaseline(const Request& request, DiagnosticEngine& diagnostics);

/// Reports a run that is not bound yet if no rule of the module, which came with its IR text, is for its runtime.
bool haveRulesForRuns(const ir::Module& module, DiagnosticEngine& diagnostics);

/// The rules that `-rules=` names, or the library of the target's runtime. `shipped` gets the buffers of libraries
/// that are named without their path.
std::optional<ir::RuleSet> loadRuleSet(const Request& request, const ir::Module* module, SourceManager& sources,
                                       DiagnosticEngine& diagnostics, std::set<BufferId>* shipped = nullptr);

/// Reports every error; nullopt if there was one.
std::optional<ir::HardwareDescription> readHardwareFile(const std::string& path, SourceManager& sources,
                                                        DiagnosticEngine& diagnostics);

/// Gives the module what `-hardware=` names: a file (with a slash, or the ending of YAML or JSON), or a shipped
/// description by the name of its file. Without a name the shipped ones, if the module or a run of it names a device.
/// False after reporting an error.
bool addHardware(const Request& request, ir::Module& module, SourceManager& sources, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::api
