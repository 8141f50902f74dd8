#include "passes/suggest_rules/proposals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include "grammar/rule_text.h"
#include "grammar/tokens.h"

namespace amdahlc::suggestions {

using ir::OpId;

namespace {

/// Forms of each sort that are tried.
constexpr size_t kMostForms = 4;
/// A gap with more operators is no evidence of which of them a call runs.
constexpr size_t kMostOperatorsOfGap = 2000;

/// The name of a kernel with template arguments can be very long, and the end of it tells little.
constexpr size_t kMostRegexBytes = 200;

std::string_view beginOf(std::string_view name) {
  if (name.size() <= kMostRegexBytes) return name;
  size_t end = kMostRegexBytes;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0u) == 0x80u) --end;
  return name.substr(0, end);
}

/// Adds the forms of descending weight.
void addBest(const std::map<std::string, std::pair<double, Form>>& byText, std::vector<Form>& forms) {
  std::vector<std::pair<double, const Form*>> order;
  for (const auto& [text, weighed] : byText) order.emplace_back(-weighed.first, &weighed.second);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < std::min(order.size(), kMostForms); ++i) {
    const Form& form = *order[i].second;
    if (std::none_of(forms.begin(), forms.end(), [&](const Form& known) { return known.match == form.match; }))
      forms.push_back(form);
  }
}

/// Groups in the gaps around the calls. A group counts by the calls of the gaps in which it is, half if they are not
/// as many.
void addNeighbours(KindId kind, const Observation& observation, const PatternWriter& writer, std::vector<Form>& forms) {
  std::map<std::string, std::pair<double, Form>> byText;
  for (const Gap& gap : observation.gaps) {
    const auto calls = std::count(gap.calls.begin(), gap.calls.end(), kind);
    if (calls == 0 || gap.ops.size() > kMostOperatorsOfGap) continue;
    std::map<std::string, std::pair<int64_t, Form>> groups;
    for (const std::vector<OpId>& group : writer.groups(gap.ops))
      if (auto form = writer.exact(group)) {
        auto& [count, kept] = groups.try_emplace(form->match, 0, *form).first->second;
        ++count;
      }
    for (const auto& [text, group] : groups) {
      auto& [weight, form] = byText.try_emplace(text, 0.0, group.second).first->second;
      weight += static_cast<double>(calls * gap.count) * (group.first == calls ? 1.0 : 0.5);
    }
  }
  addBest(byText, forms);
}

/// Operators of one type, weighed by how near their number is to that of the calls of a forward.
void addTypes(const CallKind& kind, const Observation& observation, const PatternWriter& writer,
              const ir::OperatorGraph& operators, std::vector<Form>& forms) {
  constexpr double kLeastShare = 0.5;
  const double calls =
      static_cast<double>(kind.calls) / static_cast<double>(std::max<int64_t>(1, observation.forwards));
  std::map<std::string, std::pair<double, Form>> alone, withUser;
  std::map<std::string, std::vector<OpId>> byType;
  for (const OpId op : observation.openOps)
    if (const auto form = writer.general(op)) {
      alone.try_emplace(form->match, 0.0, *form);
      byType[form->match].push_back(op);
    }
  const auto share = [&](size_t count) {
    const auto units = static_cast<double>(count);
    return std::min(units, calls) / std::max(units, calls);
  };
  for (auto& [text, ops] : byType) {
    auto& weighed = alone[text];
    weighed.first = share(ops.size());
    if (weighed.first < kLeastShare) {
      alone.erase(text);
      continue;
    }
    // With the one operator that uses the result: a bias, an activation.
    std::map<std::string, std::pair<size_t, Form>> pairs;
    for (const OpId op : ops) {
      const auto users = operators.successors(op);
      if (users.size() != 1 ||
          std::find(observation.openOps.begin(), observation.openOps.end(), users[0]) == observation.openOps.end())
        continue;
      const OpId both[] = {op, users[0]};
      if (auto form = writer.exact(both)) ++pairs.try_emplace(form->match, 0, *form).first->second.first;
    }
    for (const auto& [match, pair] : pairs)
      if (const double weight = share(pair.first); weight >= kLeastShare)
        withUser.try_emplace(match, weight, pair.second);
  }
  addBest(alone, forms);
  addBest(withUser, forms);
}

}  // namespace

std::string ProposedRule::text(const std::string& doc) const {
  std::string out;
  if (!doc.empty()) out += fmt::format("/// {}\n", doc);
  out += fmt::format("kernel {} : {} {{\n  ", name, grammar::categoryOf(form.types));
  for (const char c : form.match) {
    out += c;
    if (c == '\n') out += "  ";
  }
  out += ";\n  runs as { ";
  std::vector<std::string> operatorNames;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (i > 0) out += "; ";
    if (calls[i].second) {
      operatorNames.push_back(grammar::quotedString(calls[i].first));
      out += "/./+";
    } else {
      out += grammar::regexOf(beginOf(calls[i].first));
    }
  }
  out += " }";
  if (!operatorNames.empty()) out += fmt::format(" for op {}", fmt::join(operatorNames, " | "));
  return out + ";\n}\n";
}

std::string ruleFileHead(const Target& target) {
  return target.runtime.empty() ? "akp 1;\n" : fmt::format("akp 1;\nruntime {};\n", grammar::ruleName(target.runtime));
}

std::vector<Form> formsFor(KindId kind, const Observation& observation, const PatternWriter& writer) {
  std::vector<Form> forms;
  addNeighbours(kind, observation, writer, forms);
  addTypes(observation.kinds[kind], observation, writer, writer.operators(), forms);
  return forms;
}

std::string plainName(const std::string& call) {
  // Without namespaces, template arguments and parameters.
  std::string_view text(call);
  text = text.substr(0, text.find_first_of("<("));
  if (const size_t space = text.rfind(' '); space != std::string_view::npos) text.remove_prefix(space + 1);
  if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) text.remove_prefix(colon + 1);
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) != 0 && c > 0 ? c : '_';
  name.erase(0, name.find_first_not_of('_'));
  name.erase(name.find_last_not_of('_') + 1);
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name = "kernel_" + name;
  const auto tokens = grammar::tokenize(name);
  return tokens.size() == 1 && tokens[0].kind == grammar::Token::Kind::Name ? name : name + "_call";
}

}  // namespace amdahlc::suggestions
