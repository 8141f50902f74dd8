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
    out << " owned " << candidate.owned << " values ";
    const auto capture = [&](const std::pair<uint32_t, ValueId>& bound) {
      out << bound.first << " = ";
      graphs.printValue(graph, bound.second);
    };
    out.list(candidate.values, capture, '{', '}');
    out << " results ";
    out.list(candidate.results, [&](ValueId value) { graphs.printValue(graph, value); });
    out << " component " << candidate.component;
  }
  out.close();
}

namespace {

void printRunTimes(TextWriter& out, const RunTimes& times) {
  out.line() << "times iterations " << times.iterations << " events " << times.deviceEvents << " busy ";
  out.numbers(times.busyNs) << " wall ";
  out.numbers(times.wallNs);
  if (times.windowNs) (out << " window ").numbers(*times.windowNs);
  out << " device " << times.deviceNs << " bound " << times.boundNs << " unbound " << times.unboundNs;
}

void printBranch(TextWriter& out, const Branch& branch) {
  out.line() << "branch join " << branch.join << " from ";
  if (branch.from) {
    out << *branch.from;
  } else if (!branch.fromInput.empty()) {
    (out << "input ").quoted(branch.fromInput);
  } else {
    out << "entry";
  }
  out << " via ";
  if (branch.via) {
    out << *branch.via;
  } else {
    (out << "input ").quoted(branch.viaInput);
  }
  (out << " kernels ").numbers(branch.kernels);
  if (branch.isCut()) {
    out << " of ";
    if (branch.kernelCount) {
      out << *branch.kernelCount;
    } else {
      out << "unknown";
    }
  }
  out << " path " << branch.pathNs << " sum ";
  if (branch.sumNs) {
    out << *branch.sumNs;
  } else {
    out << "unknown";
  }
}

void printKernel(TextWriter& out, GraphPrinter& graphs, const Module& module, const Kernel& kernel) {
  out.line() << "kernel " << kernel.id;
  if (kernel.candidate) {
    (out << " candidate " << *kernel.candidate << " @")
        .name(module.rules.rules[module.candidates[*kernel.candidate].rule].name);
  }
  out << ' ' << name(kernel.state);
  if (!kernel.missReason.empty()) (out << " reason ").quoted(kernel.missReason);
  if (kernel.tripCount) out << " trips " << *kernel.tripCount;
  if (kernel.time) {
    (out << " time ").numbers(kernel.time->perIterationNs)
        << " total " << kernel.time->totalNs << " busy-without " << kernel.time->busyWithoutNs;
  }
  if (kernel.path) out << (kernel.path->critical ? " critical" : "") << " slack " << kernel.path->slackNs;
  out.open();
  out << "  // ";
  out.name(kernelLabel(module, kernel)) << ", ";
  out.name(kernelCategory(module, kernel));
  if (const std::string scope = kernelScope(module, kernel); !scope.empty()) (out << ", ").name(scope);
  for (const OpId op : kernel.ops) {
    out.line() << '#' << op << "  // ";
    graphs.printHead(op);
  }
  for (const BoundEvent& bound : kernel.events) {
    out.line() << "event " << bound.event << ' ' << (bound.evidence == 0 ? "none" : toString(bound.evidence)) << ' '
               << bound.confidencePermille;
  }
  out.close();
}

}  // namespace

void printCover(TextWriter& out, GraphPrinter& graphs, const Module& module, const Cover& cover) {
  (out.line() << "cover ").name(cover.name);
  if (!cover.traceLabel.empty()) (out << " trace ").name(cover.traceLabel);
  out.open();
  if (cover.times) printRunTimes(out, *cover.times);
  if (cover.criticalPath) {
    (out.line() << "critical-path " << cover.criticalPath->durationNs << " ties " << cover.criticalPath->ties
                << " kernels ")
        .numbers(cover.criticalPath->kernels);
  }
  for (const Kernel& kernel : cover.kernels) printKernel(out, graphs, module, kernel);
  for (const Branch& branch : cover.branches) printBranch(out, branch);
  for (const UnboundEvent& unbound : cover.unbound) {
    (out.line() << "unbound " << unbound.event << ' ').name(unbound.category);
    if (!unbound.scope.empty()) (out << " scope ").name(unbound.scope);
    (out << ' ').quoted(unbound.reason);
  }
  out.close();
}

void printScenario(TextWriter& out, const Scenario& scenario) {
  (out.line() << "scenario ").name(scenario.name);
  out.open();
  for (const SpeedupRequest& request : scenario.requests) {
    (out.line() << "request " << name(request.kind) << ' ').quoted(request.selector);
    if (request.factor) out << " factor " << request.factor->toString();
    if (request.fixedNs) out << " fixed " << *request.fixedNs;
  }
  for (const Prediction& prediction : scenario.predictions) {
    (out.line() << "predict ").name(prediction.cover)
        << " busy " << prediction.busyNs << " wall " << prediction.wallNs << " path " << prediction.pathNs;
    (out << " kernels ").numbers(prediction.path) << " factors ";
    const auto factor = [&](const std::pair<KernelId, Rational>& entry) {
      out << entry.first << " = " << entry.second.toString();
    };
    out.list(prediction.factors, factor, '{', '}');
  }
  out.close();
}

}  // namespace amdahlc::ir
