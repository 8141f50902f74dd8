/// The base class of passes: what a pass declares about itself, what it may read and write, and what it returns.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "passes/manager/analysis.h"
#include "passes/manager/command_option.h"
#include "passes/manager/options.h"
#include "support/diagnostic.h"

namespace amdahlc {

/// Inputs that passes need and no pass establishes.
enum class PassInput : uint8_t {
  /// Always given: by default, the shipped rules of the target's runtime.
  Rules,
  Trace,
  /// Read with a trace; IR text has none (`Timeline::host`).
  HostEvents,
  Speedups,
  /// Given by the user, or with a run or a target that may name its device: then it is a shipped one.
  Hardware,
  /// A graph that is the program of runs, and not a model.
  Program,
};
using PassInputs = std::set<PassInput>;

/// Texts about an input for messages.
struct PassInputText {
  /// `a trace`
  std::string_view needed;
  /// `` give one with `-trace=` ``
  std::string_view hint;
  /// `the trace is not used`
  std::string_view unused;
};
const PassInputText& textOf(PassInput input);

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

/// What surrounds the passes of a run.
struct PassServices {
  /// Prints text to the dump channel: stderr, or the file of `-print-to`.
  std::function<void(std::string_view)> dump;
  /// Prints what an option asked the pass to explain: to the dump channel, or instead of the outputs.
  std::function<void(std::string_view)> explain;
  /// Progress of long work, displayed on a terminal only: fraction in 0..1.
  std::function<void(std::string_view what, double fraction)> progress;
};

/// The services of a running pass. One per pass run.
class PassContext : public PassServices {
 public:
  PassContext(DiagnosticEngine& diagnostics, AnalysisManager& analyses, PassServices services = {})
      : PassServices(std::move(services)), diagnostics(diagnostics), analyses(analyses) {}

  DiagnosticEngine& diagnostics;
  AnalysisManager& analyses;
  /// Whether remarks of this kind are requested for this pass. Ask before formatting.
  bool wants(RemarkKind kind) const { return (wantedRemarks_ >> static_cast<uint8_t>(kind)) & 1u; }
  void remark(RemarkKind kind, Location location, std::string message);
  /// Whether `-debug-only=` requests this pass's debug text; `debug` writes a line.
  bool wantsDebug() const { return static_cast<bool>(debugSink_); }
  void debug(std::string_view line) {
    if (debugSink_) debugSink_(line);
  }
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
/// help and `print` read these declarations and know no pass by name.
class Pass : public DeclaredOptions {
 public:
  /// Whether the default pipeline contains a pass: never; if its inputs are given and its facets are established; or
  /// if, in addition, it is asked for: by an option, or by an output that shows what it finds.
  enum class DefaultUse : uint8_t { Never, Always, IfAskedFor };

  virtual ~Pass() = default;
  virtual PassResult run(ir::Module& module, PassContext& context) = 0;
  /// Is called behind the last pass, where no pass failed.
  virtual void finish(const ir::Module&, PassContext&) {}
  /// Declares options that depend on the declarations of other passes. The registry calls it once for each instance.
  virtual void completeOptions(const PassRegistry&) {}

  DefaultUse defaultUse() const { return defaultUse_; }
  const PassInputs& neededInputs() const { return neededInputs_; }
  const std::vector<AnalysisPrinter>& analysisPrinters() const { return analysisPrinters_; }
  const std::vector<CommandOption>& commandOptions() const { return commandOptions_; }
  /// Text for the page of the pass, made of its tables, or null.
  std::string (*documentation() const)() { return documentation_; }
  /// The check that `-check-rules -trace=` runs, or null.
  RuleCheck ruleCheck() const { return ruleCheck_; }
  /// The passes whose findings it uses if they ran before it.
  const std::vector<std::string_view>& passesUsedIfBefore() const { return passesUsedIfBefore_; }

  const std::vector<ir::Facet>& requiredFacets() const { return requiredFacets_; }
  /// Those that it requires in addition where the module has runs.
  const std::vector<ir::Facet>& facetsRequiredOfRuns() const { return facetsRequiredOfRuns_; }
  bool declaresHostEvents() const { return static_cast<bool>(hostEventNeed_); }
  /// Whether the pass would read the host events of this run, given the current module. If they are absent, the pass is
  /// not started.
  bool needsHostEvents(const ir::Module& module, const Timeline& timeline) const {
    return hostEventNeed_ && hostEventNeed_(module, timeline);
  }
  std::optional<ir::Facet> establishes() const { return establishes_; }
  /// Counters in order of declaration.
  const std::vector<std::unique_ptr<Statistic>>& statistics() const { return statistics_; }

 protected:
  void runsByDefault(DefaultUse use = DefaultUse::Always) { defaultUse_ = use; }
  void needsInput(PassInput input) { neededInputs_.insert(input); }
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
  /// A pass establishes one facet at most.
  void establishesFacet(ir::Facet facet) { establishes_ = facet; }
  /// The reference is valid as long as the pass.
  int64_t& statistic(std::string name, std::string description);

 private:
  DefaultUse defaultUse_ = DefaultUse::Never;
  PassInputs neededInputs_;
  std::vector<AnalysisPrinter> analysisPrinters_;
  std::vector<CommandOption> commandOptions_;
  std::string (*documentation_)() = nullptr;
  RuleCheck ruleCheck_ = nullptr;
  std::vector<std::string_view> passesUsedIfBefore_;
  HostEventNeed hostEventNeed_;
  std::vector<ir::Facet> requiredFacets_;
  std::vector<ir::Facet> facetsRequiredOfRuns_;
  std::optional<ir::Facet> establishes_;
  std::vector<std::unique_ptr<Statistic>> statistics_;
};

}  // namespace amdahlc
