#include "ir/kernel_graph.h"
#include "ir/text/printers.h"

namespace amdahlc::ir {

void printCandidates(TextWriter& out, GraphPrinter& graphs, const Module& module) {
  out.line() << "candidates";
  out.open();
  for (const CandidateId id : module.candidates.ids()) {
    const Candidate& candidate = module.candidates[id];
    const GraphId graph = module.ops[candidate.root].graph;
    (out.line() << id << " @").name(module.rules.rules[candidate.rule].name);
    if (candidate.alternative != 0) out << " alternative " << candidate.alternative;
    out << " root #" << candidate.root << " anchor #" << candidate.anchor << " ops ";
    out.list(candidate.ops, [&](OpId op) { out << '#' << op; });
    out << " owned " << candidate.owned << " results ";
    out.list(candidate.results, [&](ValueId value) { graphs.printValue(graph, value); });
    out << " component " << candidate.component;
  }
  out.close();
}

void printLabel(TextWriter& out, const FacetOwner& owner, KernelId kernel) {
  if (owner.cover.kernels.contains(kernel))
    (out << "  // ").name(kernelLabel(owner.module, owner.cover.kernels[kernel]));
}

namespace {

void printKernel(TextWriter& out, GraphPrinter& graphs, const Module& module, const Kernel& kernel) {
  out.line() << "kernel " << kernel.id;
  if (kernel.candidate) (out << " candidate " << *kernel.candidate << " @").name(module.ruleOf(*kernel.candidate).name);
  if (kernel.isNamedByTrace()) out << " named-by-trace";
  out.open();
  out << "  // ";
  out.name(kernelLabel(module, kernel)) << ", ";
  out.name(kernelCategory(module, kernel));
  if (const ScopeId scope = kernelScope(module, kernel); scope != kRootScope)
    (out << ", ").name(module.scopePath(scope));
  if (hasNoDeviceWork(module, kernel)) out << ", no device work";
  for (const OpId op : kernel.ops) {
    out.line() << '#' << op << "  // ";
    graphs.printHead(op);
  }
  out.close();
}

}  // namespace

void printCover(TextWriter& out, GraphPrinter& graphs, const Module& module, const Cover& cover) {
  (out.line() << "cover ").name(cover.name);
  if (!cover.traceLabel.empty()) (out << " trace ").name(cover.traceLabel);
  out.open();
  for (const Kernel& kernel : cover.kernels) printKernel(out, graphs, module, kernel);
  const FacetOwner owner{module, cover, module.findTimeline(cover.traceLabel)};
  for (const FacetInfo& row : allFacets()) {
    cover.facets.visit(row.facet, [&](const auto& facts) {
      out.line() << row.name;
      out.open();
      facts.print(out, owner);
      out.close();
    });
  }
  out.close();
}

void printScenario(TextWriter& out, const Scenario& scenario) {
  (out.line() << "scenario ").name(scenario.name);
  if (scenario.keepsIdle) out << ' ' << kIdleConstant;
  out.open();
  for (const Change& change : scenario.changes) {
    out.line() << "change " << info(change.kind).name;
    for (const Selector& selector : change.selectors) (out << ' ' << name(selector.kind) << ' ').quoted(selector.text);
    if (change.stream) out << " stream " << *change.stream;
    if (change.factor) out << " factor " << change.factor->describe();
    if (change.fixedNs) out << " fixed " << *change.fixedNs;
  }
  out.close();
}

}  // namespace amdahlc::ir
