// Before: candidates, the default cover, timelines.      After: one cover per timeline, with events in its kernels.
//
//   candidates 0 sdpa [4..9], 1 matmul [6], 2 ...        cover "eager": kernel 3 "matmul" events [7], kernel 4 ...
//   default: kernel 3 "sdpa"                             cover "flash": kernel 3 "sdpa" events [7]
//
// Framework calls are aligned with the units of the graph; which candidates ran is decided by the same alignment. What
// is not probable enough stays ambiguous. docs/passes/trace-bind.md describes the evidence.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "ir/applicability.h"
#include "ir/kernel_graph.h"
#include "passes/manager/pass.h"
#include "passes/trace_bind/bind_by_calls.h"
#include "passes/trace_bind/bind_timeline.h"
#include "passes/trace_bind/fit_text.h"
#include "passes/trace_bind/generated_code.h"
#include "passes/trace_bind/kernel_test.h"
#include "passes/trace_bind/recorded_scopes.h"
#include "replay/timeline/guessed_iterations.h"
#include "support/edit_distance.h"
#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

/// Reports why no cover was found.
void reportUnbindable(const ir::Module& module, const Timeline& timeline,
                      const std::optional<std::pair<size_t, size_t>>& excess, DiagnosticEngine& diagnostics) {
  if (!excess) {
    diagnostics.error(DiagId::IrInvariant, OnnxLocation{module.modelName, "", "", ""},
                      "the operators of the graph depend on each other in a cycle");
    return;
  }
  const auto [tests, kinds] = *excess;
  diagnostics
      .error(DiagId::TooManyMatches, TraceLocation{timeline.file, std::nullopt, std::nullopt},
             fmt::format("rules with a match have {} tests of kernels, and the run has {} kinds of launches: {} tests "
                         "of kernels; the limit is the larger of {} and {} for each kind of launch",
                         tests, kinds, tests * kinds, limits::kFreeKernelTests, limits::kKernelTestsPerLaunch))
      .note("`-disable-rule=` leaves out rules, `-steps=` parts of the run");
}

struct CountRow {
  int64_t binding::BindCounts::* count;
  const char* name;
  const char* description;
};
using binding::BindCounts;
constexpr CountRow kCounts[] = {
    {&BindCounts::boundEvents, "bound-events", "selected events bound to a kernel"},
    {&BindCounts::unboundEvents, "unbound-events", "selected events without a kernel"},
    {&BindCounts::boundKernels, "bound-kernels", "kernels with events"},
    {&BindCounts::missedKernels, "missed-kernels", "kernels with expected device work but no event"},
    {&BindCounts::alignedSegments, "aligned-segments", "distinct forwards or iterations that were aligned"},
    {&BindCounts::transferredSegments, "transferred-segments",
     "forwards or iterations that take the binding of an equal one"},
    {&BindCounts::cells, "alignment-cells", "pairs of a call and a position of the graph that alignments looked at"},
    {&BindCounts::redecided, "redecided-components",
     "conflict components with other candidates than in the default cover"},
};

void remark(const ir::Module& module, const Timeline& timeline, const binding::BoundRun& bound, PassContext& context) {
  const ir::Cover& cover = *bound.cover;
  const auto atNode = [&](const ir::Kernel& kernel) {
    return OnnxLocation{module.modelName, "", module.displayName(kernel.anchor()), ""};
  };
  const auto atEvent = [&](EventIndex event) {
    return TraceLocation{timeline.file, std::nullopt, timeline.startOf(event)};
  };
  // Iterations of one sequence have the same remarks.
  const auto first =
      std::ranges::find_if(timeline.iterations, [](const Iteration& iteration) { return iteration.selected(); });
  const auto isRepresentative = [&](EventIndex event) {
    return timeline.iteration[event] == first - timeline.iterations.begin();
  };
  const auto label = [&](const ir::Kernel& kernel) {
    return kernel.candidate ? module.ruleOf(*kernel.candidate).name : ir::kernelLabel(module, kernel);
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
      for (const ir::BoundEvent& event : facts.kernels[kernel.id].events) {
        if (!isRepresentative(event.event)) continue;
        context.remark(RemarkKind::Passed, atNode(kernel),
                       fmt::format("kernel {} `{}` runs as `{}` ({} ns) by {}, confidence 0.{:03}", kernel.id.index(),
                                   label(kernel), shortName(event.event), timeline.durationNs[event.event],
                                   ir::describe(event.evidence), std::min<int>(event.confidencePermille, 999)));
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
                      ir::name(ir::info(unbound.reason.kind).state), ir::describe(module, cover, unbound.reason)));
    }
  }
  for (const std::string& text : bound.remarks)
    context.remark(RemarkKind::Analysis, TraceLocation{timeline.file, std::nullopt, std::nullopt}, text);
}

/// Binds a run. If its iterations are guessed, and it does not fit in them or their shapes differ, it is one iteration
/// of any number of forwards, if it fits then: equal layers of a model repeat a sequence of launches as well as
/// iterations do.
binding::BoundRun bindInIterations(const binding::AlternativeGraph& graph, Timeline& timeline,
                                   const binding::BindOptions& options) {
  const auto fits = [](const binding::BoundRun& run) {
    return run.cover && run.cover->facets.get<ir::BoundFacet>()->fit->fits;
  };
  const bool areGuessed = areIterationsGuessed(timeline);
  std::optional<binding::BoundRun> bound;
  if (!areGuessed || haveEqualShapes(timeline)) bound = binding::bindTimeline(graph, timeline, options);
  if (bound && (!areGuessed || !bound->cover || fits(*bound))) return std::move(*bound);
  Division guessed = divisionOf(timeline);
  takeAsOneIteration(timeline, kForwardsOfModel);
  if (binding::BoundRun whole = binding::bindTimeline(graph, timeline, options); fits(whole)) return whole;
  divide(timeline, std::move(guessed));
  return bound ? std::move(*bound) : binding::bindTimeline(graph, timeline, options);
}

__extension__ typedef __int128 Int128;

/// The gate of `-strict-bind`.
/// Reports each run whose trace does not fit the model, and each run of whose device time less than `limit` thousandths
/// of a percent are bound. The comparison is exact. Runs that were bound by names only are not tested for their fit.
/// Precondition: `bound`.
void checkBoundShare(const GateInput& input, DiagnosticEngine& diagnostics) {
  // Thousandths of a percent in the whole.
  constexpr int64_t kWhole = 100'000;
  const ir::Module& module = input.module;
  const int64_t limit = input.limit;
  for (const ir::Cover& cover : module.covers) {
    const auto* facts = cover.facets.get<ir::BoundFacet>();
    const Timeline* timeline = module.findTimeline(cover.traceLabel);
    if (facts == nullptr || timeline == nullptr) continue;
    const TraceLocation trace{timeline->file, std::nullopt, std::nullopt};
    const std::string run = fmt::format("run `{}`", printable(timeline->label));
    if (const std::string misfit = binding::describeMisfit(*facts->fit, module.modelName); !misfit.empty())
      diagnostics.error(DiagId::TraceOfAnotherModel, trace,
                        fmt::format("{}: {}; give the model that this trace is a run of", run, misfit));
    const auto times = binding::totalsByState(*timeline, *facts).ns;
    const int64_t bound = times[static_cast<size_t>(ir::EventState::Bound)];
    const int64_t device = std::accumulate(times.begin(), times.end(), int64_t{0});
    if (Int128{bound} * kWhole >= Int128{device} * limit) continue;
    // Rounded down, so that the share is below the limit as printed, too.
    const auto share = static_cast<int64_t>(Int128{bound} * kWhole / device);
    diagnostics
        .error(
            DiagId::BoundTooLittle, trace,
            fmt::format("{}: {} of {} ns of {} are bound, {} %, less than the {} % of `-strict-bind`", run, bound,
                        device, timeline->target.eventTimeName(), formatThousandths(share), formatThousandths(limit)))
        .note("`-emit=bindings` lists the events without a kernel, `-Rpass-missed=trace-bind` the reasons");
  }
}

}  // namespace

class TraceBindPass : public Pass {
 public:
  TraceBindPass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  int64_t thresholdPermille_ = binding::kDefaultThresholdPermille;
  std::vector<std::string> explain_;
  bool reportUnexplained(const ir::Module& module, const std::vector<bool>& explained, PassContext& context) const;

  /// In the order of `kCounts`.
  std::vector<int64_t*> statistics_;
};

TraceBindPass::TraceBindPass() {
  for (const CountRow& row : kCounts) statistics_.push_back(&statistic(row.name, row.description));
  runsByDefault();
  needsInput(PassInput::Trace);
  checksRules(binding::checkLaunches);
  addsCommandOption({.name = "bind-threshold",
                     .argument = "probability",
                     .summary = "Set the probability below which a binding is ambiguous.",
                     .details = "The default is 0.9.",
                     .maximum = 1,
                     .sets = "threshold"});
  addsCommandOption({.name = "explain-bind",
                     .argument = "node or event",
                     .summary = "Print what decided about `node:NAME` or `event:NUMBER`, and stop.",
                     .details = "This is the ways to bind it, with their scores and probabilities. The option may be "
                                "repeated.",
                     .sets = "explain",
                     .explains = true});
  addsCommandOption({.name = "strict-bind",
                     .argument = "percent",
                     .summary = "Fail if less than this part of a run's device time is bound.",
                     .details =
                         "A trace that does not fit the model fails, too. Outputs are written, and the exit code "
                         "is 3.",
                     .maximum = 100,
                     .isPercent = true,
                     .gate = Gate{.needs = ir::Facet::Bound, .check = checkBoundShare}});
  requiresFacet(ir::Facet::Fused);
  requiresHostEvents([](const ir::Module& module, const Timeline& timeline) {
    return module.coverOfRun(timeline.label) == nullptr;  // a bound run stays as it is
  });
  establishesFacet(ir::Facet::Bound);
  printsAnalysis({"binding", "events of each kernel with their probability and evidence, and why others have none",
                  ir::Facet::Bound, binding::printBinding, coversOfRuns});
  list("explain", "Print what decided about `node:NAME` or `event:NUMBER`.", explain_);
  integer("threshold", "Set the probability below which a binding is ambiguous, in thousandths.", thresholdPermille_, 0,
          1000);
}

PassResult TraceBindPass::run(ir::Module& module, PassContext& context) {
  bool changed = !module.has(ir::Facet::Bound);
  if (module.covers.empty()) return PassResult::unchanged();
  std::vector<binding::Subject> subjects;
  for (const std::string& text : explain_) subjects.push_back(binding::readSubject(module, text));
  std::vector<bool> explained(subjects.size(), false);
  // One for each set of rules that apply to a run.
  std::vector<std::unique_ptr<binding::AlternativeGraph>> graphs;
  bool binds = false, weighs = false;
  for (size_t index = 0; index < module.timelines.size(); ++index) {
    Timeline& timeline = module.timelines[index];
    if (module.coverOfRun(timeline.label)) continue;
    if (module.target.empty()) module.target = timeline.target;
    const auto& operators = context.analyses.get<ir::OperatorGraph>();
    const auto admitted = rulesOn(module.rules, timeline.target);
    if (context.progress)
      context.progress("binding", static_cast<double>(index) / static_cast<double>(module.timelines.size()));
    binding::BoundRun bound;
    if (module.isRecorded()) {
      // As the trace was read for the program.
      if (timeline.host) dropUnconfirmedIterations(timeline);
      const auto& programs = context.analyses.options<binding::ProgramsOfRuns>();
      const auto known = programs.find(timeline.label);
      std::optional<program::Program> own;
      if (known == programs.end()) own.emplace(timeline);
      bound = binding::bindByCalls(module, operators, admitted, timeline, own ? *own : *known->second);
    }
    if (!bound.cover) {
      if (graphs.empty()) binding::addGeneratedCandidates(module, operators);
      const auto views = viewsOn(module.rules, timeline.target);
      auto graph = std::ranges::find_if(graphs, [&](const auto& known) {
        return known->grouping().admitted == admitted && known->grouping().views == views;
      });
      if (graph == graphs.end()) {
        auto grouping = groupingOn(module, operators, timeline.target);
        if (!grouping) {
          reportUnbindable(module, timeline, std::nullopt, context.diagnostics);
          return PassResult::failed();
        }
        graph = graphs.insert(graphs.end(),
                              std::make_unique<binding::AlternativeGraph>(module, operators, std::move(*grouping)));
      }
      bound = bindInIterations(**graph, timeline,
                               {static_cast<uint16_t>(thresholdPermille_), subjects, context.wantsDebug()});
    }
    if (!bound.cover) {
      reportUnbindable(module, timeline, bound.excess, context.diagnostics);
      return PassResult::failed();
    }
    if (!module.isRecorded()) binding::addRecordedScopes(module, timeline, bound);
    for (size_t i = 0; i < statistics_.size(); ++i) *statistics_[i] += bound.counts.*kCounts[i].count;
    remark(module, timeline, bound, context);
    const std::string name = fmt::format("run `{}`: ", printable(timeline.label));
    if (context.wantsDebug())
      for (const std::string& line : bound.debugLines) context.debug(name + line);
    for (size_t i = 0; i < bound.explanations.size(); ++i) {
      if (bound.explanations[i].empty()) continue;
      context.explain(name + bound.explanations[i]);
      explained[i] = true;
    }
    const ir::ModelFit& fit = *bound.cover->facets.get<ir::BoundFacet>()->fit;
    binds = true;
    weighs |= !fit.namesOnly && !fit.evidence.isStated();
    if (const std::string misfit = binding::describeMisfit(fit, module.modelName); !misfit.empty())
      context.diagnostics.warning(DiagId::TraceOfAnotherModel, TraceLocation{timeline.file, std::nullopt, std::nullopt},
                                  misfit);
    module.covers.push_back(std::move(*bound.cover));
    changed = true;
  }
  if (const auto place = findOption("threshold")->place; place && !weighs)
    context.diagnostics.warning(
        DiagId::OptionConflict, *place,
        fmt::format("the threshold is not used; {}",
                    binds ? "every run is bound by names, without probabilities" : "every run is bound already"));
  module.establish(ir::Facet::Bound);
  if (!reportUnexplained(module, explained, context)) return PassResult::failed();
  return changed ? PassResult::changed() : PassResult::unchanged();
}

/// Whether each subject is one of the model or of a run that was bound now.
bool TraceBindPass::reportUnexplained(const ir::Module& module, const std::vector<bool>& explained,
                                      PassContext& context) const {
  bool all = true;
  for (size_t i = 0; i < explained.size(); ++i) {
    if (explained[i]) continue;
    std::vector<std::string> names;
    for (const ir::OpId op : module.ops.ids()) names.push_back(module.displayName(op));
    const binding::Subject subject = binding::readSubject(module, explain_[i]);
    const auto* ops = std::get_if<std::vector<ir::OpId>>(&subject);
    const bool isNode = ops != nullptr && !ops->empty();
    context.diagnostics.error(
        DiagId::ExplainSelectsNothing, OnnxLocation{module.modelName, "", "", ""},
        isNode
            ? fmt::format("`{}` has no explanation, because no run was bound by evidence here", explain_[i])
            : fmt::format("`{}` is neither a node nor a selected event of a run that `trace-bind` bound by evidence{}",
                          explain_[i], didYouMean(explain_[i], names)));
    all = false;
  }
  return all;
}

std::unique_ptr<Pass> makeTraceBindPass() { return std::make_unique<TraceBindPass>(); }

}  // namespace amdahlc
