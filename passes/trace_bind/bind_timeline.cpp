#include "passes/trace_bind/bind_timeline.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "passes/trace_bind/binder.h"
#include "passes/trace_bind/choose_cover.h"
#include "support/limits.h"

namespace amdahlc::binding {

namespace {

/// The first one that is not null binds the run.
constexpr std::unique_ptr<Binder> (*kBinders[])(const BindInput&) = {bindsByNames, bindsByNodes, bindsByAlignment};

void count(const ir::BoundFacet& facts, BindCounts& counts) {
  counts.unboundEvents = static_cast<int64_t>(facts.unbound.size());
  for (const ir::KernelBinding& kernel : facts.kernels) {
    counts.boundEvents += static_cast<int64_t>(kernel.events.size());
    counts.boundKernels += kernel.state == ir::KernelState::Bound;
    counts.missedKernels += kernel.state == ir::KernelState::Unbound;
  }
}

}  // namespace

std::string describeOrder(OrderKind order, bool weightsCompared) {
  return fmt::format("launches follow {}; weight dimensions {} compared", name(order),
                     weightsCompared ? "are" : "differ throughout and are not");
}

BoundRun bindTimeline(const AlternativeGraph& graph, const Timeline& timeline, const BindOptions& options) {
  const ir::Module& module = graph.module();
  BoundRun result;
  std::unique_ptr<Binder> binder;
  for (const auto& make : kBinders)
    if (!binder) binder = make({graph, timeline, options, result});
  Launches launches = observeLaunches(graph, timeline, !binder->readsCalls());
  const size_t tests = RuleLaunches::testsOf(module.rules, graph.activeRules()), kinds = launches.signatures().size();
  if (tests > limits::kKernelTestsPerLaunch && tests * kinds > limits::kFreeKernelTests) {
    result.excess.emplace(tests, kinds);
    return result;
  }
  ObservedRun run(graph, std::move(launches));
  auto kernels = binder->chooseKernels(run);
  if (!kernels) return result;
  ir::Cover cover;
  cover.name = cover.traceLabel = timeline.label;
  cover.kernels = std::move(*kernels);
  ir::BoundFacet facts;
  facts.kernels.resize(cover.kernels.size());
  binder->bind(cover, facts);
  setStates(run, cover, facts);
  for (std::string& decision : describeDecisions(module, graph.grouping().kernels, cover.kernels)) {
    result.remarks.push_back(std::move(decision));
    ++result.counts.redecided;
  }
  binder->explain(cover, facts);
  count(facts, result.counts);
  cover.facets.set(std::move(facts));
  result.cover = std::move(cover);
  return result;
}

}  // namespace amdahlc::binding
