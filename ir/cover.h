/// Candidates and covers: the groups of operators that rules match, and a choice of them for one run. Facets of a cover
/// store facts about its kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/facets/facet_store.h"
#include "ir/ids.h"
#include "ir/rules.h"

namespace amdahlc::ir {

/// One match of one rule, or a group of operators of a `generated` one.
struct Candidate {
  RuleId rule;
  /// Which `match` of the rule.
  uint32_t alternative = 0;
  /// The producer of the first result.
  OpId root;
  /// The operator whose framework call launches the kernel.
  OpId anchor;
  /// Ascending.
  std::vector<OpId> ops;
  /// Number of operators that are neither views nor hidden: the size of the candidate.
  uint32_t owned = 0;
  /// Live-out values of the match.
  std::vector<ValueId> results;
  /// Candidates that (transitively) share operators have the same component.
  uint32_t component = 0;
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// One device kernel of a cover: a candidate that was chosen, one operator, or the operators that events of the cover's
/// trace name together.
struct Kernel {
  KernelId id;
  /// nullopt for operators that no candidate covers (`rule: null`).
  std::optional<CandidateId> candidate;
  /// Anchor first, then ascending.
  std::vector<OpId> ops;
  OpId anchor() const { return ops.front(); }
  /// No rule groups its operators: the trace does.
  bool isNamedByTrace() const { return !candidate && ops.size() > 1; }
};

/// The name of the cover without a trace, which no run may have as its label.
inline constexpr std::string_view kDefaultCover = "default";

/// A choice of candidates for one run.
struct Cover {
  /// kDefaultCover, or a trace label.
  std::string name;
  /// Empty for kDefaultCover.
  std::string traceLabel;
  IdVector<KernelId, Kernel> kernels;
  FacetStore facets;
};

}  // namespace amdahlc::ir
