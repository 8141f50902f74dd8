#include "passes/fuse/fuse_remarks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "ir/applicability.h"
#include "ir/facets/bound.h"
#include "passes/fuse/choice_order.h"
#include "support/name_list.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc {

using ir::CandidateId;
using ir::kNone;
using ir::OpId;

namespace {

/// Why a candidate is not in the cover; `place` says which operator decided.
std::string describeLoss(const ir::Module& module, const ir::OperatorGraph& graph, const CoverBuilder& builder,
                         CandidateId candidate, std::string_view place) {
  const Decision& decision = builder.decision(candidate);
  switch (decision.choice) {
    case Choice::Overlaps:
      return fmt::format("{} is in the kernel of rule `{}`, which {}", place, module.ruleOf(decision.rival).name,
                         ChoiceOrder(module, graph).reason(decision.rival, candidate));
    case Choice::Cycle:
      return fmt::format("the kernel graph would get a cycle through {}", place);
    case Choice::TooLarge:
      return "too many kernels lie between its operators";
    default:
      return "it does not apply to the target of the default cover";
  }
}

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
  const std::string& ruleName(CandidateId id) const { return module_.ruleOf(id).name; }

  std::string names(const std::vector<OpId>& ops) const {
    constexpr size_t kShown = 12;
    return firstFew(ops, [&](OpId op) { return fmt::format("`{}`", module_.displayName(op)); }, kShown);
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
    const OpId at = builder_.decision(id).op;
    return describeLoss(module_, graph_, builder_, id, at.isNone() ? "" : fmt::format("`{}`", module_.displayName(at)));
  }

  const ir::Module& module_;
  const ir::OperatorGraph& graph_;
  const RuleIndex& index_;
  const CoverBuilder& builder_;
  PassContext& context_;
};

// Causes and rivals that are listed; the rest is counted.
constexpr size_t kMaxListed = 8;

/// `3  operators that another rule took`, the most frequent first.
std::string listed(const std::map<std::string, int64_t>& counts) {
  std::vector<std::pair<std::string, int64_t>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (size_t i = 0; i < rows.size() && i < kMaxListed; ++i)
    text += fmt::format("{:>8}  {}\n", rows[i].second, rows[i].first);
  int64_t others = 0;
  for (size_t i = kMaxListed; i < rows.size(); ++i) others += rows[i].second;
  if (others > 0) text += fmt::format("{:>8}  of {}\n", others, plural(rows.size() - kMaxListed, "other cause"));
  return text;
}

/// What became of the candidate of a kernel in a run.
std::string fateOf(const ir::Module& module, const ir::Kernel& kernel, const ir::KernelBinding& binding) {
  if (!binding.events.empty()) return "kernels with events";
  if (binding.missReason) return "kernels without an event: " + ir::describe(module, kernel, *binding.missReason);
  return fmt::format("kernels that are {}", ir::name(binding.state));
}

}  // namespace

std::string explainRuleInRun(const ir::Module& module, const Timeline& run, ir::RuleId id) {
  const ir::Cover* cover = module.coverOfRun(run.label);
  std::string text =
      fmt::format("run `{}`, rule `{}`:\n", printable(run.label), printable(module.rules.rules[id].name));
  if (cover == nullptr || !rulesOn(module.rules, run.target)[id])
    return text + "  it does not apply to the target of the run\n";
  const auto& bindings = cover->facets.get<ir::BoundFacet>()->kernels;
  IdVector<OpId, ir::KernelId> kernelOf(module.ops.size());
  IdVector<CandidateId, ir::KernelId> chosen(module.candidates.size());
  for (const ir::Kernel& kernel : cover->kernels) {
    for (const OpId op : kernel.ops) kernelOf[op] = kernel.id;
    if (kernel.candidate) chosen[*kernel.candidate] = kernel.id;
  }
  std::map<std::string, int64_t> fates;
  CandidateId firstLoss;
  for (const CandidateId candidate : module.candidates.ids()) {
    if (module.candidates[candidate].rule != id) continue;
    if (!chosen[candidate].isNone()) {
      ++fates[fateOf(module, cover->kernels[chosen[candidate]], bindings[chosen[candidate]])];
      continue;
    }
    std::set<std::string> others;
    for (const OpId op : module.candidates[candidate].ops) {
      const ir::Kernel& kernel = cover->kernels[kernelOf[op]];
      others.insert(fmt::format(
          "{} {} events",
          kernel.candidate ? fmt::format("of rule `{}`", module.ruleOf(*kernel.candidate).name) : "without a rule",
          bindings[kernel.id].events.empty() ? "without" : "with"));
    }
    ++fates[fmt::format("no kernels, because their operators are in kernels {}", fmt::join(others, ", "))];
    firstLoss = std::min(firstLoss, candidate);
  }
  text += fates.empty() ? "  no match\n" : "  its matches are:\n" + listed(fates);
  if (!firstLoss.isNone())
    text +=
        fmt::format("  `-explain-bind='node:{}'` has the log-odds of the first that is no kernel, and of what ran\n",
                    printable(module.displayName(module.candidates[firstLoss].anchor)));
  return text;
}

void remarkOnCover(const ir::Module& module, const ir::OperatorGraph& graph, const RuleIndex& index,
                   const CoverBuilder& builder, const IdVector<OpId, NearMiss>& nearMisses, PassContext& context) {
  Remarks remarks(module, graph, index, builder, context);
  if (context.wants(RemarkKind::Passed)) remarks.chosen();
  if (context.wants(RemarkKind::Missed)) remarks.missed(nearMisses);
  if (context.wants(RemarkKind::Analysis)) remarks.rejected();
}

std::string explainRule(const ir::Module& module, const ir::OperatorGraph& graph, const RuleIndex& index,
                        const CoverBuilder& builder, ir::RuleId id, const RuleAttempts& attempts) {
  const ir::Rule& rule = module.rules.rules[id];
  std::string text = fmt::format("rule `{}` ({}):\n", printable(rule.name), printable(rule.file));
  if (rule.generated) return text + "  it is `generated`: `trace-bind` makes its kernels\n";
  if (!isApplicable(module, rule)) return text + "  it does not apply to the target of the model or of its runs\n";
  if (attempts.tried == 0) return text + "  tried at no operator: the model has none that could be its first result\n";
  if (rule.patterns.size() > 1)
    text += fmt::format("  each of its {} is tried by itself:\n", plural(rule.patterns.size(), "alternative"));
  text += fmt::format("  tried {}, matched {}\n", plural(attempts.tried, "time"), plural(attempts.matched, "time"));

  int64_t kernels = 0;
  std::map<std::string, int64_t> losses;
  for (const ir::CandidateId candidate : module.candidates.ids()) {
    if (module.candidates[candidate].rule != id) continue;
    if (builder.decision(candidate).choice == Choice::Chosen)
      ++kernels;
    else
      ++losses[describeLoss(module, graph, builder, candidate, "an operator")];
  }
  text += fmt::format("  {} of the default cover\n", plural(kernels, "kernel"));
  if (!losses.empty()) text += "  candidates that are no kernel, by cause:\n" + listed(losses);
  if (attempts.nearest.pattern == ir::kNoIndex) return text;
  std::map<std::string, int64_t> causes;
  for (const auto& [reason, count] : attempts.failures) causes[std::string(describe(reason))] += count;
  text += "  attempts that failed, by cause:\n" + listed(causes);
  const CompiledPattern& pattern = index.patterns()[attempts.nearest.pattern];
  const std::string which =
      rule.patterns.size() > 1 ? fmt::format("match {} of {}, ", pattern.alternative + 1, rule.patterns.size()) : "";
  text += fmt::format("  nearest miss: {}from `{}`, after {}: {}\n", which,
                      printable(module.displayName(attempts.nearest.failure.root)),
                      plural(attempts.nearest.failure.matched.size(), "operator"),
                      printable(describe(module, pattern, attempts.nearest.failure)));
  return text;
}

}  // namespace amdahlc
