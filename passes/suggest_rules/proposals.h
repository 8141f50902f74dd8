/// Rules that could explain calls without a kernel, from what lies around them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "passes/suggest_rules/observation.h"
#include "passes/suggest_rules/pattern_text.h"

namespace amdahlc::suggestions {

/// A rule to try.
struct ProposedRule {
  /// As text: quoted where it has to be.
  std::string name;
  Form form;
  /// The kinds of its calls, in the order in which they run; their names and whether these are operators.
  std::vector<std::pair<std::string, bool>> calls;

  /// The declaration in `.akp`, with `doc` as its documentation; `doc` may be empty.
  std::string text(const std::string& doc) const;
};

/// The first lines of a file of rules for a run on this target.
std::string ruleFileHead(const Target& target);

/// What the calls of one kind may run, the likeliest first:
///
/// - groups of operators that lie between the same bound neighbours as the calls, as many of them as calls;
/// - operators of one type, alone or with the operator that alone uses their result, if the model has about as many
///   of them as a forward has calls.
std::vector<Form> formsFor(KindId kind, const Observation& observation, const PatternWriter& writer);

/// A name for a rule about a call, of which `taken` tells whether another rule has it: `ns::linear` is `linear`.
template <typename Taken>
std::string ruleNameFor(const std::string& call, const Taken& taken);
std::string plainName(const std::string& call);

template <typename Taken>
std::string ruleNameFor(const std::string& call, const Taken& taken) {
  const std::string plain = plainName(call);
  std::string name = plain;
  for (int number = 2; taken(name); ++number) name = plain + "_" + std::to_string(number);
  return name;
}

}  // namespace amdahlc::suggestions
