/// The pass contract.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "passes/manager/analysis.h"
#include "support/diagnostic.h"

namespace amdahlc {

/// Exactly one of unchanged, changed (with what stays valid) or failed (diagnostics say why; the module may not be used further).
struct PassResult {
  enum class Kind : uint8_t { Unchanged, Changed, Failed };
  Kind kind = Kind::Unchanged;
  bool preservesAnalyses = false;  ///< Changed: cached analyses stay valid

  static PassResult unchanged() { return {Kind::Unchanged, true}; }
  static PassResult changed() { return {Kind::Changed, false}; }
  static PassResult changedPreservingAnalyses() { return {Kind::Changed, true}; }
  static PassResult failed() { return {Kind::Failed, false}; }
};

/// What a pass did, did not do, or believes: Clang's optimisation remarks.
enum class RemarkKind : uint8_t { Passed, Missed, Analysis };

/// A output of `emit`: bytes for the driver to write. Passes open no files.
struct Artifact {
  std::string kind;  ///< `summary`, `json`, ...
  std::string path;  ///< as asked for on the command line; empty: `-o` or stdout; `-`: stdout
  std::string bytes;
};

/// One counter of `-stats`, declared beside the pass.
struct Statistic {
  std::string name;
  std::string description;
  int64_t value = 0;
};

/// One option of a pass, declared beside it; pipeline text `pass<name=value;flag>` sets it.
struct PassOption {
  enum class Kind : uint8_t { Flag, Integer, String, List };
  std::string name;
  Kind kind = Kind::Flag;
  std::string description;
  std::string defaultValue;  ///< as printed in help
  int64_t minimum = 0;       ///< Integer
  int64_t maximum = INT64_MAX;
  std::vector<std::string> choices;  ///< String and List: allowed values; empty: any
  /// Stores a checked value in the pass.
  std::function<void(std::string_view)> set;
};

/// What a running pass may use. One per pass run.
class PassContext {
 public:
  PassContext(DiagnosticEngine& diagnostics, AnalysisCache& analyses) : diagnostics(diagnostics), analyses(analyses) {}

  DiagnosticEngine& diagnostics;
  AnalysisCache& analyses;
  std::vector<Artifact> artifacts;
  /// Wanted remark kinds of this pass; ask before formatting.
  bool wants(RemarkKind kind) const { return (wantedRemarks_ >> static_cast<uint8_t>(kind)) & 1u; }
  void remark(RemarkKind kind, Location location, std::string message);
  /// `-debug-only=pass`: true when this pass's debug text is wanted; `debug` writes a line.
  bool wantsDebug() const { return static_cast<bool>(debugSink_); }
  void debug(std::string_view line) {
    if (debugSink_) debugSink_(line);
  }
  /// Text that a `print` pass shows beside the outputs: stderr, or where `-print-to` says.
  std::function<void(std::string_view)> dump;
  /// `-color=`; terminal width for tables; set by the driver.
  bool color = false;
  unsigned terminalColumns = 0;  ///< 0: not a terminal
  /// Progress of long work, shown on a terminal only: fraction in 0..1.
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

/// A pass instance runs once. Subclasses declare facets, options and statistics in their constructor.
class Pass {
 public:
  virtual ~Pass() = default;
  virtual PassResult run(ir::Module& module, PassContext& context) = 0;

  const std::vector<ir::Facet>& requiredFacets() const { return requiredFacets_; }
  const std::vector<ir::Facet>& establishes() const { return establishes_; }
  std::vector<PassOption>& options() { return options_; }
  const std::vector<PassOption>& options() const { return options_; }
  /// Counters in order of declaration.
  const std::vector<std::unique_ptr<Statistic>>& statistics() const { return statistics_; }

 protected:
  void requiresFacet(ir::Facet facet) { requiredFacets_.push_back(facet); }
  void establishesFacet(ir::Facet facet) { establishes_.push_back(facet); }
  void flag(std::string name, std::string description, bool& storage);
  void integer(std::string name, std::string description, int64_t& storage, int64_t minimum, int64_t maximum);
  void string(std::string name, std::string description, std::string& storage, std::vector<std::string> choices = {});
  /// Repeatable; each setting appends.
  void list(std::string name, std::string description, std::vector<std::string>& storage,
            std::vector<std::string> choices = {});
  /// The reference stays valid for the life of the pass.
  int64_t& statistic(std::string name, std::string description);

 private:
  std::vector<ir::Facet> requiredFacets_;
  std::vector<ir::Facet> establishes_;
  std::vector<PassOption> options_;
  std::vector<std::unique_ptr<Statistic>> statistics_;
};

}  // namespace amdahlc
