/// Rules that could explain calls without a kernel, from what lies around them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/suggest_rules/observation.h"
#include "passes/suggest_rules/pattern_text.h"

namespace amdahlc::suggestions {

/// A rule to try.
struct ProposedRule {
  std::string name;
  Form form;
  /// The kinds of its calls, in the order in which they run; their names and whether these are operators.
  std::vector<std::pair<std::string, bool>> calls;

  /// The declaration in `.akp`, with `doc` as its documentation; `doc` may be empty.
  std::string text(const std::string& doc) const;
};

/// The name of a kernel, or the begin of a long one.
std::string shownKernelName(std::string_view name);
/// Whether a rule can name it: not with control characters, or bytes that are not UTF-8.
bool canBeWritten(std::string_view name);

/// The first lines of a file of rules for a run on this target.
std::string ruleFileHead(const Target& target);

/// What the calls of a bound run may be, from one observation.
class Proposer {
 public:
  /// The observation must outlive it.
  Proposer(const Observation& observation, const PatternWriter& writer);

  /// What the calls of one kind may run, the likeliest first:
  ///
  /// - groups of operators that lie between the same bound neighbours as the calls, as many of them as calls;
  /// - operators of one type, alone or with the operator that alone uses their result, if the model has about as many
  ///   of them as a forward has calls.
  std::vector<Form> formsFor(KindId kind) const;

 private:
  /// A form and how many groups have it.
  struct CountedForm {
    Form form;
    int64_t count = 0;
  };
  void addNeighbours(KindId kind, std::vector<Form>& forms) const;
  void addTypes(KindId kind, std::vector<Form>& forms) const;

  const Observation& observation_;
  /// Parallel to the gaps: the groups of each, by the text of their form.
  std::vector<std::map<std::string, CountedForm>> groups_;
  /// Gaps with calls of each kind, ascending.
  std::vector<std::vector<size_t>> gapsOf_;
  /// Open operators by the text of the general form of their type, and the forms of those with the one user of their
  /// result.
  struct OfType {
    Form form;
    int64_t count = 0;
    std::map<std::string, CountedForm> withUser;
  };
  std::map<std::string, OfType> types_;
};

/// A name for a rule about a call: `suggested_linear` for `ns::linear`. With a label of the run, which may be empty, it
/// differs from those of other runs.
std::string suggestedName(const std::string& call, const std::string& run);

}  // namespace amdahlc::suggestions
