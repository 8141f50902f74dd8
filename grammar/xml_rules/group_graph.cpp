// A group of the library is a text about paths: `sequential` goes on where the element before ended, `branching` goes
// several ways from there, `branchedStart` begins several times. What is open after an element is its front, the values
// that the next element uses. An operator uses all of them, which is how branches join.
#include "grammar/xml_rules/group_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "ir/onnx_schemas/operators.h"
#include "support/case_folding.h"
#include "support/edit_distance.h"
#include "support/limits.h"
#include "support/plural.h"

namespace amdahlc::grammar::xml_rules {
namespace {

using Front = std::vector<size_t>;

/// Where an element is: the branching elements around it, outermost first, and in which of their branches.
using Branches = std::vector<std::pair<const XmlNode*, size_t>>;

struct Jump {
  Front values;
  Branches branches;
  SourceRange range;
};

class Builder {
 public:
  Builder(bool hasMiscellaneous, const OperatorTypes& types, DiagnosticEngine& diagnostics)
      : hasMiscellaneous_(hasMiscellaneous), types_(types), diagnostics_(diagnostics) {}

  std::optional<GroupGraph> run(const XmlNode& pattern) {
    const size_t errors = diagnostics_.errorCount();
    graph_.results = element(pattern, {}, true);
    if (diagnostics_.errorCount() != errors) return std::nullopt;
    if (graph_.operators.empty() || graph_.results.empty()) {
      fail(pattern.nameRange, graph_.operators.empty() ? "the group has no operator" : "the group has no result");
      return std::nullopt;
    }
    for (const Jump& jump : jumps_) land(jump);
    if (diagnostics_.errorCount() != errors || !sortByUse(pattern) || !isConnected(pattern)) return std::nullopt;
    markShapes();
    return std::move(graph_);
  }

 private:
  void fail(SourceRange range, std::string message) { diagnostics_.error(DiagId::XmlRule, range, std::move(message)); }

  Front element(const XmlNode& node, Front front, bool isStart) {
    if (node.name == "node") return op(node, std::move(front));
    if (node.name == "sequential") return sequential(node, std::move(front), isStart);
    if (node.name == "branching" || node.name == "branchedStart") return branches(node, front, isStart);
    if (node.name == "emptyBranch") return front;
    if (node.name == "miscellaneousNodes") return run(node, std::move(front));
    if (node.name == "crossbranchjump") {
      if (front.empty())
        fail(node.nameRange, "`crossbranchjump` has no operator before it");
      else
        jumps_.push_back({std::move(front), around_, node.nameRange});
      return {};
    }
    const std::vector<std::string> tags{"node",        "sequential",         "branching",      "branchedStart",
                                        "emptyBranch", "miscellaneousNodes", "crossbranchjump"};
    fail(node.nameRange, fmt::format("`{}` is no part of a group{}", node.name, didYouMeanOrKnown(node.name, tags)));
    return {};
  }

  Front add(GroupOperator made, Front front, const XmlNode& node) {
    if (graph_.operators.size() >= limits::kPatternOperators) {
      fail(node.nameRange,
           fmt::format("pattern has more than {} operators with its fragments expanded", limits::kPatternOperators));
      return {};
    }
    made.producers = std::move(front);
    made.range = node.text.range;
    graph_.operators.push_back(std::move(made));
    branchesOf_.push_back(around_);
    return {graph_.operators.size() - 1};
  }

  Front op(const XmlNode& node, Front front) {
    auto type = types_.find(node.text, diagnostics_);
    if (!type) return {};
    const OperatorSchema* schema = type->schema;
    if (schema != nullptr && schema->hasSchema && front.size() > schema->maxOperands)
      fail(node.text.range, fmt::format("{} branches lead to `{}`, which has at most {}", front.size(), type->shown,
                                        plural(schema->maxOperands, "operand")));
    return add({std::move(*type), false, {}, {}, false}, std::move(front), node);
  }

  Front run(const XmlNode& node, Front front) {
    if (!hasMiscellaneous_)
      fail(node.nameRange, "`miscellaneousNodes` without a `miscNode` in the library matches nothing");
    if (front.size() > 1)
      fail(node.nameRange,
           fmt::format("{} branches lead to `miscellaneousNodes`; a run of operators has one input", front.size()));
    return add({{}, true, {}, {}, false}, std::move(front), node);
  }

  Front sequential(const XmlNode& node, Front front, bool isStart) {
    bool isOver = false;
    for (const XmlNode* part : node.elements()) {
      if (isOver) fail(part->nameRange, "nothing can follow `crossbranchjump`, which leads to another branch");
      isOver = part->name == "crossbranchjump";
      front = element(*part, std::move(front), isStart);
      isStart = false;
    }
    return front;
  }

  Front branches(const XmlNode& node, const Front& front, bool isStart) {
    const bool starts = node.name == "branchedStart";
    if (starts != isStart)
      fail(node.nameRange,
           starts ? "`branchedStart` is not at a start; the predecessor looks for its branches anywhere in the graph"
                  : "`branching` at the start has no operator before it; `branchedStart` begins several branches");
    Front out;
    const std::vector<const XmlNode*> parts = node.elements();
    for (size_t i = 0; i < parts.size(); ++i) {
      around_.emplace_back(&node, i);
      for (const size_t value : element(*parts[i], starts ? Front{} : front, starts))
        if (std::ranges::find(out, value) == out.end())
          out.push_back(value);
        else
          diagnostics_.warning(DiagId::XmlRule, parts[i]->nameRange,
                               "another branch ends in the same value, which is used once");
      around_.pop_back();
    }
    return out;
  }

  /// The operators of another branch than the jump's, of the innermost branching element that has some, which need an
  /// operand more than the library gives them. The library does not say to which the jump goes.
  std::vector<size_t> landings(const Jump& jump) const {
    for (size_t depth = jump.branches.size(); depth-- > 0;) {
      std::vector<size_t> out;
      for (size_t i = 0; i < graph_.operators.size(); ++i) {
        const GroupOperator& made = graph_.operators[i];
        const Branches& its = branchesOf_[i];
        const bool inAnother = its.size() > depth && its[depth].first == jump.branches[depth].first &&
                               its[depth].second != jump.branches[depth].second;
        const bool needsMore = made.type.schema != nullptr && made.producers.size() < made.type.schema->minOperands &&
                               made.producers.size() + jump.values.size() <= made.type.schema->maxOperands;
        if (inAnother && needsMore && !made.producers.empty()) out.push_back(i);
      }
      if (!out.empty()) return out;
    }
    return {};
  }

  void land(const Jump& jump) {
    const std::vector<size_t> found = landings(jump);
    if (found.empty()) return fail(jump.range, "no operator of another branch has an operand for `crossbranchjump`");
    GroupOperator& to = graph_.operators[found.back()];
    to.producers.insert(to.producers.end(), jump.values.begin(), jump.values.end());
    const std::string message = fmt::format("`crossbranchjump` is taken to lead to this `{}`", to.type.shown);
    if (found.size() == 1) {
      diagnostics_
          .remark(DiagId::XmlRule, jump.range,
                  "`crossbranchjump` does not say where to; one operator of another branch has an operand for it")
          .secondary(to.range, message);
      return;
    }
    auto report = diagnostics_.warning(
        DiagId::XmlRule, jump.range,
        fmt::format("`crossbranchjump` does not say where to; {} operators of another branch have an operand for it",
                    found.size()));
    report.secondary(to.range, message);
    for (size_t i = 0; i + 1 < found.size(); ++i)
      report.secondary(graph_.operators[found[i]].range, "it could also be this one");
  }

  /// Puts operators behind their producers, which only jumps can violate.
  bool sortByUse(const XmlNode& pattern) {
    const size_t count = graph_.operators.size();
    std::vector<size_t> order, place(count, kFolded);
    while (order.size() < count) {
      const size_t before = order.size();
      for (size_t i = 0; i < count; ++i) {
        const auto& producers = graph_.operators[i].producers;
        if (place[i] != kFolded || !std::ranges::all_of(producers, [&](size_t one) { return place[one] != kFolded; }))
          continue;
        place[i] = order.size();
        order.push_back(i);
      }
      if (order.size() == before) {
        fail(pattern.nameRange, "jumps between the branches make a cycle");
        return false;
      }
    }
    std::vector<GroupOperator> sorted;
    for (const size_t i : order) sorted.push_back(std::move(graph_.operators[i]));
    for (GroupOperator& one : sorted)
      for (size_t& producer : one.producers) producer = place[producer];
    for (size_t& result : graph_.results) result = place[result];
    graph_.operators = std::move(sorted);
    return true;
  }

  bool isConnected(const XmlNode& pattern) {
    std::vector<size_t> group(graph_.operators.size());
    std::iota(group.begin(), group.end(), size_t{0});
    const auto root = [&](size_t i) {
      while (group[i] != i) i = group[i] = group[group[i]];
      return i;
    };
    for (size_t i = 0; i < group.size(); ++i)
      for (const size_t producer : graph_.operators[i].producers) group[root(i)] = root(producer);
    for (size_t i = 0; i < group.size(); ++i) {
      if (root(i) == root(0)) continue;
      fail(pattern.nameRange, "the branches of the group never meet, so that nothing says which belong together");
      return false;
    }
    return true;
  }

  void markShapes() {
    for (GroupOperator& one : graph_.operators)
      one.ofShapes = one.type.type == "Shape" || one.type.type == "Size" ||
                     (!one.producers.empty() &&
                      std::ranges::all_of(one.producers, [&](size_t i) { return graph_.operators[i].ofShapes; }));
  }

  bool hasMiscellaneous_;
  const OperatorTypes& types_;
  DiagnosticEngine& diagnostics_;
  GroupGraph graph_;
  /// Parallel to the operators.
  std::vector<Branches> branchesOf_;
  std::vector<Jump> jumps_;
  Branches around_;
};

}  // namespace

std::optional<OperatorType> OperatorTypes::find(const XmlText& name, DiagnosticEngine& diagnostics) const {
  // As the predecessor reads it.
  std::string wanted = name.text;
  std::erase(wanted, '"');
  std::set<std::string> domains;
  std::string type;
  std::vector<std::string> known;
  for (const auto& [domain, itsType] : ir::onnx_schemas::operatorNames()) {
    known.push_back(toLower(itsType));
    if (!equalIgnoringCase(itsType, wanted)) continue;
    domains.insert(domain);
    if (type.empty() || domain.empty()) type = itsType;
  }
  if (domains.empty()) {
    diagnostics.error(DiagId::XmlRule, name.range,
                      fmt::format("unknown operator `{}`{}", name.text, didYouMean(wanted, known)));
    return std::nullopt;
  }
  // ONNX's own comes first; of an operator that others alone have, the domain does not matter to the predecessor.
  const std::string& domain = *domains.begin();
  OperatorType out{type, type, schemas_.find(domain, type), isCommutative(domain, type)};
  if (!domain.empty()) out.shown = fmt::format("{}::{}", domains.size() == 1 ? domain : "*", type);
  return out;
}

std::optional<GroupGraph> groupGraph(const XmlNode& pattern, bool hasMiscellaneous, const OperatorTypes& types,
                                     DiagnosticEngine& diagnostics) {
  return Builder(hasMiscellaneous, types, diagnostics).run(pattern);
}

std::optional<GroupGraph> withFoldedShapes(const GroupGraph& graph) {
  const auto ofShapes = [&](size_t i) { return graph.operators[i].ofShapes; };
  const bool some = std::ranges::any_of(graph.operators, &GroupOperator::ofShapes);
  if (!some || std::ranges::any_of(graph.results, ofShapes)) return std::nullopt;
  std::vector<bool> needed(graph.operators.size());
  for (const size_t result : graph.results) needed[result] = true;
  for (size_t i = graph.operators.size(); i-- > 0;)
    for (const size_t producer : graph.operators[i].producers)
      if (needed[i] && !ofShapes(producer)) needed[producer] = true;
  GroupGraph out;
  std::vector<size_t> place(graph.operators.size(), kFolded);
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    if (!needed[i]) continue;
    GroupOperator one = graph.operators[i];
    for (size_t& producer : one.producers) producer = place[producer];
    place[i] = out.operators.size();
    out.operators.push_back(std::move(one));
  }
  for (const size_t result : graph.results) out.results.push_back(place[result]);
  return out;
}

}  // namespace amdahlc::grammar::xml_rules
