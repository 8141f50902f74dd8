// Before: operators and rules.                    After: candidates, and the cover `default`.
//
//   %3 = MatMul(%x, %w)                             candidate 0 linear {MatMul, Add}   candidate 1 bias-add {Add}
//   %4 = Add(%3, %b)                                kernel 0 linear {MatMul, Add}
//
// First, matching: every match of every rule that may run on a known target becomes a candidate. Then, choosing:
// candidates are taken greedily in one total order, unless an operator would get two kernels or the kernel graph a
// cycle. Candidates that are not chosen are kept, because a trace may show that they ran.
//
// It refuses matches with internal values that are used elsewhere, matches that a path leaves and enters again, and
// matches across regions. A module that is already fused does not change.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/applicability.h"
#include "ir/kernel_graph.h"
#include "passes/fuse/choice_order.h"
#include "passes/fuse/cover_builder.h"
#include "passes/fuse/enumeration.h"
#include "passes/fuse/fuse_remarks.h"
#include "passes/fuse/matcher.h"
#include "passes/manager/pass.h"
#include "support/edit_distance.h"
#include "support/limits.h"
#include "support/plural.h"

namespace amdahlc {
namespace {

std::string joined(std::span<const ir::KernelId> kernels) {
  std::string text;
  for (const ir::KernelId kernel : kernels) text += fmt::format(" {}", kernel.index());
  return text;
}

std::string printKernelGraph(const ir::Module& module, ir::CoverId id, AnalysisManager& analyses) {
  const ir::Cover& cover = module.cover(id);
  const auto& graph = analyses.get<ir::KernelGraph>(id);
  std::string text = fmt::format("kernel-graph of cover `{}`: {} kernels\n", cover.name, cover.kernels.size());
  for (const ir::Kernel& kernel : cover.kernels) {
    text += "  " + kernelTitle(module, kernel);
    if (!graph.predecessors(kernel.id).empty()) text += "; after" + joined(graph.predecessors(kernel.id));
    for (const ir::ValueId input : graph.graphInputs(kernel.id))
      text += fmt::format("; input {}", module.text(module.values[input].name));
    if (!graph.bodyKernels(kernel.id).empty()) text += "; body" + joined(graph.bodyKernels(kernel.id));
    text += '\n';
  }
  return text;
}

}  // namespace

class FusePass : public Pass {
 public:
  FusePass() {
    integer("max-matches-per-root", "Limit the matches kept of one alternative of a rule at one operator.",
            maxMatchesPerRoot_, 1, 1 << 20);
    integer("max-steps-per-root", "Limit the values tested for one alternative of a rule at one operator.",
            maxStepsPerRoot_, 1, 1 << 30);
    list("explain", "Print what became of a rule.", explain_);
    addsCommandOption({.name = "explain-rule",
                       .argument = "name",
                       .summary = "Print what became of a rule, and stop.",
                       .details =
                           "This is at how many operators it was tried, its matches, why they are no kernels, where "
                           "the nearest miss stopped, and what became of the matches in each run. The option may be "
                           "repeated.",
                       .sets = "explain",
                       .explains = true,
                       .explainsAlso = "trace-bind"});
    runsByDefault();
    needsInput(PassInput::Rules);
    establishesFacet(ir::Facet::Fused);
    printsAnalysis({ir::KernelGraph::kName, "kernels of each cover, with the kernels that each waits for",
                    ir::Facet::Fused, printKernelGraph, everyCover});
  }

  PassResult run(ir::Module& module, PassContext& context) override {
    auto explained = rulesToExplain(module, context);
    if (!explained) return PassResult::failed();
    if (module.has(ir::Facet::Fused)) return PassResult::unchanged();
    const auto& graph = context.analyses.get<ir::OperatorGraph>();
    const RuleIndex index(module);

    const MatchLimits limits{static_cast<uint32_t>(maxMatchesPerRoot_), static_cast<uint32_t>(maxStepsPerRoot_)};
    std::function<void(double)> progress;
    if (context.progress) progress = [&](double fraction) { context.progress("matching rules", fraction); };
    Enumeration found = enumerateCandidates(module, graph, index, limits, context.wants(RemarkKind::Missed), progress,
                                            explained->empty() ? nullptr : &*explained);
    if (found.excess) {
      context.diagnostics
          .error(DiagId::TooManyMatches, OnnxLocation{module.modelName, "", "", ""},
                 fmt::format(
                     "the matches of {} have {} operators, each match counted as 32 more; the limit is {}, which is "
                     "{} and {} for each node",
                     plural(module.rules.rules.size(), "rule"), found.excess->operators, matchedOperatorsLimit(module),
                     limits::kFreeMatchedOperators, limits::kMatchedOperatorsPerNode))
          .note(fmt::format("rule `{}` has most of them; `-disable-rule=` leaves out rules, "
                            "`fuse<max-matches-per-root=1>` keeps one match of each at an operator",
                            module.rules.rules[found.excess->rule].name));
      return PassResult::failed();
    }
    module.candidates = std::move(found.candidates);
    module.truncatedRoots = found.truncatedRoots;

    CoverBuilder builder(module, graph);
    builder.choose(candidatesOf(module, graph, rulesOn(module.rules, module.target)));
    auto kernels = builder.kernels();
    if (!kernels) {
      context.diagnostics.error(DiagId::IrInvariant, OnnxLocation{module.modelName, "", "", ""},
                                "the operators of the model are not in an acyclic order");
      return PassResult::failed();
    }
    std::erase_if(module.covers, [](const ir::Cover& cover) { return cover.name == ir::kDefaultCover; });
    ir::Cover& cover = *module.covers.emplace(module.covers.begin());
    cover.name = ir::kDefaultCover;
    cover.kernels = std::move(*kernels);

    attempts_ = found.attempts;
    steps_ = found.steps;
    candidates_ = static_cast<int64_t>(module.candidates.size());
    kernels_ = static_cast<int64_t>(cover.kernels.size());
    truncatedRoots_ = found.truncatedRoots;
    covered_ =
        std::count_if(graph.order().begin(), graph.order().end(), [&](ir::OpId op) { return builder.isCovered(op); });
    module.dataProblems.add("truncated-matches", found.truncatedRoots,
                            "operators at which a rule has more matches than `fuse` enumerates");
    int64_t undecidable = 0;
    for (const ir::CandidateId id : module.candidates.ids())
      undecidable += builder.decision(id).choice == Choice::TooLarge;
    module.dataProblems.add("undecided-candidates", undecidable,
                            "matches not chosen because too many kernels lie between their operators");
    for (const auto& [rule, attempts] : *explained) {
      context.explain(explainRule(module, graph, index, builder, rule, attempts));
      explainedRules_.push_back(rule);
    }
    remarkOnCover(module, graph, index, builder, found.nearMisses, context);
    module.establish(ir::Facet::Fused);
    return PassResult::changed();
  }

  void finish(const ir::Module& module, PassContext& context) override {
    if (!module.has(ir::Facet::Bound)) return;
    for (const Timeline& run : module.timelines)
      for (const ir::RuleId rule : explainedRules_) context.explain(explainRuleInRun(module, run, rule));
  }

 private:
  /// The rules to explain, without attempts yet; nullopt after an error.
  std::optional<std::map<ir::RuleId, RuleAttempts>> rulesToExplain(const ir::Module& module,
                                                                   PassContext& context) const {
    std::map<ir::RuleId, RuleAttempts> attempts;
    std::map<std::string_view, ir::RuleId> byName;
    for (const ir::RuleId id : module.rules.rules.ids()) byName.emplace(module.rules.rules[id].name, id);
    for (const std::string& name : explain_) {
      if (const auto found = byName.find(name); found != byName.end() && !module.has(ir::Facet::Fused)) {
        attempts.try_emplace(found->second);
        continue;
      }
      std::vector<std::string> names;
      for (const auto& [known, id] : byName) names.emplace_back(known);
      context.diagnostics.error(
          DiagId::ExplainSelectsNothing, OnnxLocation{module.modelName, "", "", ""},
          module.has(ir::Facet::Fused)
              ? fmt::format("rule `{}` has no explanation, because the IR text is grouped; give `-rules=` to group it",
                            name)
              : fmt::format("no rule `{}` is loaded{}", name, didYouMean(name, names)));
      return std::nullopt;
    }
    return attempts;
  }

  int64_t maxMatchesPerRoot_ = MatchLimits{}.matchesPerRoot;
  int64_t maxStepsPerRoot_ = MatchLimits{}.stepsPerRoot;
  /// Names of rules.
  std::vector<std::string> explain_;
  std::vector<ir::RuleId> explainedRules_;
  int64_t& attempts_ = statistic("match-attempts", "pairs of an operator and a pattern that were tried");
  int64_t& steps_ = statistic("match-steps", "values tested while matching");
  int64_t& candidates_ = statistic("candidates", "matches kept");
  int64_t& kernels_ = statistic("kernels", "kernels of the default cover");
  int64_t& covered_ = statistic("operators-covered", "operators in the kernel of a rule");
  int64_t& truncatedRoots_ = statistic("truncated-roots", "operators at which enumeration hit a limit");
};

std::unique_ptr<Pass> makeFusePass() { return std::make_unique<FusePass>(); }

}  // namespace amdahlc
