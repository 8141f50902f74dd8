#include "passes/fuse/target_grouping.h"

#include "ir/applicability.h"
#include "passes/fuse/choice_order.h"
#include "passes/fuse/cover_builder.h"

namespace amdahlc {

std::vector<ir::CandidateId> candidatesOf(const ir::Module& module, const ir::OperatorGraph& graph,
                                          const IdVector<ir::RuleId, bool>& admitted) {
  std::vector<ir::CandidateId> order = ChoiceOrder(module, graph).candidates();
  std::erase_if(order, [&](ir::CandidateId id) {
    const ir::RuleId rule = module.candidates[id].rule;
    return !admitted[rule] || module.rules.rules[rule].generated;
  });
  return order;
}

std::optional<TargetGrouping> groupingOn(const ir::Module& module, const ir::OperatorGraph& graph,
                                         const Target& target) {
  TargetGrouping grouping{rulesOn(module.rules, target), viewsOn(module.rules, target), {}};
  CoverBuilder builder(module, graph);
  builder.choose(candidatesOf(module, graph, grouping.admitted));
  auto kernels = builder.kernels();
  if (!kernels) return std::nullopt;
  grouping.kernels = std::move(*kernels);
  return grouping;
}

}  // namespace amdahlc
