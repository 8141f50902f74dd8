#include "ir/text/parser.h"
#include "support/edit_distance.h"

namespace amdahlc::ir {

void Parser::parseCandidates() {
  block([&] {
    if (!ordinal("a candidate's number", "candidate", module_.candidates.size())) return;
    Candidate candidate;
    const SourceRange at = range(token_);
    expect("@");
    const std::string rule = nameOrString("a rule's name");
    if (panicking_) return;
    if (const auto found = ruleIds_.find(rule); found != ruleIds_.end()) {
      candidate.rule = found->second;
    } else {
      std::vector<std::string> names;
      for (const Rule& known : module_.rules.rules) names.push_back(known.name);
      unknown(at, "no rule `@" + rule + "`" + didYouMean(rule, names));
    }
    if (accept("alternative")) candidate.alternative = index("an alternative's number");
    expect("root");
    const auto root = knownOpRef();
    expect("anchor");
    const auto anchor = knownOpRef();
    expect("ops");
    list([&] {
      if (const auto op = knownOpRef()) candidate.ops.push_back(*op);
    });
    // Names of values are resolved in the graph of the root, so they need a root.
    if (panicking_) return;
    if (!root || !anchor) return skipLine();
    candidate.root = *root;
    candidate.anchor = *anchor;
    const GraphId graph = module_.ops[*root].graph;
    expect("owned");
    candidate.owned = index("a number of operators");
    expect("results");
    list([&] { candidate.results.push_back(valueRef(graph)); });
    expect("component");
    candidate.component = index("a component's number");
    if (!panicking_) module_.candidates.push_back(std::move(candidate));
  });
}

void Parser::parseKernel(Cover& cover) {
  const SourceRange where = range(token_);
  Kernel kernel;
  kernel.id = cover.kernels.nextId();
  if (!ordinal("a kernel's id", "kernel", cover.kernels.size())) return;
  if (accept("candidate")) {
    const SourceRange at = range(token_);
    kernel.candidate = id<CandidateId>("a candidate's number");
    expect("@");
    const std::string rule = nameOrString("a rule's name");
    if (panicking_) return;
    if (!module_.candidates.contains(*kernel.candidate)) {
      unknown(at, "no candidate " + std::to_string(kernel.candidate->index()) + "; there are " +
                      std::to_string(module_.candidates.size()));
    } else if (const RuleId of = module_.candidates[*kernel.candidate].rule;
               module_.rules.rules.contains(of) && module_.rules.rules[of].name != rule) {
      // A candidate of an unknown rule has been reported.
      return failAt(at, "candidate " + std::to_string(kernel.candidate->index()) + " is of rule `@" +
                            module_.rules.rules[of].name + "`, not `@" + rule + "`");
    }
  }
  const bool namedByTrace = !kernel.candidate && accept("named-by-trace");
  block([&] {
    if (!at("#")) return fail("expected an operator such as `#7`");
    if (const auto op = knownOpRef()) kernel.ops.push_back(*op);
  });
  if (!panicking_ && namedByTrace != kernel.isNamedByTrace())
    return failAt(where, namedByTrace ? "`named-by-trace`, but not several operators"
                                      : "several operators without a candidate and without `named-by-trace`");
  if (!panicking_) cover.kernels.push_back(std::move(kernel));
}

void Parser::parseFacet(Cover& cover, Facet facet) {
  const SourceRange where = here();
  advance();
  const FacetOwner owner{module_, cover, module_.findTimeline(cover.traceLabel)};
  if (cover.facets.has(facet)) return failAt(where, "a second `" + std::string(name(facet)) + "` of a cover");
  cover.facets.add(facet, [&](auto& facts) { block([&] { facts.parseStatement(*this, owner); }); });
}

void Parser::parseCover() {
  Cover cover;
  cover.name = nameOrString("a cover's name");
  if (accept("trace")) cover.traceLabel = nameOrString("a timeline's label");
  block([&] {
    if (accept("kernel")) return parseKernel(cover);
    std::vector<std::string_view> words = {"kernel"};
    for (const FacetInfo& known : allFacets()) {
      if (known.level != FacetLevel::Run) continue;
      if (at(known.name)) return parseFacet(cover, known.facet);
      words.push_back(known.name);
    }
    failExpected(words);
  });
  if (!panicking_) module_.covers.push_back(std::move(cover));
}

void Parser::parseChange(Scenario& scenario) {
  Change change;
  change.range = range(token_);
  const auto kind = token_.kind == Token::Kind::Name ? changeKindFromName(token_.text) : std::optional<ChangeKind>();
  if (!kind) {
    std::vector<std::string_view> names;
    for (const ChangeRow& row : changeTable()) names.push_back(row.name);
    return failExpected(names);
  }
  change.kind = *kind;
  advance();
  while (token_.kind == Token::Kind::Name) {
    const auto selected = selectorKindFromName(token_.text);
    if (!selected) break;
    advance();
    const SourceRange place = here();
    change.selectors.push_back({*selected, string("a selector"), place});
  }
  if (accept("stream")) change.stream = integer("the number of a stream");
  if (accept("factor")) change.factor = rational("a factor");
  if (accept("fixed")) change.fixedNs = integer("a time in ns");
  scenario.changes.push_back(std::move(change));
}

void Parser::parseScenario() {
  Scenario scenario;
  scenario.range = range(token_);
  scenario.name = nameOrString("a scenario's name");
  scenario.keepsIdle = accept(kIdleConstant);
  block([&] {
    if (accept("change"))
      parseChange(scenario);
    else
      failExpected({"change"});
  });
  if (!panicking_) module_.scenarios.push_back(std::move(scenario));
}

}  // namespace amdahlc::ir
