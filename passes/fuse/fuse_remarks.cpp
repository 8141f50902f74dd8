#include "passes/fuse/fuse_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "passes/fuse/choice_order.h"
#include "support/plural.h"

namespace amdahlc {

using ir::CandidateId;
using ir::kNone;
using ir::OpId;

namespace {

class Remarks {
 public:
  Remarks(const ir::Module& module, const ir::OperatorGraph& graph, const RuleIndex& index, const CoverBuilder& builder,
          PassContext& context)
      : module_(module), graph_(graph), index_(index), builder_(builder), context_(context) {}

  void chosen() {
    for (const ir::Kernel& kernel : module_.covers.front().kernels) {
      if (!kernel.candidate) continue;
      context_.remark(RemarkKind::Passed, location(kernel.anchor()),
                      fmt::format("kernel {}: rule `{}` takes {}: {}", kernel.id.index(), ruleName(*kernel.candidate),
                                  plural(kernel.ops.size(), "operator"), names(kernel.ops)));
    }
  }

  void missed(const IdVector<OpId, NearMiss>& nearMisses) {
    IdVector<OpId, CandidateId> firstOf(module_.ops.size());
    for (const CandidateId id : module_.candidates.ids()) {
      for (const OpId op : module_.candidates[id].ops) firstOf[op] = std::min(firstOf[op], id);
    }
    withoutKernel();
    for (const OpId op : graph_.order()) {
      if (builder_.isCovered(op)) continue;
      context_.remark(RemarkKind::Missed, location(op),
                      fmt::format("no kernel for `{}` ({}): {}", module_.displayName(op),
                                  module_.text(module_.ops[op].type), whyMissed(op, firstOf[op], nearMisses[op])));
    }
  }

  /// Rules with candidates, all of which lost: one remark for each, with the first loss.
  void withoutKernel() {
    IdVector<ir::RuleId, CandidateId> first(module_.rules.rules.size());
    IdVector<ir::RuleId, int64_t> count(module_.rules.rules.size(), 0);
    std::vector<bool> chosen(module_.rules.rules.size(), false);
    for (const CandidateId id : module_.candidates.ids()) {
      const ir::RuleId rule = module_.candidates[id].rule;
      first[rule] = std::min(first[rule], id);
      ++count[rule];
      if (builder_.decision(id).choice == Choice::Chosen) chosen[rule.index()] = true;
    }
    for (const ir::RuleId rule : module_.rules.rules.ids()) {
      if (count[rule] == 0 || chosen[rule.index()]) continue;
      context_.remark(RemarkKind::Missed, location(module_.candidates[first[rule]].root),
                      fmt::format("rule `{}` has {} and no kernel: {}", module_.rules.rules[rule].name,
                                  plural(count[rule], "candidate"), whyRejected(first[rule])));
    }
  }

  void rejected() {
    for (const CandidateId id : module_.candidates.ids()) {
      if (builder_.decision(id).choice == Choice::Chosen) continue;
      const ir::Candidate& candidate = module_.candidates[id];
      context_.remark(RemarkKind::Analysis, location(candidate.root),
                      fmt::format("candidate {} of rule `{}` over {} is not chosen: {}", id.index(), ruleName(id),
                                  names(candidate.ops), whyRejected(id)));
    }
  }

 private:
  Location location(OpId op) const { return OnnxLocation{module_.modelName, "", module_.displayName(op), ""}; }
  const ir::Rule& rule(CandidateId id) const { return module_.rules.rules[module_.candidates[id].rule]; }
  const std::string& ruleName(CandidateId id) const { return rule(id).name; }

  std::string names(const std::vector<OpId>& ops) const {
    constexpr size_t kShown = 12;
    std::string text;
    for (size_t i = 0; i < ops.size() && i < kShown; ++i)
      text += fmt::format("{}`{}`", i == 0 ? "" : ", ", module_.displayName(ops[i]));
    if (ops.size() > kShown) text += fmt::format(" and {} more", ops.size() - kShown);
    return text;
  }

  std::string whyMissed(OpId op, CandidateId candidate, const NearMiss& miss) const {
    if (candidate != kNone)
      return fmt::format("rule `{}` matches over {}, but {}", ruleName(candidate),
                         names(module_.candidates[candidate].ops), whyRejected(candidate));
    if (miss.pattern == ir::kNoIndex)
      return fmt::format("no active rule reaches this `{}`", module_.text(module_.ops[op].type));
    const CompiledPattern& pattern = index_.patterns()[miss.pattern];
    const std::string& name = module_.rules.rules[pattern.rule].name;
    const size_t matched = miss.failure.matched.size();
    const std::string where = matched == 0 ? std::string("stopped at once")
                                           : fmt::format("stopped after {} from `{}`", plural(matched, "operator"),
                                                         module_.displayName(miss.failure.root));
    return fmt::format("rule `{}` {}: {}", name, where, describe(module_, pattern, miss.failure));
  }

  std::string whyRejected(CandidateId id) const {
    const Decision& decision = builder_.decision(id);
    switch (decision.choice) {
      case Choice::Overlaps:
        return fmt::format("`{}` is in the kernel of rule `{}`, which {}", module_.displayName(decision.op),
                           ruleName(decision.rival), ChoiceOrder(module_, graph_).reason(decision.rival, id));
      case Choice::Cycle:
        return fmt::format("the kernel graph would get a cycle through `{}`", module_.displayName(decision.op));
      case Choice::TooLarge:
        return "too many kernels lie between its operators";
      default:
        return "it does not apply to the target of the default cover";
    }
  }

  const ir::Module& module_;
  const ir::OperatorGraph& graph_;
  const RuleIndex& index_;
  const CoverBuilder& builder_;
  PassContext& context_;
};

}  // namespace

std::string describeLoss(const ir::Module& module, const ir::OperatorGraph& graph, const CoverBuilder& builder,
                         CandidateId candidate) {
  const Decision& decision = builder.decision(candidate);
  switch (decision.choice) {
    case Choice::Overlaps:
      return fmt::format("operators in kernels of rule `{}`, which {}",
                         module.rules.rules[module.candidates[decision.rival].rule].name,
                         ChoiceOrder(module, graph).reason(decision.rival, candidate));
    case Choice::Cycle:
      return "the kernel graph would get a cycle";
    case Choice::TooLarge:
      return "too many kernels lie between the operators";
    default:
      return "of rules for another target than that of the default cover";
  }
}

void remarkOnCover(const ir::Module& module, const ir::OperatorGraph& graph, const RuleIndex& index,
                   const CoverBuilder& builder, const IdVector<OpId, NearMiss>& nearMisses, PassContext& context) {
  Remarks remarks(module, graph, index, builder, context);
  if (context.wants(RemarkKind::Passed)) remarks.chosen();
  if (context.wants(RemarkKind::Missed)) remarks.missed(nearMisses);
  if (context.wants(RemarkKind::Analysis)) remarks.rejected();
}

}  // namespace amdahlc
