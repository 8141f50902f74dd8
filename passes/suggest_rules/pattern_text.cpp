#include "passes/suggest_rules/pattern_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ir/known_values.h"
#include "ir/text.h"
#include "support/case_folding.h"
#include "support/disjoint_sets.h"

namespace amdahlc::suggestions {

using ir::OpId;
using ir::ValueId;
using ValueKind = ir::PatternValue::Kind;

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

uint32_t add(ir::Pattern& pattern, ir::PatternValue value) {
  pattern.values.push_back(std::move(value));
  return static_cast<uint32_t>(pattern.values.size() - 1);
}

ir::PatternValue valueOf(ir::PatternValue::Kind kind, std::string name = {}) {
  return {std::move(name), kind, false, false, {}, {}};
}

}  // namespace

Form::Form(ir::Pattern written) : pattern(std::move(written)), match(ir::printPattern(pattern)) {
  for (const ir::PatternNode& node : pattern.nodes) types.push_back(node.operators.any.front().type);
}

std::vector<std::vector<OpId>> PatternWriter::groups(std::span<const OpId> ops) const {
  std::map<OpId, size_t> index;
  for (size_t i = 0; i < ops.size(); ++i) index.emplace(ops[i], i);
  DisjointSets sets(ops.size());
  // Views on the paths from an operator to those that it reads.
  std::vector<std::set<OpId>> between(ops.size());
  for (size_t i = 0; i < ops.size(); ++i) {
    std::map<OpId, bool> leads;
    // Upwards through views: whether a path ends at an operator of `ops`. `depth` counts the operators on the path.
    const auto climb = [&](const auto& self, OpId op, size_t depth) -> bool {
      bool reaches = false;
      for (const ValueId value : operators().inputs(op)) {
        // What is known before the run may be computed then, in a call of its own.
        if (value.isNone() || operators().isKnownBeforeRun(value)) continue;
        const OpId producer = operators().producer(value);
        if (producer.isNone() || operators().graph(producer) != operators().graph(ops[i])) continue;
        if (const auto found = index.find(producer); found != index.end()) {
          sets.unite(i, found->second);
          reaches = true;
        } else if (const auto known = leads.find(producer); known != leads.end()) {
          reaches = reaches || known->second;
        } else if (graph_.isFree(producer) && depth < kMostOperators && leads.size() < kMostViews &&
                   module_.ops[producer].regions.empty()) {
          leads.emplace(producer, false);
          if (!self(self, producer, depth + 1)) continue;
          leads[producer] = reaches = true;
          between[i].insert(producer);
        }
      }
      return reaches;
    };
    climb(climb, ops[i], 1);
  }
  std::map<size_t, std::vector<OpId>> found;
  for (size_t i = 0; i < ops.size(); ++i) {
    std::vector<OpId>& group = found[sets.find(i)];
    group.push_back(ops[i]);
    group.insert(group.end(), between[i].begin(), between[i].end());
  }
  std::vector<std::vector<OpId>> groups;
  for (auto& [first, group] : found) {
    std::ranges::sort(group, {}, [&](OpId op) { return std::pair(operators().position(op), op); });
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

ir::PatternValue PatternWriter::constant(ValueId value) const {
  ir::PatternValue out = valueOf(ValueKind::Constant);
  const ir::ConstantView constant = ir::constantOf(module_, value);
  if (constant.knownElements() == 1 && isOfFormula(constant.element(0))) out.constant.equals = constant.element(0);
  return out;
}

ir::PatternNode PatternWriter::node(OpId op) const {
  ir::PatternNode node;
  node.operators.any = {
      {std::string(module_.text(module_.ops[op].domain)), std::string(module_.text(module_.ops[op].type))}};
  return node;
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
  ir::Pattern pattern;
  std::map<ValueId, uint32_t> known;
  std::map<std::string, int> counts;
  int inputs = 0;
  const auto operand = [&](ValueId value) -> uint32_t {
    if (value.isNone()) {
      ir::PatternValue absent = valueOf(ValueKind::Captured);
      absent.optional = true;
      return add(pattern, std::move(absent));
    }
    if (const auto found = known.find(value); found != known.end()) return found->second;
    if (operators().isConstant(value)) return add(pattern, constant(value));
    if (uses[value] == 1) return add(pattern, valueOf(ValueKind::Any));
    return known[value] = add(pattern, valueOf(ValueKind::Captured, fmt::format("x{}", ++inputs)));
  };
  for (const OpId op : ops) {
    auto operands = operators().inputs(op);
    if (operands.empty()) return std::nullopt;
    ir::PatternNode made = node(op);
    made.moreOperands = operands.size() > kMostOperands &&
                        std::none_of(operands.begin() + 1, operands.end(),
                                     [&](ValueId value) { return !value.isNone() && produced.contains(value); });
    if (made.moreOperands) operands = operands.first(1);
    while (!operands.empty() && operands.back().isNone()) operands = operands.first(operands.size() - 1);
    for (const ValueId value : operands) made.operands.push_back(operand(value));
    const std::string type = toLower(made.operators.any.front().type);
    const auto index = static_cast<uint32_t>(pattern.nodes.size());
    for (const ValueId value : operators().outputs(op)) {
      made.outputs.push_back(ir::PatternNode::kNoValue);
      const bool isLiveOut = !value.isNone() && isUsedOutside(value, sorted);
      if (value.isNone() || !(uses.contains(value) || isLiveOut)) continue;
      // With a number, the name of an operator is no word of the language.
      ir::PatternValue result = valueOf(ValueKind::Defined, fmt::format("{}{}", type, ++counts[type]));
      result.definitions.push_back({false, index, static_cast<uint32_t>(made.outputs.size() - 1)});
      known[value] = made.outputs.back() = add(pattern, std::move(result));
      if (isLiveOut) pattern.results.push_back(made.outputs.back());
    }
    while (!made.outputs.empty() && made.outputs.back() == ir::PatternNode::kNoValue) made.outputs.pop_back();
    if (made.outputs.empty()) return std::nullopt;
    pattern.nodes.push_back(std::move(made));
  }
  if (pattern.results.empty()) return std::nullopt;
  // An operator alone needs no name for its result.
  if (ops.size() == 1 && pattern.nodes[0].outputs.size() == 1) pattern.values[pattern.results[0]].name.clear();
  return Form(std::move(pattern));
}

std::optional<Form> PatternWriter::general(OpId op) const {
  const OpId one[] = {op};
  const auto outputs = operators().outputs(op);
  const auto used = std::count_if(outputs.begin(), outputs.end(),
                                  [&](ValueId value) { return !value.isNone() && isUsedOutside(value, one); });
  if (!canBeWritten(op) || operators().inputs(op).empty() || used != 1 || outputs[0].isNone() ||
      !isUsedOutside(outputs[0], one))
    return std::nullopt;
  ir::Pattern pattern;
  ir::PatternNode made = node(op);
  made.operands = {add(pattern, valueOf(ValueKind::Any))};
  made.moreOperands = true;
  ir::PatternValue result = valueOf(ValueKind::Defined);
  result.definitions.push_back({false, 0, 0});
  made.outputs = pattern.results = {add(pattern, std::move(result))};
  pattern.nodes.push_back(std::move(made));
  return Form(std::move(pattern));
}

}  // namespace amdahlc::suggestions
