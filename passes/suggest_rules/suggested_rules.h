/// The analysis of rules for device time that no rule explains: proposals that were tried on the run and explain some
/// of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/facets/bound.h"
#include "ir/module.h"
#include "passes/manager/analysis.h"
#include "passes/suggest_rules/observation.h"

namespace amdahlc::suggestions {

/// A rule that explains calls of the run which had no kernel.
struct SuggestedRule {
  std::string name;
  /// The declaration in `.akp`.
  std::string text;
  /// The calls that it is about, in the order in which one kernel has them.
  std::vector<std::string> calls;
  /// With all suggestions: nanoseconds of the events of its kernels, these kernels, and calls bound to them, over all
  /// selected iterations.
  int64_t ns = 0;
  int64_t kernels = 0;
  int64_t boundCalls = 0;
  /// What some of these events agree in.
  ir::EvidenceSet evidence = 0;
  friend bool operator==(const SuggestedRule&, const SuggestedRule&) = default;
};

struct SuggestedRules {
  static constexpr const char* kName = "suggested-rules";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Bound};

  /// The run of the cover needs its host events. Tries at most `limits::kSuggestionTrials` rules.
  SuggestedRules(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

  /// By descending time, then by name. None if the trace does not fit the model with any of them: then nothing tells a
  /// right one from a wrong one.
  std::vector<SuggestedRule> rules;
  /// Kinds of calls that stay without a kernel, by descending time.
  std::vector<CallKind> unexplained;
  /// Nanoseconds of the run's selected events, and of those that are bound without and with the suggestions.
  int64_t deviceNs = 0, boundBefore = 0, boundAfter = 0;
  /// What `deviceNs` is, as `Target::eventTimeName` says it.
  std::string_view timeName;
  /// `boundBefore` as the trials bind the run without suggestions, by default options. It differs if the run was bound
  /// with others.
  int64_t triedBefore = 0;
  /// Of those bound in both cases, by kernels of different operators.
  int64_t movedNs = 0;
  /// Whether the trace fits the model without and with them.
  bool fitsBefore = false, fitsAfter = false;
  /// Rules that were tried, and whether the limit ended the search.
  int64_t trials = 0;
  bool reachedLimit = false;
  /// Rules that were accepted, and withheld because the trace does not fit the model with them.
  int64_t withheld = 0;
  /// One line for each trial, for debugging.
  std::vector<std::string> log;

  friend bool operator==(const SuggestedRules&, const SuggestedRules&) = default;
};

/// What a rule explains, in one line: `71.2 ms (60.1 %): 72 calls of ..`.
std::string describe(const SuggestedRules& suggestions, size_t rule);

/// A rule file with the suggestions for a run; comments say what each would change.
std::string printSuggestedRules(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

}  // namespace amdahlc::suggestions
