#include "passes/suggest_rules/pattern_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ir/constants.h"
#include "support/case_folding.h"
#include "support/disjoint_sets.h"

namespace amdahlc::suggestions {

using ir::OpId;
using ir::ValueId;

namespace {

/// A rule of more operators says more about one model than about a kernel.
constexpr size_t kMostOperators = 64;
/// Views that are looked at above an operator.
constexpr size_t kMostViews = 1000;
/// An operator with more operands than these is written with `...`.
constexpr size_t kMostOperands = 8;

/// Whether a constant is a part of a formula rather than a number that a model has: 0.5, 1, 2, 3.
bool isOfFormula(double value) { return std::abs(value) <= 6 && value * 2 == std::round(value * 2); }

bool isWordCharacter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool isName(std::string_view text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && std::all_of(text.begin(), text.end(), isWordCharacter);
}

/// `a`, or `(a, b)`.
std::string inParentheses(const std::vector<std::string>& names) {
  return names.size() == 1 ? names[0] : fmt::format("({})", fmt::join(names, ", "));
}

}  // namespace

std::vector<std::vector<OpId>> PatternWriter::groups(std::span<const OpId> ops) const {
  std::map<OpId, size_t> index;
  for (size_t i = 0; i < ops.size(); ++i) index.emplace(ops[i], i);
  DisjointSets sets(ops.size());
  // Views on the paths from an operator to those that it reads.
  std::vector<std::set<OpId>> between(ops.size());
  for (size_t i = 0; i < ops.size(); ++i) {
    // Upwards through views: true if the path ends at an operator of `ops`.
    std::map<OpId, bool> leads;
    std::vector<std::pair<OpId, size_t>> path{{ops[i], 0}};
    while (!path.empty()) {
      auto& [op, next] = path.back();
      const auto inputs = operators().inputs(op);
      if (next == inputs.size()) {
        path.pop_back();
        continue;
      }
      const ValueId value = inputs[next++];
      // What is known before the run may be computed then, in a call of its own.
      if (value.isNone() || graph_.isConstant(value)) continue;
      const OpId producer = operators().producer(value);
      if (producer.isNone() || operators().graph(producer) != operators().graph(ops[i])) continue;
      const auto found = index.find(producer);
      const auto known = leads.find(producer);
      if (found != index.end() || (known != leads.end() && known->second)) {
        if (found != index.end()) sets.unite(i, found->second);
        for (size_t step = 1; step < path.size(); ++step) {
          leads[path[step].first] = true;
          between[i].insert(path[step].first);
        }
      } else if (known == leads.end() && graph_.isFree(producer) && path.size() < kMostOperators &&
                 leads.size() < kMostViews && module_.ops[producer].regions.empty()) {
        leads.emplace(producer, false);
        path.emplace_back(producer, 0);
      }
    }
  }
  std::map<size_t, std::vector<OpId>> found;
  for (size_t i = 0; i < ops.size(); ++i) {
    std::vector<OpId>& group = found[sets.find(i)];
    group.push_back(ops[i]);
    group.insert(group.end(), between[i].begin(), between[i].end());
  }
  std::vector<std::vector<OpId>> groups;
  for (auto& [first, group] : found) {
    std::sort(group.begin(), group.end(), [&](OpId a, OpId b) {
      return std::pair(operators().position(a), a) < std::pair(operators().position(b), b);
    });
    group.erase(std::unique(group.begin(), group.end()), group.end());
    groups.push_back(std::move(group));
  }
  return groups;
}

bool PatternWriter::isUsedOutside(ValueId value, std::span<const OpId> sorted) const {
  if (operators().isGraphOutput(value) || !operators().returnedBy(value).empty()) return true;
  return std::any_of(operators().uses(value).begin(), operators().uses(value).end(),
                     [&](const auto& use) { return !std::binary_search(sorted.begin(), sorted.end(), use.op); });
}

std::string PatternWriter::constantText(ValueId value) const {
  const ir::ConstantView constant = ir::constantOf(module_, value);
  return constant.knownElements() == 1 && isOfFormula(constant.element(0))
             ? fmt::format("const {:.1f}", constant.element(0))
             : std::string("const");
}

std::string PatternWriter::typeText(OpId op) const {
  const std::string_view domain = module_.text(module_.ops[op].domain), type = module_.text(module_.ops[op].type);
  return domain.empty() ? std::string(type) : fmt::format("{}::{}", domain, type);
}

bool PatternWriter::canBeWritten(OpId op) const {
  const std::string_view domain = module_.text(module_.ops[op].domain), type = module_.text(module_.ops[op].type);
  return isName(type) &&
         std::all_of(domain.begin(), domain.end(), [](char c) { return isWordCharacter(c) || c == '.'; });
}

std::optional<Form> PatternWriter::exact(std::span<const OpId> ops) const {
  if (ops.empty() || ops.size() > kMostOperators) return std::nullopt;
  std::vector<OpId> sorted(ops.begin(), ops.end());
  std::sort(sorted.begin(), sorted.end());
  std::map<ValueId, int> uses;
  std::set<ValueId> produced;
  for (const OpId op : ops) {
    if (!canBeWritten(op) || !module_.ops[op].regions.empty() || operators().graph(op) != operators().graph(ops[0]))
      return std::nullopt;
    for (const ValueId value : operators().inputs(op))
      if (!value.isNone()) ++uses[value];
    for (const ValueId value : operators().outputs(op))
      if (!value.isNone()) produced.insert(value);
  }
  std::map<ValueId, std::string> names;
  std::map<std::string, int> counts;
  std::vector<std::string> inputs, results, terms, statements;
  bool isOneResult = false;
  Form form;
  const auto operand = [&](ValueId value) -> std::string {
    if (value.isNone()) return "_?";
    if (const auto named = names.find(value); named != names.end()) return named->second;
    if (operators().isConstant(value)) return constantText(value);
    if (uses[value] == 1) return "_";
    inputs.push_back(fmt::format("x{}", inputs.size() + 1));
    return names[value] = inputs.back();
  };
  for (const OpId op : ops) {
    const auto operands = operators().inputs(op);
    if (operands.empty()) return std::nullopt;
    std::vector<std::string> texts;
    const bool isLong = operands.size() > kMostOperands &&
                        std::none_of(operands.begin() + 1, operands.end(),
                                     [&](ValueId value) { return !value.isNone() && produced.contains(value); });
    for (const ValueId value : operands.first(isLong ? 1 : operands.size())) texts.push_back(operand(value));
    if (isLong) texts.emplace_back("...");
    while (!texts.empty() && texts.back() == "_?") texts.pop_back();
    const std::string type(module_.text(module_.ops[op].type));
    form.types.push_back(type);
    std::vector<std::string> outputs;
    for (const ValueId value : operators().outputs(op)) {
      const bool isUsed = !value.isNone() && (uses.contains(value) || isUsedOutside(value, sorted));
      if (!isUsed) {
        outputs.emplace_back("_");
        continue;
      }
      // With a number, the name of an operator is no word of the language.
      outputs.push_back(names[value] = fmt::format("{}{}", toLower(type), ++counts[toLower(type)]));
      if (isUsedOutside(value, sorted)) results.push_back(outputs.back());
    }
    while (!outputs.empty() && outputs.back() == "_") outputs.pop_back();
    if (outputs.empty()) return std::nullopt;
    terms.push_back(fmt::format("{}({})", typeText(op), fmt::join(texts, ", ")));
    statements.push_back(fmt::format("{} = {};", inParentheses(outputs), terms.back()));
    isOneResult = outputs.size() == 1;
  }
  if (results.empty()) return std::nullopt;
  form.match = inputs.empty() ? "match" : fmt::format("match({})", fmt::join(inputs, ", "));
  // An operator alone needs no name for its result.
  if (ops.size() == 1 && isOneResult) {
    form.match += " -> " + terms[0];
    return form;
  }
  form.match += " {\n";
  for (const std::string& statement : statements) form.match += "  " + statement + "\n";
  form.match += "} -> " + inParentheses(results);
  return form;
}

std::optional<Form> PatternWriter::general(OpId op) const {
  const OpId one[] = {op};
  const auto outputs = operators().outputs(op);
  const auto used = std::count_if(outputs.begin(), outputs.end(),
                                  [&](ValueId value) { return !value.isNone() && isUsedOutside(value, one); });
  if (!canBeWritten(op) || operators().inputs(op).empty() || used != 1 || outputs[0].isNone() ||
      !isUsedOutside(outputs[0], one))
    return std::nullopt;
  return Form{fmt::format("match -> {}(_, ...)", typeText(op)), {std::string(module_.text(module_.ops[op].type))}};
}

}  // namespace amdahlc::suggestions
