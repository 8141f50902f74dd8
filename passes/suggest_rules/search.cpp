#include "passes/suggest_rules/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "support/case_folding.h"
#include "support/limits.h"

namespace amdahlc::suggestions {
namespace {

/// Calls of less than one in so many parts of the run's time are not worth a rule.
constexpr int64_t kLeastPart = 1000;
/// A rule that explains less than one in so many parts of the time of the calls that it is for is about other calls.
constexpr int64_t kExplainedPart = 10;
constexpr int kTriesOfEach = 2;
/// Calls join the kernels of those before them if all but one in so many are behind such.
constexpr int64_t kBehindPart = 10;
/// By so much for each call, in hundredths of a nat, a rule must bind it more probably than one for other operators.
constexpr int64_t kClearly = 100;
/// Of the largest models and traces.
constexpr int64_t kLeastTrials = 20;

/// Whether names have a word or most of one in common: `max_pool2d` and `MaxPool`.
bool haveCommonPart(std::string_view call, std::string_view type) {
  constexpr size_t kPart = 4;
  const auto letters = [](std::string_view text) {
    std::string result;
    for (const char c : text)
      if (const char lower = toLower(c); lower >= 'a' && lower <= 'z') result += lower;
    return result;
  };
  const std::string name = letters(call.substr(call.rfind(':') + 1)), other = letters(type);
  const size_t part = std::min(kPart, std::min(name.size(), other.size()));
  for (size_t at = 0; part >= kPart - 1 && at + part <= other.size(); ++at)
    if (name.find(other.substr(at, part)) != std::string::npos) return true;
  return false;
}

}  // namespace

RuleSearch::RuleSearch(const ir::Module& module, const ir::OperatorGraph& operators, const Timeline& timeline,
                       SuggestedRules& found)
    : module_(module), timeline_(timeline), trial_(module, operators, timeline), found_(found) {
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
  std::vector<CallKind> unexplained = observed_.kinds;
  const int64_t boundBefore = current_->boundNs;
  for (bool found = true; found;) {
    found = false;
    for (KindId id = 0; id < observed_.kinds.size() && !found; ++id) {
      const CallKind kind = observed_.kinds[id];
      if (kind.ns < deviceNs_ / kLeastPart) break;
      if (!canBeWritten(kind.name)) continue;
      found = explain(kind, id);
    }
  }
  // What was tried last need not be what was accepted.
  do {
    if (!rebind()) return false;
  } while (dropUnused());
  found_.unexplained = std::move(unexplained);
  found_.triedBefore = boundBefore;
  return true;
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
    if (behind == observed_.behind.end() || behind->second * kBehindPart < kind.calls * (kBehindPart - 1)) continue;
    changed.push_back(accepted_[i].name);
    proposals.push_back(accepted_);
    proposals.back()[i].calls.emplace_back(kind.name, kind.isOperator);
  }
  std::vector<Tried> found;
  for (size_t i = 0; i < proposals.size(); ++i) consider(std::move(proposals[i]), changed[i], kind, found);
  if (found.empty()) return false;
  // The likelier binding; of equal ones, that which explains more.
  const auto best =
      std::ranges::max_element(found, {}, [](const Tried& one) { return std::pair(one.score, one.ruledNs); });
  std::vector<ProposedRule> before = std::exchange(accepted_, best->rules);
  if (!rebind()) return false;
  const auto bound = observed_.bound.find(best->name);
  const int64_t calls = bound == observed_.bound.end() ? 0 : bound->second;
  for (const Tried& rival : found) {
    if (rival.score + kClearly * calls < best->score || !areElsewhere(rival, *best)) continue;
    found_.log.push_back(fmt::format(
        "`{}` may run other operators as well, with {:.2f} nats a call between them: none is taken", kind.name,
        static_cast<double>(best->score - rival.score) / 100 / static_cast<double>(std::max<int64_t>(1, calls))));
    accepted_ = std::move(before);
    rebind();
    return false;
  }
  return true;
}

/// Binds the run with what is accepted, and observes what is open then.
bool RuleSearch::rebind() {
  proposer_.reset();
  current_ = tryRules(accepted_);
  if (!current_) return false;
  observed_ = observe(trial_, *current_, timeline_);
  proposer_.emplace(observed_, PatternWriter(module_, *current_->graph));
  return true;
}

/// Drops rules that explain nothing any more, because others that were accepted later explain it better.
bool RuleSearch::dropUnused() {
  const size_t before = accepted_.size();
  std::erase_if(accepted_, [&](const ProposedRule& rule) { return !observed_.bound.contains(rule.name); });
  return accepted_.size() != before;
}

void RuleSearch::consider(std::vector<ProposedRule> rules, const std::string& changed, const CallKind& kind,
                          std::vector<Tried>& found) {
  std::string key = kind.name;
  for (const ProposedRule& rule : rules)
    if (rule.name == changed) key += "\n" + rule.text("");
  if (++tries_[key] > kTriesOfEach) return;
  if (found_.trials >= mostTrials_) {
    found_.reachedLimit = true;
    return;
  }
  ++found_.trials;
  const auto result = tryRules(rules);
  const std::string why = result ? objection(*result, changed, kind) : "the run cannot be bound with it";
  std::string& line =
      found_.log.emplace_back(fmt::format("trial {}: {}: {}", found_.trials, why.empty() ? "explains more" : why, key));
  std::replace(line.begin(), line.end(), '\n', ' ');
  line.erase(line.find_last_not_of(' ') + 1);
  if (!why.empty()) return;
  Tried tried{changed, std::move(rules), result->score, result->ruledNs, {}};
  for (const ir::Kernel& kernel : result->cover.kernels)
    if (trial_.ruleOf(kernel) == changed && !result->facts().kernels[kernel.id].events.empty())
      tried.kernels.insert(tried.kernels.end(), kernel.ops.begin(), kernel.ops.end());
  std::sort(tried.kernels.begin(), tried.kernels.end());
  found.push_back(std::move(tried));
}

/// Whether most operators of one are not those of the other: they are no parts of the same kernels.
bool RuleSearch::areElsewhere(const Tried& one, const Tried& other) {
  std::vector<ir::OpId> shared;
  std::set_intersection(one.kernels.begin(), one.kernels.end(), other.kernels.begin(), other.kernels.end(),
                        std::back_inserter(shared));
  return 2 * shared.size() < std::min(one.kernels.size(), other.kernels.size());
}

/// What the trial of a rule for calls of a kind showed against it, for the log; empty if nothing. The rule exists, so
/// that this is no `Absence`.
std::string RuleSearch::objection(const TrialResult& result, const std::string& rule, const CallKind& kind) const {
  const int64_t gain = result.ruledNs - current_->ruledNs;
  if (result.boundNs < current_->boundNs)
    return fmt::format("{} ns less are bound", current_->boundNs - result.boundNs);
  if (gain <= 0 || gain < kind.ns / kExplainedPart)
    return fmt::format("explains {} ns of the {} ns of these calls", gain, kind.ns);
  if (result.score < current_->score) return "makes the run less probable";
  if (current_->facts().fit->fits && !result.facts().fit->fits) return "the trace does not fit the model with it";
  if (!agreesInShapes(result, rule)) return "shapes differ";
  if (!isSupported(result, rule, kind))
    return "one place in the model is all that it explains, and nothing tells that it is that";
  return {};
}

/// Whether more than the order tells what the calls run: several kernels, the dimensions of a weight, or a name.
bool RuleSearch::isSupported(const TrialResult& result, const std::string& rule, const CallKind& kind) const {
  const ir::Kernel* only = nullptr;
  for (const ir::Kernel& kernel : result.cover.kernels) {
    if (trial_.ruleOf(kernel) != rule || result.facts().kernels[kernel.id].events.empty()) continue;
    if (only != nullptr) return true;
    only = &kernel;
  }
  if (only == nullptr) return false;
  for (const ir::OpId op : only->ops)
    if (haveCommonPart(kind.name, trial_.module().text(trial_.module().ops[op].type))) return true;
  for (const binding::Alternative& alternative : result.graph->alternatives())
    if (alternative.candidate == *only->candidate)
      return std::any_of(alternative.weights.begin(), alternative.weights.end(),
                         [&](const std::vector<int64_t>& weight) { return kind.dims.contains(weight); });
  return false;
}

/// Whether shapes agree as often as in other kernels. Only if they do there, do they tell anything.
bool RuleSearch::agreesInShapes(const TrialResult& result, const std::string& rule) const {
  int64_t own = 0, ownAgree = 0, others = 0, othersAgree = 0;
  for (const ir::Kernel& kernel : result.cover.kernels) {
    const bool isOwn = trial_.ruleOf(kernel) == rule;
    for (const ir::BoundEvent& bound : result.facts().kernels[kernel.id].events) {
      const bool agrees = (bound.evidence & static_cast<ir::EvidenceSet>(ir::Evidence::Shape)) != 0;
      ++(isOwn ? own : others);
      (isOwn ? ownAgree : othersAgree) += agrees;
    }
  }
  return 2 * othersAgree < others || 2 * ownAgree >= own;
}

/// A name that no rule has. Rules that are switched off are not known here: none begins like this.
std::string RuleSearch::nameFor(const std::string& call) const {
  const bool isOnly = module_.timelines.size() < 2;
  const std::string plain = suggestedName(call, isOnly ? std::string() : timeline_.label);
  const auto isTaken = [&](const std::string& name) {
    const auto has = [&](const auto& rules) {
      return std::any_of(rules.begin(), rules.end(), [&](const auto& rule) { return rule.name == name; });
    };
    return has(module_.rules.rules) || has(accepted_);
  };
  std::string name = plain;
  for (int number = 2; isTaken(name); ++number) name = fmt::format("{}_{}", plain, number);
  return name;
}

}  // namespace amdahlc::suggestions
