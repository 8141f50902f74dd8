/// What is to be analysed, as plain data.
///
/// Each part has the range of the text that asked for it, so that a message can point there. A front end without such
/// texts leaves the ranges as they are, in a buffer of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/rule_loader.h"
#include "ir/scenario.h"
#include "passes/manager/registry.h"
#include "passes/manager/remarks.h"
#include "replay/timeline/target.h"
#include "replay/timeline/timeline.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::api {

/// How a step of an analysis ends. The values are the exit codes of the command. The worse of two is the larger.
enum class Outcome : int {
  Done = 0,
  /// Model, trace, rules, pipeline text, speed-ups, configuration, or a file that cannot be read or written.
  InputFault = 1,
  /// The request is invalid or contradicts itself.
  RequestFault = 2,
  /// The analysis is complete, but a condition that the request demands does not hold.
  GateFailed = 3,
};

/// The buffer of the text of a pipeline.
inline constexpr std::string_view kPipelineText = "<pipeline>";
/// How an analysis ends because of an error at a place: `InputFault` if it is in a file or in the text of a pipeline,
/// else `RequestFault`.
Outcome faultAt(const SourceManager& sources, const Location& place);

/// A model: ONNX, ONNX text or IR text.
struct ModelArgument {
  /// A file, or `-` for stdin. With `bytes`, their name in messages; its ending tells the format.
  std::string path;
  SourceRange range;
  std::optional<std::string> bytes = std::nullopt;
};

struct TraceArgument {
  /// As written. If it is empty, `nameRuns` makes one of the file's name.
  std::string label;
  /// The files of one recording. Arguments with the same label are recordings of one run.
  std::vector<std::string> paths;
  SourceRange range;
  /// Of one of several ranks: its number, and the execution traces of the ranks, of which one may be its own.
  std::optional<int64_t> rank = std::nullopt;
  std::vector<std::string> executionTraces = {};
  /// `nameRuns` made the label: a file named as a rank is a run like any other.
  bool isNamedByFile = false;
};

/// The traces of the ranks of one run.
struct RankArgument {
  /// Of the run that is bound to the model, as in `TraceArgument`.
  std::string label;
  /// The folder or the pattern that names the files; empty if labels do.
  std::string source;
  struct File {
    std::string path;
    /// As in the label `rank3`.
    std::optional<int64_t> number;
    /// Given with it; empty if none is.
    std::string executionTrace = {};
    /// What `readRank` found, if the trace was read elsewhere.
    std::optional<std::string> found = std::nullopt;
  };
  std::vector<File> files;
  /// Of the first option that gives some.
  SourceRange range;
  /// Names in a folder that are not those of traces.
  std::vector<std::string> others;
  /// Execution traces among the files, in order of name: of which ranks they are is found out when they are read.
  std::vector<std::string> executionTraces = {};
};

/// `-Rpass=` and the like: the remarks of one kind, of passes whose names match.
struct RemarkArgument {
  RemarkKind kind;
  /// A regular expression, which is searched for.
  std::string pattern;
  SourceRange range;
};

struct EmitArgument {
  /// `kind` or `kind=path`.
  std::string output;
  SourceRange range;
};

/// An option that a pass declares.
struct PassArgument {
  const PassInfo* pass;
  const CommandOption* option;
  /// Of a number, in thousandths.
  int64_t value;
  /// Of any text.
  std::string text;
  SourceRange range;
};

/// A pass that an option of the front end names. One that does not run is an error.
struct NamedPass {
  /// The name of the option: `print-after`.
  std::string option;
  std::string pass;
};

/// The size of a symbolic dimension.
struct DimArgument {
  std::string name;
  /// At least 1.
  int64_t size;
  SourceRange range = {};
};

struct Request {
  std::optional<ModelArgument> model;
  /// Of different names.
  std::vector<DimArgument> dims;
  /// With ranks, the last one stands for the rank whose events are bound to the model. Its file is known when all are
  /// read.
  std::vector<TraceArgument> traces;
  std::optional<RankArgument> ranks;
  /// Of `-rank`; nullopt: the lowest.
  std::optional<int64_t> rank;
  SourceRange rankRange;
  /// Ranks that are read at the same time; 0: as many as there are cores.
  int64_t jobs = 0;
  SourceRange jobsRange;
  Target target;
  SourceRange targetRange;
  /// Of `-hardware`; empty: by the names of devices.
  std::string hardware;
  SourceRange hardwareRange;
  TraceSelection selection;
  /// One run for each device of a trace.
  bool allDevices = false;
  /// The options that choose parts of a trace.
  std::vector<std::pair<std::string, SourceRange>> selectionOptions;

  /// Where the folders `rules` and `hardware` with shipped files are; empty: nothing is shipped.
  std::filesystem::path shippedFolder;
  /// Empty: the default library.
  std::vector<grammar::RequestedName> rules;
  std::vector<grammar::RequestedName> disabledRules;
  /// The rules are checked, and no pass runs.
  bool checkRules = false;

  /// None: `default`.
  std::optional<std::string> passes;
  std::vector<PassArgument> passArguments;
  /// Of different names. The plan refuses those that `ir::checkScenario` does.
  std::vector<ir::Scenario> scenarios;
  std::vector<EmitArgument> emits;
  /// Of `-csv-safe`: tables have nothing that a spreadsheet would compute.
  std::optional<SourceRange> csvSafe;
  /// A report; empty without one.
  std::string baseline;
  SourceRange baselineRange;

  /// Passes with requested debug text.
  std::vector<std::string> debugOnly;
  /// Of different kinds.
  std::vector<RemarkArgument> remarks;
  /// Those of the front end itself.
  std::vector<NamedPass> namedPasses;
};

/// Reports values that mean nothing: sizes of dimensions below 1, invalid regular expressions, scenarios that make no
/// sense, and repeated names.
Outcome checkValues(const Request& request, const SourceManager& sources, DiagnosticEngine& diagnostics);

/// Whether an option asks for an explanation, which replaces all outputs.
bool explainsOnly(const Request& request);

/// Whether no graph is made, because there is no model, and all that is asked for is made of the events of traces
/// alone: the comparison of ranks, which is what ranks without an output and without `-rank` have, or copies of traces.
bool isOfTracesAlone(const Request& request);

}  // namespace amdahlc::api
