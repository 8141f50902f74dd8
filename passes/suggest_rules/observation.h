/// What rules leave open in a bound run: the calls that are not bound to a kernel of a rule, the operators that no such
/// kernel ran, and which of them lie between the same neighbours.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "passes/suggest_rules/trial.h"

namespace amdahlc::suggestions {

/// Calls without a rule that one rule may describe.
struct CallKind {
  /// The framework operator of the call; if the trace records none, the name of its first kernel.
  std::string name;
  bool isOperator = false;
  /// Calls, and nanoseconds of their events, over all selected iterations.
  int64_t calls = 0;
  int64_t ns = 0;
  /// Dimensions of operands, each sorted and without ones, of some of the calls: those that have two or more.
  std::set<std::vector<int64_t>> dims = {};
  friend bool operator==(const CallKind&, const CallKind&) = default;
};
/// Index into `Observation::kinds`.
using KindId = uint32_t;

/// Unexplained calls between two that are bound to kernels of rules, and the operators between these kernels that no
/// kernel of a rule ran.
struct Gap {
  /// More operators are no evidence of which of them a call runs.
  static constexpr size_t kMostOperators = 2000;
  /// In the order of their launch.
  std::vector<KindId> calls;
  /// In the order of the program; none if they are more than `kMostOperators`.
  std::vector<ir::OpId> ops;
  /// How often it occurs.
  int64_t count = 0;
};

struct Observation {
  /// By descending time, then by name.
  std::vector<CallKind> kinds;
  std::vector<Gap> gaps;
  /// Operators that may launch something and that no kernel of a rule ran, in the order of the program.
  std::vector<ir::OpId> openOps;
  /// Forwards of the model in all selected iterations.
  int64_t forwards = 0;
  /// By kind and name of a rule: the calls of the kind right behind one that is bound to a kernel of the rule, which
  /// may read its result.
  std::map<std::pair<KindId, std::string>, int64_t> behind;
  /// By name of a rule: the calls that are bound to its kernels.
  std::map<std::string, int64_t> bound;
};

/// `result` is of the last run of `trial`.
Observation observe(const RuleTrial& trial, const TrialResult& result, const Timeline& timeline);

}  // namespace amdahlc::suggestions
