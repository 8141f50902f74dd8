/// The search for rules: proposes, tries, and keeps what explains more of the run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "passes/suggest_rules/observation.h"
#include "passes/suggest_rules/proposals.h"
#include "passes/suggest_rules/suggested_rules.h"
#include "passes/suggest_rules/trial.h"

namespace amdahlc::suggestions {

class RuleSearch {
 public:
  /// All must outlive it.
  RuleSearch(const ir::Module& module, const ir::OperatorGraph& operators, const Timeline& timeline,
             SuggestedRules& found);

  /// Tries proposals until none explains more, and notes in `found` what was tried and what the run lacked before.
  /// False if the run cannot be bound at all.
  bool run();

  /// In the order in which they were found.
  const std::vector<ProposedRule>& accepted() const { return accepted_; }
  /// The run with all of them.
  const TrialResult& result() const { return *current_; }
  const Observation& observation() const { return observed_; }
  const RuleTrial& trial() const { return trial_; }

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
  std::string objection(const TrialResult& result, const std::string& rule, const CallKind& kind) const;
  bool rebind();
  bool dropUnused();
  bool isSupported(const TrialResult& result, const std::string& rule, const CallKind& kind) const;
  bool agreesInShapes(const TrialResult& result, const std::string& rule) const;
  std::string nameFor(const std::string& call) const;

  const ir::Module& module_;
  const Timeline& timeline_;
  RuleTrial trial_;
  SuggestedRules& found_;
  int64_t deviceNs_ = 0, mostTrials_ = 0;
  std::vector<ProposedRule> accepted_;
  /// The run with what is accepted, and what may explain the rest.
  std::optional<TrialResult> current_;
  Observation observed_;
  std::optional<Proposer> proposer_;
  /// How often each set of rules was tried for a call. A trial may succeed later, with others that were accepted since.
  std::map<std::string, int> tries_;
};

}  // namespace amdahlc::suggestions
