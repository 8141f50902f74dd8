#include <algorithm>

#include "ir/applicability.h"
#include "passes/trace_bind/kernel_test.h"
#include "support/case_folding.h"

namespace amdahlc::binding {
namespace {

bool isForCpu(const ir::Applicability& where) {
  return !where.vendors.empty() &&
         std::ranges::all_of(where.vendors, [](const std::string& vendor) { return toLower(vendor) == "cpu"; });
}

}  // namespace

RuleLaunches::RuleLaunches(const ir::RuleSet& rules, const Launches& launches, const IdVector<ir::RuleId, bool>& active)
    : rules_(rules),
      launches_(launches),
      sequences_(rules.rules.size()),
      startable_(launches.signatures().size()),
      takesSeveralLaunches_(rules.rules.size(), false),
      takesSeveralCalls_(rules.rules.size(), false) {
  const Timeline& timeline = launches.timeline();
  for (const ir::RuleId rule : rules.rules.ids()) {
    if (!active[rule] || rules.rules[rule].noDeviceWork) continue;
    const bool ruleApplies = applies(rules.rules[rule].where, timeline.target);
    for (const ir::LaunchSequence& source : rules.rules[rule].launches) {
      Sequence sequence{&source, ruleApplies && applies(source.where, timeline.target), {}};
      for (const ir::KernelStep& step : source.steps) {
        sequence.steps.push_back(static_cast<uint32_t>(stepTests_.size()));
        stepTests_.emplace_back(step.test, readsLists(rules.rules[rule]));
      }
      sequence.selective = isSelective(sequence);
      sequence.testsOperators = isForCpu(source.where) || isForCpu(rules.rules[rule].where);
      const auto needed = std::ranges::count_if(source.steps, [](const ir::KernelStep& step) { return step.min > 0; });
      if (source.steps.size() > 1 || (!source.steps.empty() && source.steps[0].max != 1))
        takesSeveralLaunches_[rule] = true;
      // matchSteps: only another required step begins in another call.
      if (needed > 1 && !source.anyOrder) takesSeveralCalls_[rule] = true;
      sequences_[rule].push_back(std::move(sequence));
    }
  }
  stepResults_.assign(stepTests_.size(), std::vector<int8_t>(launches.signatures().size(), -1));
  for (uint32_t signature = 0; signature < startable_.size(); ++signature) {
    for (const ir::RuleId rule : rules.rules.ids()) {
      bool possible = false;
      for (const Sequence& sequence : sequences_[rule]) {
        if (namedOperator(sequence, signature)) possible = true;
        const bool namesOthers =
            namesOperators(*sequence.source) && !launches.signatures()[signature].operators.empty();
        if (!sequence.applicable || possible || !sequence.selective || namesOthers) continue;
        // Optional steps, and steps in any order, do not have to be the first launch.
        for (size_t step = 0; step < sequence.steps.size() && !possible; ++step) {
          possible = stepHolds(sequence.steps[step], signature);
          if (!sequence.source->anyOrder && sequence.source->steps[step].min > 0) break;
        }
      }
      if (possible) startable_[signature].push_back(rule);
    }
  }
}

size_t RuleLaunches::testsOf(const ir::RuleSet& rules, const IdVector<ir::RuleId, bool>& active) {
  size_t tests = 0;
  for (const ir::RuleId rule : rules.rules.ids())
    if (active[rule] && !rules.rules[rule].noDeviceWork)
      for (const ir::LaunchSequence& sequence : rules.rules[rule].launches) tests += sequence.steps.size();
  return tests;
}

bool RuleLaunches::isSelective(const Sequence& sequence) {
  for (size_t i = 0; i < sequence.steps.size(); ++i)
    if (sequence.source->steps[i].min > 0 && !stepTests_[sequence.steps[i]].acceptsAnything()) return true;
  return false;
}

bool RuleLaunches::stepHolds(uint32_t step, uint32_t signature) {
  int8_t& known = stepResults_[step][signature];
  if (known < 0) known = stepTests_[step].holds(launches_.signatures()[signature], launches_.timeline()) ? 1 : 0;
  return known == 1;
}

std::optional<size_t> RuleLaunches::namedOperator(const Sequence& sequence, uint32_t signature) {
  const auto& operators = launches_.signatures()[signature].operators;
  for (size_t i = 0; i < operators.size(); ++i)
    if (operatorPatterns_.isNamed(*sequence.source, launches_.timeline().text(operators[i]))) return i;
  return std::nullopt;
}

bool RuleLaunches::names(ir::RuleId rule, std::string_view name) {
  return std::ranges::any_of(
      sequences_[rule], [&](const Sequence& sequence) { return operatorPatterns_.isNamed(*sequence.source, name); });
}

/// Launches of one kernel come from one call: a call of the operator that the rule names, or of the top-level operator
/// around it.
bool RuleLaunches::continues(const Sequence& sequence, const Launch& first, const Launch& next) {
  if (!namesOperators(*sequence.source)) return first.call == next.call;
  const auto firstNamed = namedOperator(sequence, first.signature), nextNamed = namedOperator(sequence, next.signature);
  if (first.calls.empty() && next.calls.empty()) return true;
  if (!firstNamed || !nextNamed) return false;
  if (first.calls[*firstNamed] == next.calls[*nextNamed]) return true;
  // The innermost named operators may differ inside one outer call.
  return first.call == next.call;
}

std::optional<uint32_t> RuleLaunches::matchSteps(const Sequence& sequence, std::span<const Launch> launches,
                                                 size_t position) {
  const auto& steps = sequence.source->steps;
  if (steps.empty()) return 1;
  size_t at = position, callStart = position;
  const bool isOfOperators = namesOperators(*sequence.source);
  const auto fits = [&](size_t step) {
    // In a trace without operators, no call ends the sequence. Each further launch then needs a selective test.
    if (at > position && isOfOperators && launches[position].calls.empty() &&
        stepTests_[sequence.steps[step]].acceptsAnything())
      return false;
    return at < launches.size() && stepHolds(sequence.steps[step], launches[at].signature) &&
           (at == position || continues(sequence, launches[callStart], launches[at]));
  };
  // Required steps may be in several calls if the rule names the operator of each: arithmetic that an exporter
  // recognised as one operator.
  const auto startsCall = [&](size_t step, uint32_t taken) {
    return step > 0 && taken == 0 && steps[step].min > 0 && at > position && at < launches.size() && isOfOperators &&
           !launches[at].calls.empty() && stepHolds(sequence.steps[step], launches[at].signature) &&
           namedOperator(sequence, launches[at].signature);
  };
  if (sequence.source->anyOrder) {
    std::vector<uint32_t> taken(steps.size(), 0);
    for (bool progress = true; progress;) {
      progress = false;
      // Steps below their minimum are tried first, so that overlapping tests do not starve each other.
      for (int round = 0; round < 2 && !progress; ++round) {
        for (size_t step = 0; step < steps.size() && !progress; ++step) {
          const bool wanted =
              round == 0 ? taken[step] < steps[step].min : steps[step].max == 0 || taken[step] < steps[step].max;
          if (!wanted || !fits(step)) continue;
          ++taken[step];
          ++at;
          progress = true;
        }
      }
    }
    for (size_t step = 0; step < steps.size(); ++step) {
      if (taken[step] < steps[step].min) return std::nullopt;
    }
  } else {
    for (size_t step = 0; step < steps.size(); ++step) {
      uint32_t taken = 0;
      while (steps[step].max == 0 || taken < steps[step].max) {
        if (!fits(step)) {
          if (!startsCall(step, taken)) break;
          callStart = at;
        }
        // An optional repetition does not take a launch that the next step needs.
        if (taken >= steps[step].min && step + 1 < steps.size() && steps[step + 1].min > 0 && fits(step + 1)) {
          const bool another = at + 1 < launches.size() &&
                               stepHolds(sequence.steps[step + 1], launches[at + 1].signature) &&
                               continues(sequence, launches[callStart], launches[at + 1]);
          if (!another) break;
        }
        ++taken;
        ++at;
      }
      if (taken < steps[step].min) return std::nullopt;
    }
  }
  if (at == position) return std::nullopt;
  return static_cast<uint32_t>(at - position);
}

LaunchMatch RuleLaunches::match(ir::RuleId rule, std::span<const Launch> launches, size_t position) {
  LaunchMatch best;
  if (rules_.rules[rule].noDeviceWork) return best;
  const Launch& launch = launches[position];
  if (rules_.rules[rule].launches.empty()) return {Fit::Any, 1};
  const auto consider = [&](LaunchMatch match) {
    if (match.fit > best.fit || (match.fit == best.fit && match.length > best.length)) best = match;
  };
  for (const Sequence& sequence : sequences_[rule]) {
    const auto named = namedOperator(sequence, launch.signature);
    if (namesOperators(*sequence.source) && !named && (!launch.calls.empty() || !sequence.selective)) continue;
    if (sequence.applicable) {
      if (const auto length = matchSteps(sequence, launches, position)) {
        // Where the rule accepts any kernel of the operator, the operator is full evidence.
        consider({named ? Fit::Full : (sequence.selective ? Fit::NameOnly : Fit::Any), *length});
        continue;
      }
    }
    // One of several required operators is no evidence of the others.
    const auto& steps = sequence.source->steps;
    const bool severalNeeded =
        std::ranges::count_if(steps, [](const ir::KernelStep& step) { return step.min > 0; }) > 1;
    if (named && !severalNeeded && !sequence.testsOperators) consider({Fit::OperatorOnly, 1});
  }
  return best;
}

RuleFit RuleLaunches::fit(ir::RuleId rule, size_t iteration, size_t index) {
  const auto calls = launches_.calls(iteration);
  const auto all = launches_.launches(iteration);
  const Call& call = calls[index];
  RuleFit best;
  for (uint32_t at = call.first; at < call.first + call.count; ++at) {
    const LaunchMatch found = match(rule, all, at);
    if (found.fit <= best.fit) continue;
    const auto& operators = launches_.signature(all[at]).operators;
    best = {found.fit, !operators.empty() && names(rule, launches_.timeline().text(operators.back()))};
    // The rest of a call that a sequence ends in belongs to it.
    for (size_t next = index + 1; next < calls.size() && calls[next].first < at + found.length; ++next) ++best.calls;
  }
  return best;
}

}  // namespace amdahlc::binding
