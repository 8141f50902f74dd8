#include "passes/trace_bind/fit_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "support/plural.h"

namespace amdahlc::binding {

namespace {

std::string describeMeasures(const ir::ModelFit& fit) {
  std::string text = fmt::format(
      "{:.1f} % of the calls match nodes, and {:.1f} % of the nodes match calls (products and reductions count more)",
      fit.callsPermille / 10.0, fit.unitsPermille / 10.0);
  if (fit.weightsPermille)
    text += fmt::format(", {:.1f} % of the weights occur in the trace", *fit.weightsPermille / 10.0);
  return text;
}

}  // namespace

namespace {

void forEachState(const ir::BoundFacet& facts, const std::function<void(ir::EventState, EventIndex)>& visit) {
  for (const ir::KernelBinding& kernel : facts.kernels)
    for (const ir::BoundEvent& bound : kernel.events) visit(ir::EventState::Bound, bound.event);
  for (const ir::UnboundEvent& unbound : facts.unbound) visit(ir::info(unbound.reason.kind).state, unbound.event);
}

}  // namespace

StateTotals totalsByState(const Timeline& timeline, const ir::BoundFacet& facts) {
  StateTotals totals;
  forEachState(facts, [&](ir::EventState state, EventIndex event) {
    totals.ns[static_cast<size_t>(state)] += timeline.durationNs[event];
    ++totals.events[static_cast<size_t>(state)];
  });
  return totals;
}

DeviceTimesByState::DeviceTimesByState(const ir::Module& module, ir::CoverId id) {
  const ir::Cover& cover = module.cover(id);
  const Timeline& timeline = *module.findTimeline(cover.traceLabel);
  const ReportedIterations reported(timeline);
  int64_t wholeNs = 0;
  forEachState(*cover.facets.get<ir::BoundFacet>(), [&](ir::EventState state, EventIndex event) {
    if (!reported.has(timeline.iteration[event])) return;
    totalNs[static_cast<size_t>(state)] += timeline.durationNs[event];
    wholeNs += timeline.durationNs[event];
  });
  std::ranges::copy(apportion(perIteration(wholeNs, reported.count()), totalNs, reported.count()),
                    perIterationNs.begin());
}

std::string describeMisfit(const ir::ModelFit& fit, std::string_view model) {
  if (fit.fits || fit.namesOnly) return {};
  return fmt::format("the trace does not fit the model{}: {}", model.empty() ? "" : fmt::format(" `{}`", model),
                     describeMeasures(fit));
}

std::string describeFit(const ir::ModelFit& fit) {
  if (fit.namesOnly) return "the rules bind by kernel names and order only; no binding was tested";
  return fmt::format("the trace {} the model: {}; {}, {}", fit.fits ? "fits" : "does not fit", describeMeasures(fit),
                     plural(fit.forwards, "forward"),
                     fit.evidence.calls   ? "the graph is the program of the run"
                     : fit.evidence.nodes ? "events name nodes"
                                          : fmt::format("{:.3f} bits of evidence per call",
                                                        static_cast<double>(fit.millibitsPerCall) / 1000));
}

MissingEvidence missingEvidence(const ir::ModelFit& fit, std::string_view format) {
  if (fit.evidence.isStated()) return {};
  std::vector<std::string_view> missing, options;
  if (!fit.evidence.operators) missing.push_back("operators");
  if (!fit.evidence.shapes) {
    missing.push_back("shapes");
    options.push_back("record_shapes=True");
  }
  if (!fit.evidence.frames) {
    missing.push_back("module frames");
    options.push_back("with_stack=True, with_modules=True");
  }
  if (missing.empty()) return {};
  MissingEvidence found{fmt::format("the trace has no {}", fmt::join(missing, ", no ")), ""};
  // Nsight Systems records no module frames, so it has no advice for a trace that lacks only these.
  if (format == "nsys") {
    if (!fit.evidence.shapes) found.advice = "record with `nsys profile --pytorch=autograd-shapes-nvtx`";
  } else if (!options.empty()) {
    found.advice = fmt::format("record with {}", fmt::join(options, ", "));
  }
  return found;
}

}  // namespace amdahlc::binding
