/// The settings of a run: an `Invocation` with every value parsed and checked.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/options.h"
#include "grammar/rule_loader.h"
#include "ir/module.h"
#include "ir/scenario.h"
#include "passes/manager/ir_printing.h"
#include "passes/manager/registry.h"
#include "passes/manager/remarks.h"
#include "support/diagnostic.h"
#include "support/source.h"
#include "timeline/timeline.h"

namespace amdahlc::driver {

/// Exit codes of the command.
enum class ExitCode : int {
  Done = 0,
  /// Model, trace, rules, pipeline text, speed-ups, configuration, or a file that cannot be read or written.
  InputFault = 1,
  /// Options that are invalid or contradict each other.
  CommandLineFault = 2,
  /// Everything was written, but a condition that the command line demands does not hold.
  GateFailed = 3,
};

enum class ColorMode : uint8_t { Auto, Always, Never };

struct TraceArgument {
  /// As written. If it is empty, `nameRuns` makes one of the file's name.
  std::string label;
  /// The files of one run.
  std::vector<std::string> paths;
  SourceRange range;
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
  };
  std::vector<File> files;
  /// Of the first option that gives some.
  SourceRange range;
  /// Names in a folder that are not those of traces.
  std::vector<std::string> others;
};

/// `-Rpass=` and the like, for messages; `Settings::remarks` has the selected remarks.
struct RemarkArgument {
  RemarkKind kind;
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

struct Settings {
  std::vector<InputArgument> inputs;
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
  /// Of `-hardware`; empty: by the names of devices.
  std::string hardware;
  SourceRange hardwareRange;
  TraceSelection selection;
  /// One run for each device of a trace.
  bool allDevices = false;
  /// The options that choose parts of a trace.
  std::vector<std::pair<std::string, SourceRange>> selectionOptions;
  std::map<std::string, int64_t> dims;
  /// 0: that of the machine.
  int64_t maxMemoryBytes = 0;

  /// Empty: the default library.
  std::vector<grammar::RequestedName> rules;
  std::vector<grammar::RequestedName> disabledRules;
  bool checkRules = false;
  bool printRules = false;
  bool languageServer = false;

  /// None: `default`.
  std::optional<std::string> passes;
  bool printPipeline = false;
  std::vector<PassArgument> passArguments;

  std::vector<ir::Scenario> scenarios;
  std::vector<EmitArgument> emits;
  /// `-o`; empty: stdout.
  std::string output;
  SourceRange outputRange;
  ColorMode color = ColorMode::Auto;
  /// A report; empty without one.
  std::string baseline;
  SourceRange baselineRange;
  /// Of `-csv-safe`.
  std::optional<SourceRange> csvSafe;

  IrPrintingOptions dumps;
  /// Parallel to `dumps.filter`.
  std::vector<SourceRange> filterRanges;
  /// Empty: stderr.
  std::string printTo;
  bool verifyEach = false;
  bool timePasses = false;
  bool stats = false;
  std::vector<std::string> debugOnly;
  RemarkFilter remarks;
  std::vector<RemarkArgument> remarkArguments;
};

/// Parses the values. Reports every error. The exit code is that of the worst error.
ExitCode readSettings(const Invocation& invocation, const PassRegistry& registry, SourceManager& sources,
                      DiagnosticEngine& diagnostics, Settings& settings);

/// What the settings ask for.
Job jobOf(const Settings& settings);

/// Whether an option asks for an explanation, after which the command stops.
bool explainsOnly(const Settings& settings);

/// `-color=`, which is needed before the first message; `Auto` if it is invalid.
ColorMode colorMode(const Invocation& invocation);

}  // namespace amdahlc::driver
