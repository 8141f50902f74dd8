/// The base class of passes: what a pass declares about itself, what it may read and write, and what it returns.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "passes/manager/analysis.h"
#include "passes/manager/analysis_printer.h"
#include "passes/manager/command_option.h"
#include "passes/manager/output_kind.h"
#include "passes/manager/pass_input.h"
#include "passes/manager/time_goal.h"
#include "support/diagnostic.h"

namespace amdahlc {

/// Exactly one of unchanged, changed (with the analyses that stay valid) or failed (an error was reported; the module
/// may not be used any more).
struct PassResult {
  enum class Kind : uint8_t { Unchanged, Changed, Failed };
  Kind kind = Kind::Unchanged;
  /// nullopt: all analyses except those that read a facet which the pass establishes, or one derived from it;
  /// none if it establishes no facet.
  std::optional<PreservedAnalyses> preserved;

  static PassResult unchanged() { return {Kind::Unchanged, PreservedAnalyses::all()}; }
  /// For a pass that changed only the facets that it establishes.
  static PassResult changed() { return {Kind::Changed, std::nullopt}; }
  static PassResult changed(PreservedAnalyses preserved) { return {Kind::Changed, std::move(preserved)}; }
  static PassResult failed() { return {Kind::Failed, PreservedAnalyses::none()}; }
};

/// What a pass did, did not do, or found out, like Clang's optimisation remarks.
enum class RemarkKind : uint8_t { Passed, Missed, Analysis };

/// One counter of `-stats`, declared beside the pass.
struct Statistic {
  std::string name;
  std::string description;
  int64_t value = 0;
};

/// What help says of an option: one sentence for lists, and sentences with all else.
struct OptionText {
  OptionText(const char* summary) : summary(summary) {}  // NOLINT: a text is often one sentence
  OptionText(std::string summary, std::string details = "")
      : summary(std::move(summary)), details(std::move(details)) {}
  std::string summary, details;
};

/// Before the name of a flag that is on by default, it switches the flag off, as in LLVM.
inline constexpr std::string_view kNegation = "no-";

/// One option of a pass, set by pipeline text `pass<name=value;flag>`.
struct PassOption {
  /// `Outputs` is repeatable and accepts `kind`, with options and a path as in `kind<option=value>=path`. Its pass
  /// renders outputs, and `-emit` adds to it.
  enum class Kind : uint8_t { Flag, Integer, Duration, ByteRate, TimeGoal, String, List, Outputs };
  std::string name;
  Kind kind = Kind::Flag;
  OptionText text = "";
  /// As printed in help. For `Outputs`, the kind that is rendered if none is named.
  std::string defaultValue;
  /// For `Integer`, for `Duration` in nanoseconds, and for `ByteRate` in bytes per second.
  int64_t minimum = 0;
  int64_t maximum = INT64_MAX;
  /// For `String` and `List`, the allowed values; empty for any. For `Outputs`, the kinds.
  std::vector<std::string> choices;
  /// Where it is set, the last time; nullopt if it has its default.
  std::optional<SourceRange> place = std::nullopt;
  /// For `List`: where each of its texts is.
  std::vector<SourceRange> places = {};
  /// The kinds of outputs that it changes: they take it, too, each for itself, and without one of them it is an error.
  std::vector<std::string> outputs = {};
  /// Stores a checked value in the pass.
  std::function<void(std::string_view)> set;
};

/// The services of a running pass. One per pass run.
class PassContext {
 public:
  PassContext(DiagnosticEngine& diagnostics, AnalysisManager& analyses)
      : diagnostics(diagnostics), analyses(analyses) {}

  DiagnosticEngine& diagnostics;
  AnalysisManager& analyses;
  /// Rendered outputs, for the driver to write.
  std::vector<Artifact> artifacts;
  /// Whether remarks of this kind are requested for this pass. Ask before formatting.
  bool wants(RemarkKind kind) const { return (wantedRemarks_ >> static_cast<uint8_t>(kind)) & 1u; }
  void remark(RemarkKind kind, Location location, std::string message);
  /// Whether `-debug-only=` requests this pass's debug text; `debug` writes a line.
  bool wantsDebug() const { return static_cast<bool>(debugSink_); }
  void debug(std::string_view line) {
    if (debugSink_) debugSink_(line);
  }
  /// Prints text to the dump channel: stderr, or the file of `-print-to`.
  std::function<void(std::string_view)> dump;
  /// Prints what an option asked the pass to explain: to the dump channel, or instead of the outputs.
  std::function<void(std::string_view)> explain;
  /// `-color=`; terminal width for tables; set by the driver.
  bool color = false;
  /// 0 if not a terminal.
  unsigned terminalColumns = 0;
  /// Of `-baseline`, or null.
  const comparison::Baseline* baseline = nullptr;
  /// The ranks of the run, or null.
  const ranks::RankComparison* ranks = nullptr;
  /// Progress of long work, displayed on a terminal only: fraction in 0..1.
  std::function<void(std::string_view what, double fraction)> progress;

  void setWantedRemarks(uint8_t bits, std::function<void(RemarkKind, Location, std::string)> sink) {
    wantedRemarks_ = bits;
    remarkSink_ = std::move(sink);
  }
  void setDebugSink(std::function<void(std::string_view)> sink) { debugSink_ = std::move(sink); }

 private:
  uint8_t wantedRemarks_ = 0;
  std::function<void(RemarkKind, Location, std::string)> remarkSink_;
  std::function<void(std::string_view)> debugSink_;
};

class PassRegistry;

/// Checks rules against the launches of a trace.
using RuleCheck = void (*)(const ir::RuleSet&, const Timeline&, DiagnosticEngine&);

/// Whether a pass reads the host events of a run.
using HostEventNeed = std::function<bool(const ir::Module&, const Timeline&)>;

/// A pass instance runs once. Subclasses declare their place, options and statistics in their constructor. The driver,
/// help, `emit` and `print` read these declarations and know no pass by name.
class Pass {
 public:
  /// Whether the default pipeline contains a pass: never; if its inputs are given and its facets are established; or
  /// if, in addition, one of its outputs is requested, or an option that asks for it is given.
  enum class DefaultUse : uint8_t { Never, Always, IfAskedFor };

  virtual ~Pass() = default;
  virtual PassResult run(ir::Module& module, PassContext& context) = 0;
  /// Declares options that depend on the declarations of other passes. The registry calls it once for each instance.
  virtual void completeOptions(const PassRegistry&) {}

  DefaultUse defaultUse() const { return defaultUse_; }
  const PassInputs& neededInputs() const { return neededInputs_; }
  const std::vector<OutputKind>& outputKinds() const { return outputKinds_; }
  const std::vector<AnalysisPrinter>& analysisPrinters() const { return analysisPrinters_; }
  const std::vector<CommandOption>& commandOptions() const { return commandOptions_; }
  /// Text for the page of the pass, made of its tables, or null.
  std::string (*documentation() const)() { return documentation_; }
  /// The check that `-check-rules -trace=` runs, or null.
  RuleCheck ruleCheck() const { return ruleCheck_; }
  /// The passes whose findings it uses if they ran before it.
  const std::vector<std::string_view>& passesUsedIfBefore() const { return passesUsedIfBefore_; }
  /// The option of the kind `Outputs`, or null. A pass that has one renders outputs.
  const PassOption* outputsOption() const;
  /// The option of this name, or null.
  PassOption* findOption(std::string_view name);
  const PassOption* findOption(std::string_view name) const { return const_cast<Pass*>(this)->findOption(name); }
  /// The options that an output of this kind takes.
  std::vector<const PassOption*> optionsOfOutput(std::string_view kind) const;
  /// Sets the option that a checked parameter names; `no-NAME` switches a flag off.
  void set(const PipelineParameter& parameter);

  const std::vector<ir::Facet>& requiredFacets() const { return requiredFacets_; }
  /// Those that it requires in addition where the module has runs.
  const std::vector<ir::Facet>& facetsRequiredOfRuns() const { return facetsRequiredOfRuns_; }
  bool declaresHostEvents() const { return static_cast<bool>(hostEventNeed_); }
  /// Whether the pass would read the host events of this run, given the current module. If they are absent, the pass is
  /// not started.
  bool needsHostEvents(const ir::Module& module, const Timeline& timeline) const {
    return hostEventNeed_ && hostEventNeed_(module, timeline);
  }
  const std::vector<ir::Facet>& establishes() const { return establishes_; }
  std::vector<PassOption>& options() { return options_; }
  const std::vector<PassOption>& options() const { return options_; }
  /// Counters in order of declaration.
  const std::vector<std::unique_ptr<Statistic>>& statistics() const { return statistics_; }

 protected:
  void runsByDefault(DefaultUse use = DefaultUse::Always) { defaultUse_ = use; }
  void needsInput(PassInput input) { neededInputs_.insert(input); }
  /// Declares an output of this pass.
  void enablesOutput(OutputKind kind) { outputKinds_.push_back(std::move(kind)); }
  void printsAnalysis(AnalysisPrinter printer) { analysisPrinters_.push_back(std::move(printer)); }
  /// Declares that the pass uses what that pass finds, if it runs before this one. Behind it, it is an error.
  void usesIfBefore(std::string_view pass) { passesUsedIfBefore_.push_back(pass); }
  /// Declares a table for the page of the pass, behind what is generated for every pass.
  void documents(std::string (*table)()) { documentation_ = table; }
  void checksRules(RuleCheck check) { ruleCheck_ = check; }
  /// Declares an option of the command.
  void addsCommandOption(CommandOption option) { commandOptions_.push_back(std::move(option)); }
  /// The command accepts `-name` for the option `sets` of the pass, of which it was the spelling once.
  void hasOldSpelling(std::string name, std::string_view sets);
  void requiresFacet(ir::Facet facet) { requiredFacets_.push_back(facet); }
  /// For a pass that also has something to say about a model without runs.
  void requiresFacetOfRuns(ir::Facet facet) { facetsRequiredOfRuns_.push_back(facet); }
  /// Host events (see Timeline::host) are in traces and not in IR text. `ofRun` tells for which runs the pass reads
  /// them.
  void requiresHostEvents(HostEventNeed ofRun) { hostEventNeed_ = std::move(ofRun); }
  void establishesFacet(ir::Facet facet) { establishes_.push_back(facet); }
  // Each returns the option, until the next one is declared.
  PassOption& flag(std::string name, OptionText text, bool& storage);
  PassOption& integer(std::string name, OptionText text, int64_t& storage, int64_t minimum, int64_t maximum);
  /// A time with its unit, from 0 to `maximumNs`.
  PassOption& duration(std::string name, OptionText text, int64_t& storageNs, int64_t maximumNs);
  /// A number of bytes per second with its unit, from 1 to `maximumBytesPerS`.
  PassOption& byteRate(std::string name, OptionText text, int64_t& storageBytesPerS, int64_t maximumBytesPerS);
  /// A time with its unit, or how many times as fast.
  PassOption& timeGoal(std::string name, OptionText text, std::optional<TimeGoal>& storage);
  PassOption& string(std::string name, OptionText text, std::string& storage, std::vector<std::string> choices = {});
  /// Repeatable; each setting appends.
  PassOption& list(std::string name, OptionText text, std::vector<std::string>& storage,
                   std::vector<std::string> choices = {});
  /// Outputs of the kinds that all passes of the registry declare. `defaultKind` is rendered if none is named.
  void outputs(std::string name, std::string defaultKind, const PassRegistry& registry,
               std::vector<OutputRequest>& storage);
  /// The reference is valid as long as the pass.
  int64_t& statistic(std::string name, std::string description);

 private:
  PassOption& declare(std::string name, PassOption::Kind kind, OptionText text, std::string defaultValue,
                      std::function<void(std::string_view)> set);

  DefaultUse defaultUse_ = DefaultUse::Never;
  PassInputs neededInputs_;
  std::vector<OutputKind> outputKinds_;
  std::vector<AnalysisPrinter> analysisPrinters_;
  std::vector<CommandOption> commandOptions_;
  std::string (*documentation_)() = nullptr;
  RuleCheck ruleCheck_ = nullptr;
  std::vector<std::string_view> passesUsedIfBefore_;
  HostEventNeed hostEventNeed_;
  std::vector<ir::Facet> requiredFacets_;
  std::vector<ir::Facet> facetsRequiredOfRuns_;
  std::vector<ir::Facet> establishes_;
  std::vector<PassOption> options_;
  std::vector<std::unique_ptr<Statistic>> statistics_;
};

}  // namespace amdahlc
