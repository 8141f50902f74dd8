#include "ir/text.h"

#include <algorithm>

#include "ir/domain.h"
#include "ir/text/printers.h"

namespace amdahlc::ir {

void printTarget(TextWriter& out, const Target& target) {
  if (target.empty()) return;
  out.line() << "target";
  for (const TargetField& field : kTargetFields)
    if (const std::string& text = target.*field.member; !text.empty()) (out << ' ' << field.word << ' ').name(text);
}

void printProblems(TextWriter& out, const DataProblems& problems) {
  for (const DataProblem& problem : problems) {
    (out.line() << "problem ").name(problem.name) << ' ' << problem.count << ' ';
    out.quoted(problem.what);
  }
}

namespace {

void printHeader(TextWriter& out, const Module& module) {
  out.line() << "amdahlc.ir 1";
  out.blankLine();
  (out.line() << "model ").quoted(module.modelName);
  if (module.frontEnd != FrontEnd::Onnx) out.line() << "front-end " << name(module.frontEnd);
  if (module.dataEdges != 0) out.line() << "data-edges " << module.dataEdges;
  for (const StorageId id : module.storages.ids()) {
    const Storage& storage = module.storages[id];
    out.line() << "storage " << id << " bytes ";
    if (storage.bytes)
      out << *storage.bytes;
    else
      out << '?';
    if (storage.isBefore) out << " before";
    if (storage.isAfter) out << " after";
    if (storage.onHost) out << " host";
  }
  for (const auto& [domain, version] : module.opsets)
    (out.line() << "opset ").name(describeDomain(domain)) << ' ' << version;
  printTarget(out, module.target);
  std::vector<Facet> facets;
  for (const FacetInfo& known : allFacets())
    if (module.has(known.facet)) facets.push_back(known.facet);
  if (!facets.empty()) {
    out.line() << "facets ";
    out.list(facets, [&](Facet facet) { out << name(facet); });
  }
  // Operators name their scopes; others are of events outside of the model.
  IdVector<ScopeId, bool> isNamed(module.scopes.size(), false);
  const auto name = [&](ScopeId scope) {
    for (; !scope.isNone() && !isNamed[scope]; scope = module.scopes[scope].parent) isNamed[scope] = true;
  };
  for (const Op& op : module.ops) name(op.scope);
  name(kRootScope);
  for (const ScopeId scope : module.scopes.ids()) {
    const Symbol moduleClass = module.scopes[scope].moduleClass;
    if (moduleClass.empty() && isNamed[scope]) continue;
    (out.line() << "scope ").name(module.scopePath(scope));
    if (!moduleClass.empty()) (out << " class ").name(module.text(moduleClass));
  }
  if (module.truncatedRoots != 0) out.line() << "truncated-roots " << module.truncatedRoots;
  printProblems(out, module.dataProblems);
}

}  // namespace

std::string print(const Module& module) {
  TextWriter out;
  GraphPrinter graphs(module, out);
  printHeader(out, module);
  out.blankLine();
  out.line();
  graphs.printGraph(kMainGraph);
  // Before `fuse` any rule may match, so all are printed. Then only rules with a candidate are needed, and those to
  // which the binding of a run may add candidates.
  const RuleSet& rules = module.rules;
  const bool isAnyRule = !rules.rules.empty() || !rules.views.empty() || !isEmpty(rules.hidden);
  const bool isGrouped = module.has(Facet::Fused);
  if (isGrouped ? !module.candidates.empty() : isAnyRule) {
    IdVector<RuleId, bool> wanted(rules.rules.size(), !isGrouped);
    for (const Candidate& candidate : module.candidates) wanted[candidate.rule] = true;
    for (const RuleId rule : rules.rules.ids()) wanted[rule] = wanted[rule] || rules.rules[rule].generated;
    out.blankLine();
    // A line that begins with `}` ends the rules, whatever is in them.
    out.line() << "rules";
    out.open();
    out.lines(printRuleSet(rules, wanted));
    out.close();
  }
  if (!module.candidates.empty()) {
    out.blankLine();
    printCandidates(out, graphs, module);
  }
  // If nothing is bound, no fact refers to a run, and the timelines are left out.
  const bool isOfRun = std::ranges::any_of(module.covers, [](const Cover& cover) { return !cover.traceLabel.empty(); });
  if (module.has(Facet::Bound) || isOfRun) {
    for (const Timeline& timeline : module.timelines) {
      out.blankLine();
      printTimeline(out, timeline);
    }
  }
  for (const Cover& cover : module.covers) {
    out.blankLine();
    printCover(out, graphs, module, cover);
  }
  for (const Scenario& scenario : module.scenarios) {
    out.blankLine();
    printScenario(out, scenario);
  }
  return out.take();
}

}  // namespace amdahlc::ir
