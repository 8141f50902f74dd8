/// The order in which candidates are chosen for a cover: one table for choosing, remarks and the documentation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "ir/operator_graph.h"

namespace amdahlc {

/// A candidate as criteria see it.
struct RankedCandidate {
  const ir::Module& module;
  const ir::OperatorGraph& graph;
  ir::CandidateId id;

  const ir::Candidate& candidate() const { return module.candidates[id]; }
  const ir::Rule& rule() const { return module.rules.rules[candidate().rule]; }
};

/// A criterion of the order. Later criteria decide if earlier ones are equal.
struct ChoiceCriterion {
  /// For the documentation: which candidate comes first.
  std::string_view description;
  /// The candidate with the lower key comes first.
  int64_t (*key)(const RankedCandidate& candidate);
  /// For remarks on two candidates that differ in this criterion first: `owns 2 operators over 1`.
  std::string (*reason)(const RankedCandidate& first, const RankedCandidate& second);
};

/// All criteria in order. The last one is different for any two candidates, so that the order is total.
std::span<const ChoiceCriterion> choiceCriteria();

class ChoiceOrder {
 public:
  ChoiceOrder(const ir::Module& module, const ir::OperatorGraph& graph) : module_(module), graph_(graph) {}

  /// Why `first` precedes `second`: the first criterion in which they differ.
  std::string reason(ir::CandidateId first, ir::CandidateId second) const;
  /// All candidates of the module in this order.
  std::vector<ir::CandidateId> candidates() const;

 private:
  int64_t key(size_t criterion, ir::CandidateId candidate) const {
    return choiceCriteria()[criterion].key({module_, graph_, candidate});
  }

  const ir::Module& module_;
  const ir::OperatorGraph& graph_;
};

}  // namespace amdahlc
