// Before: candidates, the default cover, timelines.      After: one cover per timeline, with events in its kernels.
//
//   candidates 0 sdpa [4..9], 1 matmul [6], 2 ...        cover "eager": kernel 3 "matmul" events [7], kernel 4 ...
//   default: kernel 3 "sdpa"                             cover "flash": kernel 3 "sdpa" events [7]
//
// The launches of one iteration are aligned with the operator graph as a whole, because the choice of candidates and
// the binding of events depend on each other. If the trace has module frames, they are matched with the graph's scopes
// first. An event without an operator stays unbound.

#include "passes/trace_bind/trace_bind_pass.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "passes/trace_bind/bind_timeline.h"
#include "passes/trace_bind/bindings_writer.h"
#include "passes/trace_bind/check_launches.h"

namespace amdahlc {

TraceBindPass::TraceBindPass()
    : boundEvents_(statistic("bound-events", "selected events bound to a kernel")),
      unboundEvents_(statistic("unbound-events", "selected events without a kernel")),
      boundKernels_(statistic("bound-kernels", "kernels with events")),
      missedKernels_(statistic("missed-kernels", "kernels with expected device work but no event")),
      searchedIterations_(statistic("searched-iterations", "iterations aligned by search")),
      transferredIterations_(statistic("transferred-iterations", "iterations that take the binding of an equal one")),
      expandedStates_(statistic("expanded-states", "hypotheses that the searches extended")),
      matchedFrames_(statistic("matched-frames", "module frames matched with module scopes")),
      redecided_(
          statistic("redecided-components", "conflict components with other candidates than in the default cover")) {
  runsByDefault();
  needsInput(PassInput::Trace);
  checksRules(binding::checkLaunches);
  enablesOutput({.name = "bindings",
                 .summary = "one CSV row per device event, with its kernel and nodes",
                 .needs = ir::Facet::Bound,
                 .writeRun = binding::writeBindings});
  requiresFacet(ir::Facet::Fused);
  requiresHostEvents([](const ir::Module& module, const Timeline& timeline) {
    return module.coverOfRun(timeline.label) == nullptr;  // a bound run stays as it is
  });
  establishesFacet(ir::Facet::Bound);
  integer("beam-width", "hypotheses kept for each launch of the trace", beamWidth_, 1, 4096);
}

PassResult TraceBindPass::run(ir::Module& module, PassContext& context) {
  bool changed = !module.has(ir::Facet::Bound);
  if (module.covers.empty()) return PassResult::unchanged();
  std::optional<binding::AlternativeGraph> graph;
  for (size_t index = 0; index < module.timelines.size(); ++index) {
    const Timeline& timeline = module.timelines[index];
    if (module.coverOfRun(timeline.label)) continue;
    if (module.target.empty()) module.target = timeline.target;
    const auto& operators = context.analyses.get<ir::OperatorGraph>();
    if (!graph) graph.emplace(module, operators, module.covers.front());
    if (context.progress)
      context.progress("binding", static_cast<double>(index) / static_cast<double>(module.timelines.size()));
    binding::TimelineBinder binder(module, operators, *graph, static_cast<size_t>(beamWidth_));
    auto cover = binder.bind(timeline);
    if (!cover) {
      context.diagnostics.error(DiagId::IrInvariant, OnnxLocation{module.modelName, "", "", ""},
                                "the operators of the graph depend on each other in a cycle");
      return PassResult::failed();
    }
    const binding::BindCounts& counts = binder.counts();
    boundEvents_ += counts.boundEvents;
    unboundEvents_ += counts.unboundEvents;
    boundKernels_ += counts.boundKernels;
    missedKernels_ += counts.missedKernels;
    searchedIterations_ += counts.searchedIterations;
    transferredIterations_ += counts.transferredIterations;
    expandedStates_ += counts.expandedStates;
    matchedFrames_ += counts.matchedFrames;
    redecided_ += static_cast<int64_t>(binder.details().decisions.size());
    remark(module, timeline, *cover, binder, context);
    // `graph` reads the default cover only in its constructor, so that a new cover may move it.
    module.covers.push_back(std::move(*cover));
    changed = true;
  }
  module.establish(ir::Facet::Bound);
  return changed ? PassResult::changed() : PassResult::unchanged();
}

void TraceBindPass::remark(const ir::Module& module, const Timeline& timeline, const ir::Cover& cover,
                           const binding::TimelineBinder& binder, PassContext& context) const {
  const auto atNode = [&](const ir::Kernel& kernel) {
    return OnnxLocation{module.modelName, "", module.displayName(kernel.anchor()), ""};
  };
  const auto atEvent = [&](EventIndex event) {
    return TraceLocation{timeline.file, std::nullopt, timeline.startNs[event]};
  };
  const auto& details = binder.details();
  const auto isRepresentative = [&](EventIndex event) {
    return timeline.iteration[event] == details.representativeIteration;
  };
  const auto label = [&](const ir::Kernel& kernel) {
    return kernel.candidate ? module.rules.rules[module.candidates[*kernel.candidate].rule].name
                            : std::string(module.text(module.ops[kernel.anchor()].type));
  };
  // Kernel names with template arguments can be very long.
  const auto shortName = [&](EventIndex event) {
    constexpr size_t kShown = 72;
    const std::string_view name = timeline.text(timeline.name[event]);
    return name.size() <= kShown ? std::string(name) : std::string(name.substr(0, kShown)) + "...";
  };
  const ir::BoundFacet& facts = *cover.facets.get<ir::BoundFacet>();
  if (context.wants(RemarkKind::Passed)) {
    for (const ir::Kernel& kernel : cover.kernels) {
      for (const ir::BoundEvent& bound : facts.kernels[kernel.id].events) {
        if (!isRepresentative(bound.event)) continue;
        context.remark(RemarkKind::Passed, atNode(kernel),
                       fmt::format("kernel {} `{}` runs as `{}` ({} ns) by {}, confidence 0.{:03}", kernel.id.index(),
                                   label(kernel), shortName(bound.event), timeline.durationNs[bound.event],
                                   ir::toString(bound.evidence), std::min<int>(bound.confidencePermille, 999)));
      }
    }
  }
  if (context.wants(RemarkKind::Missed)) {
    for (const ir::Kernel& kernel : cover.kernels) {
      const ir::KernelBinding& binding = facts.kernels[kernel.id];
      if (binding.missReason)
        context.remark(RemarkKind::Missed, atNode(kernel),
                       fmt::format("kernel {} `{}` has no event: {}", kernel.id.index(), label(kernel),
                                   ir::describe(module, kernel, *binding.missReason)));
    }
    for (const ir::UnboundEvent& unbound : facts.unbound) {
      if (!isRepresentative(unbound.event)) continue;
      context.remark(
          RemarkKind::Missed, atEvent(unbound.event),
          fmt::format("`{}` ({} ns) is unbound ({}): {}", shortName(unbound.event), timeline.durationNs[unbound.event],
                      ir::info(unbound.reason.kind).reportClass, ir::describe(module, unbound.reason)));
    }
  }
  if (!context.wants(RemarkKind::Analysis)) return;
  const TraceLocation trace{timeline.file, std::nullopt, std::nullopt};
  context.remark(RemarkKind::Analysis, trace,
                 fmt::format("launches follow {}; weight dimensions {} compared",
                             details.order == binding::OrderKind::Model ? "the order of the model's nodes"
                                                                        : "the order of operands",
                             details.weightsCompared ? "are" : "differ throughout and are not"));
  for (const auto& frame : details.frames) {
    context.remark(RemarkKind::Analysis, trace,
                   frame.matched && frame.scope.empty() ? fmt::format("module frame `{}` is the model", frame.frame)
                   : frame.matched ? fmt::format("module frame `{}` is scope `{}`", frame.frame, frame.scope)
                                   : fmt::format("module frame `{}` has no scope in the graph", frame.frame));
  }
  const auto names = [&](const std::vector<ir::CandidateId>& candidates) {
    std::vector<std::string> texts;
    for (const ir::CandidateId id : candidates)
      texts.push_back(fmt::format("`{}` at {}", module.rules.rules[module.candidates[id].rule].name,
                                  module.displayName(module.candidates[id].anchor)));
    return texts.empty() ? std::string("none") : fmt::format("{}", fmt::join(texts, ", "));
  };
  for (const auto& decision : details.decisions) {
    context.remark(RemarkKind::Analysis, trace,
                   fmt::format("conflict component {}: the run used {} instead of {}", decision.component,
                               names(decision.byTrace), names(decision.byDefault)));
  }
  if (details.refused > 0)
    context.remark(
        RemarkKind::Analysis, trace,
        fmt::format("{} candidates that the alignment used would close a cycle between kernels", details.refused));
}

}  // namespace amdahlc
