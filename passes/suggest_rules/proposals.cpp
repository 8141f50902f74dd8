#include "passes/suggest_rules/proposals.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>

#include "ir/text.h"
#include "ir/text/rule_words.h"
#include "support/printable.h"
#include "support/utf8.h"

namespace amdahlc::suggestions {

using ir::OpId;

namespace {

/// The name of a kernel with template arguments can be very long, and the end of it tells little.
constexpr size_t kMostNameBytes = 200;

ir::Expr regexTest(std::string regex) { return {ir::Expr::Kind::Regex, {}, std::move(regex), 0, 0, {}}; }

/// A test for the kernels whose name `shownKernelName` made this of.
ir::Expr kernelTest(const std::string& shown) {
  // A name that was cut is the begin of several.
  return regexTest("^" + ir::regexThatFinds(shown) + (shown.size() + 3 < kMostNameBytes ? "$" : ""));
}

/// The category of a kernel of operators of these types.
std::string_view categoryOf(const std::vector<std::string>& types) {
  const auto count = [&](std::initializer_list<std::string_view> wanted) {
    return std::ranges::count_if(
        types, [&](const std::string& type) { return std::ranges::find(wanted, type) != wanted.end(); });
  };
  const auto some = [&](auto test) { return std::ranges::any_of(types, test); };
  const auto contractions = count({"MatMul", "Gemm", "MatMulInteger", "QLinearMatMul", "Einsum"});
  const auto softmax = count({"Softmax", "LogSoftmax"});
  if ((contractions > 1 && softmax > 0) || count({"Attention", "MultiHeadAttention"}) > 0) return "attention";
  if (some([](const std::string& type) { return type.starts_with("Conv"); })) return "convolution";
  if (contractions > 0) return "gemm";
  if (some([](const std::string& type) { return type.ends_with("Normalization"); })) return "normalization";
  if (softmax > 0) return "softmax";
  if (count({"Erf", "Gelu", "FastGelu", "Relu", "LeakyRelu", "PRelu", "Elu", "Selu", "Celu", "Sigmoid", "HardSigmoid",
             "HardSwish", "Tanh", "Softplus", "Softsign", "Mish"}) > 0)
    return "activation";
  if (some([](const std::string& type) { return type.ends_with("Pool"); })) return "pooling";
  if (some([](const std::string& type) { return type.starts_with("Reduce"); })) return "reduction";
  const auto all = static_cast<ptrdiff_t>(types.size());
  if (count({"Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND"}) == all) return "indexing";
  if (count({"Concat", "Split", "Slice", "Pad", "Tile", "Expand"}) == all) return "copy";
  return "elementwise";
}

/// Forms of each sort that are tried.
constexpr size_t kMostForms = 4;

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

}  // namespace

std::string ProposedRule::text(const std::string& doc) const {
  ir::Rule rule;
  rule.name = rule.label = name;
  rule.category = categoryOf(form.types);
  rule.doc = doc;
  rule.patterns.push_back(form.pattern);
  ir::LaunchSequence& launch = rule.launches.emplace_back();
  for (const auto& [call, isOperator] : calls) {
    if (isOperator) launch.operators.push_back(call);
    launch.steps.push_back(isOperator ? ir::KernelStep{regexTest("."), 1, 0} : ir::KernelStep{kernelTest(call), 1, 1});
  }
  return ir::printRule(rule);
}

std::string shownKernelName(std::string_view name) { return std::string(utf8::beginning(name, kMostNameBytes)); }

bool canBeWritten(std::string_view name) { return printable(name) == name; }

std::string ruleFileHead(const Target& target) {
  return target.runtime.empty() ? "akp 1;\n" : fmt::format("akp 1;\nruntime {};\n", ir::ruleName(target.runtime));
}

Proposer::Proposer(const Observation& observation, const PatternWriter& writer)
    : observation_(observation), gapsOf_(observation.kinds.size()) {
  const auto add = [](std::map<std::string, CountedForm>& forms, Form form) {
    const std::string text = form.match;
    ++forms.try_emplace(text, CountedForm{std::move(form), 0}).first->second.count;
  };
  for (size_t i = 0; i < observation.gaps.size(); ++i) {
    const Gap& gap = observation.gaps[i];
    std::map<std::string, CountedForm>& groups = groups_.emplace_back();
    for (const std::vector<OpId>& group : writer.groups(gap.ops))
      if (auto form = writer.exact(group)) add(groups, std::move(*form));
    for (const KindId kind : gap.calls)
      if (gapsOf_[kind].empty() || gapsOf_[kind].back() != i) gapsOf_[kind].push_back(i);
  }
  const std::set<OpId> open(observation.openOps.begin(), observation.openOps.end());
  for (const OpId op : observation.openOps) {
    const auto form = writer.general(op);
    if (!form) continue;
    OfType& type = types_.try_emplace(form->match, OfType{*form, 0, {}}).first->second;
    ++type.count;
    const auto users = writer.operators().successors(op);
    if (users.size() != 1 || !open.contains(users[0])) continue;
    const OpId both[] = {op, users[0]};
    if (auto pair = writer.exact(both)) add(type.withUser, std::move(*pair));
  }
}

/// Groups in the gaps around the calls. A group counts by the calls of the gaps in which it is, half if they are not
/// as many.
void Proposer::addNeighbours(KindId kind, std::vector<Form>& forms) const {
  std::map<std::string, std::pair<double, Form>> byText;
  for (const size_t index : gapsOf_[kind]) {
    const Gap& gap = observation_.gaps[index];
    const auto calls = std::count(gap.calls.begin(), gap.calls.end(), kind);
    for (const auto& [text, group] : groups_[index])
      byText.try_emplace(text, 0.0, group.form).first->second.first +=
          static_cast<double>(calls * gap.count) * (group.count == calls ? 1.0 : 0.5);
  }
  addBest(byText, forms);
}

/// Operators of one type, weighed by how near their number is to that of the calls of a forward.
void Proposer::addTypes(KindId kind, std::vector<Form>& forms) const {
  constexpr double kLeastShare = 0.5;
  const double calls = static_cast<double>(observation_.kinds[kind].calls) /
                       static_cast<double>(std::max<int64_t>(1, observation_.forwards));
  const auto share = [&](int64_t count) {
    const auto units = static_cast<double>(count);
    return std::min(units, calls) / std::max(units, calls);
  };
  std::map<std::string, std::pair<double, Form>> alone, withUser;
  for (const auto& [text, type] : types_) {
    if (share(type.count) < kLeastShare) continue;
    alone.try_emplace(text, share(type.count), type.form);
    for (const auto& [match, pair] : type.withUser)
      if (share(pair.count) >= kLeastShare) withUser.try_emplace(match, share(pair.count), pair.form);
  }
  addBest(alone, forms);
  addBest(withUser, forms);
}

std::vector<Form> Proposer::formsFor(KindId kind) const {
  std::vector<Form> forms;
  addNeighbours(kind, forms);
  addTypes(kind, forms);
  return forms;
}

std::string suggestedName(const std::string& call, const std::string& run) {
  // Without namespaces, template arguments and parameters.
  std::string_view text(call);
  text = text.substr(0, text.find_first_of("<("));
  if (const size_t space = text.rfind(' '); space != std::string_view::npos) text.remove_prefix(space + 1);
  if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) text.remove_prefix(colon + 1);
  std::string name = "suggested";
  for (const std::string_view part : {std::string_view(run), text}) {
    bool isNew = true;
    for (const char c : part) {
      const bool isWord = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (isWord && isNew) name += '_';
      if (isWord) name += c;
      isNew = !isWord;
    }
  }
  return name;
}

}  // namespace amdahlc::suggestions
