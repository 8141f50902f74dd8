#include "grammar/xml_rules/akp_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "support/case_folding.h"

namespace amdahlc::grammar::xml_rules {
namespace {

// The operands of an operator with more are written in the order of the library.
constexpr uint32_t kMostArranged = 3;

// Words of `.akp` that are no names of values, of those that are also types of operators.
constexpr std::array<std::string_view, 4> kNoNames{"and", "not", "or", "where"};

std::string call(const std::string& type, const std::vector<std::string>& operands) {
  return fmt::format("{}({})", type, fmt::join(operands, ", "));
}

/// The operator with its operands, of which `used` are known, and at which positions is not.
std::string termText(const OperatorType& type, const std::vector<std::string>& used) {
  const OperatorSchema* schema = type.schema;
  const bool known = schema != nullptr && schema->hasSchema;
  std::vector<std::string> operands = used;
  if (!known || schema->minOperands != schema->maxOperands) {
    if (operands.empty() && known && schema->minOperands > 0) operands.emplace_back("_");
    if (!known || operands.size() < schema->maxOperands) operands.emplace_back("...");
    return call(type.shown, operands);
  }
  const uint32_t count = schema->maxOperands;
  if (used.empty() || count > kMostArranged || (type.commutative && count == 2)) {
    operands.resize(count, "_");
    return call(type.shown, operands);
  }
  // Positions in the order of the text first.
  std::vector<uint32_t> places(count);
  for (uint32_t i = 0; i < count; ++i) places[i] = i;
  std::vector<std::string> arranged;
  do {
    std::vector<std::string> at(count, "_");
    for (size_t i = 0; i < used.size(); ++i) at[places[i]] = used[i];
    std::string text = call(type.shown, at);
    if (std::ranges::find(arranged, text) == arranged.end()) arranged.push_back(std::move(text));
  } while (std::next_permutation(places.begin(), places.end()));
  return arranged.size() == 1 ? arranged.front() : fmt::format("({})", fmt::join(arranged, " | "));
}

std::vector<std::string> valueNames(const GroupGraph& graph) {
  const auto base = [](const GroupOperator& one) { return one.isRun ? std::string("run") : toLower(one.type.type); };
  std::map<std::string, size_t> counts, used;
  for (const GroupOperator& one : graph.operators) ++counts[base(one)];
  std::vector<std::string> out;
  for (const GroupOperator& one : graph.operators) {
    std::string name = base(one);
    const bool word = std::ranges::find(kNoNames, name) != kNoNames.end();
    const size_t number = ++used[name];
    if (counts[name] > 1 || word || std::isdigit(static_cast<unsigned char>(name.back())) != 0)
      name += fmt::format("_{}", number);
    out.push_back(std::move(name));
  }
  return out;
}

}  // namespace

std::string matchText(const GroupGraph& graph) {
  const std::vector<std::string> names = valueNames(graph);
  std::vector<std::string> terms;
  for (const GroupOperator& one : graph.operators) {
    std::vector<std::string> used;
    for (const size_t producer : one.producers) used.push_back(producer == kFolded ? "const" : names[producer]);
    if (one.isRun)
      terms.push_back(fmt::format("{}+({})", kMiscellaneousClass, used.empty() ? "_" : used.front()));
    else
      terms.push_back(termText(one.type, used));
  }
  if (terms.size() == 1) return "match -> " + terms.front();
  std::string out = "match {\n";
  for (size_t i = 0; i < terms.size(); ++i) out += fmt::format("    {} = {};\n", names[i], terms[i]);
  std::vector<std::string> results;
  for (const size_t result : graph.results) results.push_back(names[result]);
  return out + (results.size() == 1 ? fmt::format("  }} -> {}", results.front())
                                    : fmt::format("  }} -> ({})", fmt::join(results, ", ")));
}

std::string matchText(const OperatorType& type) { return "match -> " + termText(type, {}); }

}  // namespace amdahlc::grammar::xml_rules
