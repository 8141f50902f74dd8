#include "passes/suggest_rules/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "support/limits.h"

namespace amdahlc::suggestions {
namespace {

/// Calls of less than one in so many parts of the run's time are not worth a rule.
constexpr int64_t kLeastPart = 1000;
/// A rule that explains less than one in so many parts of the time of the calls that it is for is about other calls.
constexpr int64_t kExplainedPart = 10;
constexpr int kTriesOfEach = 2;
/// Of the largest models and traces.
constexpr int64_t kLeastTrials = 20;

}  // namespace

RuleSearch::RuleSearch(const ir::Module& module, const ir::OperatorGraph& operators, const Timeline& timeline)
    : module_(module), timeline_(timeline), trial_(module, operators, timeline) {
  const std::vector<EventIndex> selected = timeline.selectedEvents();
  for (const EventIndex event : selected) deviceNs_ += timeline.durationNs[event];
  // A trial takes time for each operator and event.
  const auto size = static_cast<int64_t>(module.ops.size() + selected.size() + 1);
  mostTrials_ = std::clamp(limits::kSuggestionWork / size, kLeastTrials, limits::kSuggestionTrials);
}

std::optional<TrialResult> RuleSearch::tryRules(const std::vector<ProposedRule>& rules) {
  std::string text = ruleFileHead(timeline_.target);
  for (const ProposedRule& rule : rules) text += rule.text("");
  return trial_.run(text);
}

bool RuleSearch::run() {
  if (!rebind()) return false;
  unexplainedBefore_ = observed_.kinds;
  boundBefore_ = current_->boundNs;
  fitsBefore_ = current_->facts().fit->fits;
  for (bool found = true; found;) {
    found = false;
    for (KindId id = 0; id < observed_.kinds.size() && !found; ++id) {
      const CallKind kind = observed_.kinds[id];
      if (kind.ns * kLeastPart < deviceNs_) break;
      found = explain(kind, id);
    }
  }
  while (dropUnused())
    if (!rebind()) return false;
  return rebind();
}

/// Takes the best rule for the calls of a kind, if there is one.
bool RuleSearch::explain(const CallKind& kind, KindId id) {
  std::vector<std::vector<ProposedRule>> proposals;
  std::vector<std::string> changed;
  for (Form& form : proposer_->formsFor(id)) {
    changed.push_back(nameFor(kind.name));
    proposals.push_back(accepted_);
    proposals.back().push_back({changed.back(), std::move(form), {{kind.name, kind.isOperator}}});
  }
  // The calls may belong to the kernels of the calls before them.
  for (size_t i = 0; i < accepted_.size(); ++i) {
    const auto behind = observed_.behind.find({id, accepted_[i].name});
    if (behind == observed_.behind.end() || 2 * behind->second < kind.calls) continue;
    changed.push_back(accepted_[i].name);
    proposals.push_back(accepted_);
    proposals.back()[i].calls.emplace_back(kind.name, kind.isOperator);
  }
  std::optional<Tried> best;
  for (size_t i = 0; i < proposals.size(); ++i) consider(std::move(proposals[i]), changed[i], kind, best);
  if (!best) return false;
  accepted_ = std::move(best->rules);
  return rebind();
}

/// Binds the run with what is accepted, and observes what is open then.
bool RuleSearch::rebind() {
  proposer_.reset();
  writer_.reset();
  current_ = tryRules(accepted_);
  if (!current_) return false;
  observed_ = observe(trial_, *current_, timeline_);
  writer_.emplace(module_, *current_->graph);
  proposer_.emplace(observed_, *writer_);
  return true;
}

/// Drops rules that explain nothing any more, because others that were accepted later explain it better.
bool RuleSearch::dropUnused() {
  const size_t before = accepted_.size();
  std::erase_if(accepted_, [&](const ProposedRule& rule) { return !observed_.bound.contains(rule.name); });
  return accepted_.size() != before;
}

void RuleSearch::consider(std::vector<ProposedRule> rules, const std::string& changed, const CallKind& kind,
                          std::optional<Tried>& best) {
  std::string key = kind.name;
  for (const ProposedRule& rule : rules)
    if (rule.name == changed) key += "\n" + rule.text("");
  if (++tries_[key] > kTriesOfEach) return;
  if (trial_.count() >= mostTrials_) {
    reachedLimit_ = true;
    return;
  }
  auto result = tryRules(rules);
  const std::string why = result ? whyNot(*result, changed, kind) : "the run cannot be bound with it";
  log_.push_back(fmt::format("trial {}: {}: {}", trial_.count(), why.empty() ? "explains more" : why, key));
  std::replace(log_.back().begin(), log_.back().end(), '\n', ' ');
  log_.back().erase(log_.back().find_last_not_of(' ') + 1);
  if (!why.empty()) return;
  // The likelier binding; of equal ones, that which explains more.
  const auto value = [](const TrialResult& one) { return std::tuple(one.score, one.ruledNs); };
  if (!best || value(*result) > value(best->result)) best = Tried{std::move(rules), std::move(*result)};
}

/// Why a rule is not taken for calls of a kind; empty if it may be.
std::string RuleSearch::whyNot(const TrialResult& result, const std::string& rule, const CallKind& kind) const {
  const int64_t gain = result.ruledNs - current_->ruledNs;
  if (result.boundNs < current_->boundNs)
    return fmt::format("{} ns less are bound", current_->boundNs - result.boundNs);
  if (gain <= 0 || gain * kExplainedPart < kind.ns)
    return fmt::format("explains {} ns of the {} ns of these calls", gain, kind.ns);
  if (result.score < current_->score) return "makes the run less probable";
  if (current_->facts().fit->fits && !result.facts().fit->fits) return "the trace does not fit the model with it";
  if (!agreesInShapes(result, rule)) return "shapes differ";
  return {};
}

/// Whether shapes agree as often as in other kernels. Only if they do there, do they tell anything.
bool RuleSearch::agreesInShapes(const TrialResult& result, const std::string& rule) const {
  int64_t own = 0, ownAgree = 0, others = 0, othersAgree = 0;
  for (const ir::Kernel& kernel : result.cover.kernels) {
    const bool isOwn = kernel.candidate &&
                       trial_.module().rules.rules[trial_.module().candidates[*kernel.candidate].rule].name == rule;
    for (const ir::BoundEvent& bound : result.facts().kernels[kernel.id].events) {
      const bool agrees = (bound.evidence & static_cast<ir::EvidenceSet>(ir::Evidence::Shape)) != 0;
      ++(isOwn ? own : others);
      (isOwn ? ownAgree : othersAgree) += agrees;
    }
  }
  return 2 * othersAgree < others || 2 * ownAgree >= own;
}

std::string RuleSearch::nameFor(const std::string& call) const {
  return ruleNameFor(call, [&](const std::string& name) {
    const auto has = [&](const auto& rules) {
      return std::any_of(rules.begin(), rules.end(), [&](const auto& rule) { return rule.name == name; });
    };
    return has(module_.rules.rules) || has(accepted_);
  });
}

}  // namespace amdahlc::suggestions
