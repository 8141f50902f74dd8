#include "passes/fuse/choice_order.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "graph_and_rules.h"

using namespace amdahlc;
using namespace amdahlc::test;

namespace {

/// Candidates over a chain of operators with every combination of criteria, in random order.
ir::Module manyCandidates() {
  GraphBuilder g;
  auto value = g.input("x");
  for (int i = 0; i < 6; ++i) value = g.value("Exp", {value});
  for (const char* name : {"a", "b", "c"}) addRule(g.module, name, {chainPattern({{"Exp", 1}})});
  g.module.rules.rules[ir::RuleId(1)].priority = 2;
  g.module.rules.rules[ir::RuleId(2)].priority = INT64_MIN;
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    ir::Candidate candidate;
    candidate.rule = ir::RuleId(random() % 3);
    candidate.alternative = static_cast<uint32_t>(random() % 2);
    candidate.root = candidate.anchor = ir::OpId(random() % 6);
    candidate.owned = static_cast<uint32_t>(random() % 2);
    candidate.ops.assign(1 + random() % 2, candidate.root);
    g.module.candidates.push_back(candidate);
  }
  return std::move(g.module);
}

}  // namespace

TEST_CASE("all candidates are in the order of the criteria") {
  const ir::Module module = manyCandidates();
  const ir::OperatorGraph graph(module);
  const ChoiceOrder order(module, graph);
  const auto candidates = order.candidates();
  REQUIRE(candidates.size() == module.candidates.size());
  const auto keys = [&](ir::CandidateId candidate) {
    std::vector<int64_t> out;
    for (const ChoiceCriterion& criterion : choiceCriteria()) out.push_back(criterion.key({module, graph, candidate}));
    return out;
  };
  for (size_t i = 1; i < candidates.size(); ++i) {
    CHECK(keys(candidates[i - 1]) < keys(candidates[i]));
    CHECK_FALSE(order.reason(candidates[i - 1], candidates[i]).empty());
  }
}

TEST_CASE("the docs page lists the criteria") {
  std::ifstream file("docs/passes/fuse.md");
  REQUIRE(file);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  std::string list;
  for (size_t i = 0; i < choiceCriteria().size(); ++i)
    list += fmt::format("{}. {}\n", i + 1, choiceCriteria()[i].description);
  CHECK(page.find(list) != std::string::npos);
}
