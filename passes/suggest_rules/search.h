/// The search for rules: proposes, tries, and keeps what explains more of the run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "passes/suggest_rules/observation.h"
#include "passes/suggest_rules/proposals.h"
#include "passes/suggest_rules/trial.h"

namespace amdahlc::suggestions {

class RuleSearch {
 public:
  /// All must outlive it.
  RuleSearch(const ir::Module& module, const ir::OperatorGraph& operators, const Timeline& timeline);

  /// Tries proposals until none explains more. False if the run cannot be bound at all.
  bool run();

  /// In the order in which they were found.
  const std::vector<ProposedRule>& accepted() const { return accepted_; }
  /// The run without any, and with all of them.
  int64_t boundBefore() const { return boundBefore_; }
  const std::vector<CallKind>& unexplainedBefore() const { return unexplainedBefore_; }
  const TrialResult& result() const { return *current_; }
  const Observation& observation() const { return observed_; }
  const RuleTrial& trial() const { return trial_; }
  /// Proposals that were tried.
  int64_t trials() const { return trials_; }
  bool reachedLimit() const { return reachedLimit_; }
  /// One line for each trial: the rule, what it would change, and why it was not taken.
  const std::vector<std::string>& log() const { return log_; }

 private:
  /// Rules that may replace the accepted ones, of which one is new or changed.
  struct Tried {
    /// Of that one.
    std::string name;
    std::vector<ProposedRule> rules;
    int64_t score = 0;
    int64_t ruledNs = 0;
    /// The operators of its kernels that ran, ascending.
    std::vector<ir::OpId> kernels;
  };
  std::optional<TrialResult> tryRules(const std::vector<ProposedRule>& rules);
  bool explain(const CallKind& kind, KindId id);
  void consider(std::vector<ProposedRule> rules, const std::string& changed, const CallKind& kind,
                std::vector<Tried>& found);
  static bool areElsewhere(const Tried& one, const Tried& other);
  std::string whyNot(const TrialResult& result, const std::string& rule, const CallKind& kind) const;
  bool rebind();
  bool dropUnused();
  bool isSupported(const TrialResult& result, const std::string& rule, const CallKind& kind) const;
  bool agreesInShapes(const TrialResult& result, const std::string& rule) const;
  std::string nameFor(const std::string& call) const;

  const ir::Module& module_;
  const Timeline& timeline_;
  RuleTrial trial_;
  int64_t deviceNs_ = 0, boundBefore_ = 0;
  bool reachedLimit_ = false;
  std::vector<ProposedRule> accepted_;
  std::vector<CallKind> unexplainedBefore_;
  int64_t trials_ = 0, mostTrials_ = 0;
  /// The run with what is accepted, and what may explain the rest.
  std::optional<TrialResult> current_;
  Observation observed_;
  std::optional<Proposer> proposer_;
  /// How often each set of rules was tried for a call. A trial may succeed later, with others that were accepted since.
  std::map<std::string, int> tries_;
  std::vector<std::string> log_;
};

}  // namespace amdahlc::suggestions
