// Before: a scenario says `sdpa=2x`.                After: it has a prediction per run.
//
//   kernels 3 and 11 (label sdpa): factor 1/2         busy 98 us -> 88 2/3 us, wall 3218 us -> 3208 2/3 us
//
// Measured facts do not change: a scenario stores its predictions separately. If two requests select one kernel, the
// later one counts. A request that selects no kernel in any run is an error, because its author expects an effect.

#include "passes/speedup_rewrite/speedup_rewrite_pass.h"

#include <fmt/format.h>

#include "ir/facets/timed.h"
#include "ir/kernel_graph.h"
#include "passes/speedup_rewrite/report_what_if.h"
#include "support/edit_distance.h"
#include "support/plural.h"

namespace amdahlc {
namespace {

/// New time / old time. A fixed time is per iteration. nullopt for a kernel that took no time, because no factor
/// changes it.
std::optional<Rational> factorFor(const ir::SpeedupRequest& request, int64_t totalNs, int64_t iterations) {
  if (totalNs == 0) return std::nullopt;
  if (request.factor) return request.factor;
  if (*request.fixedNs == 0) return Rational{0, 1};
  return Rational::of(*request.fixedNs, totalNs) * Rational::of(iterations);
}

}  // namespace

SpeedupRewritePass::SpeedupRewritePass()
    : changedKernels_(statistic("changed-kernels", "kernels with a new time, over all scenarios and runs")),
      predictions_(statistic("predictions", "scenarios times runs")) {
  runsByDefault();
  needsInput(PassInput::Trace);
  needsInput(PassInput::Speedups);
  reports(whatIfSection());
  requiresFacet(ir::Facet::Timed);
  establishesFacet(ir::Facet::Scenarios);
}

/// Computes the factors of each timed cover (parallel to `names`). False if a request selects no kernel.
bool SpeedupRewritePass::resolve(const ir::Module& module, const ir::Scenario& scenario,
                                 const std::vector<KernelNames>& names, std::vector<KernelFactors>& factors,
                                 PassContext& context) {
  bool ok = true;
  for (const ir::SpeedupRequest& asked : scenario.requests) {
    const ir::SpeedupRequest request = withKind(asked, names);
    size_t named = 0, changed = 0, cover = 0;
    for (const ir::Cover& candidate : module.covers) {
      const auto* timed = candidate.facets.get<ir::TimedFacet>();
      if (timed == nullptr) continue;
      for (ir::KernelId kernel : names[cover].select(request)) {
        ++named;
        const auto factor = factorFor(request, timed->kernels[kernel].totalNs, timed->run.iterations);
        if (!factor) continue;
        factors[cover][kernel] = *factor;
        if (context.wantsDebug())
          context.debug(fmt::format("scenario `{}`, run `{}`: `{}` gives kernel {} the factor {}", scenario.name,
                                    candidate.name, ir::spelled(asked.kind, asked.selector), kernel.index(),
                                    factor->toString()));
        ++changed;
      }
      ++cover;
    }
    changedKernels_ += static_cast<int64_t>(changed);
    if (named == 0) {
      std::vector<std::string> words;
      for (const KernelNames& one : names)
        for (std::string& word : one.vocabulary(asked.kind)) words.push_back(std::move(word));
      context.diagnostics.error(DiagId::SpeedupSelectsNothing, request.range,
                                fmt::format("`{}` selects no kernel{}", ir::spelled(asked.kind, asked.selector),
                                            didYouMean(request.selector, words)));
      ok = false;
    } else if (changed == 0) {
      context.diagnostics.warning(DiagId::SpeedupWithoutTime, request.range,
                                  fmt::format("`{}` selects {} without measured time; the prediction does not change",
                                              ir::spelled(asked.kind, asked.selector), plural(named, "kernel")));
    }
    if (context.wants(RemarkKind::Passed))
      context.remark(RemarkKind::Passed, request.range,
                     fmt::format("`{}` selects {} kernels in scenario `{}`", ir::spelled(asked.kind, asked.selector),
                                 named, scenario.name));
  }
  return ok;
}

PassResult SpeedupRewritePass::run(ir::Module& module, PassContext& context) {
  std::vector<ir::CoverId> covers;
  std::vector<KernelNames> names;
  for (const ir::CoverId id : module.coverIds()) {
    const ir::Cover& cover = module.cover(id);
    if (!cover.facets.get<ir::TimedFacet>()) continue;
    covers.push_back(id);
    names.emplace_back(module, cover);
  }

  bool ok = true;
  std::vector<ir::ScenariosFacet> facts(covers.size());
  for (const ir::Scenario& scenario : module.scenarios) {
    std::vector<KernelFactors> factors;
    for (const ir::CoverId id : covers) factors.emplace_back(module.cover(id).kernels.size(), Rational{1, 1});
    if (!resolve(module, scenario, names, factors, context)) {
      ok = false;
      continue;
    }
    for (size_t i = 0; i < covers.size(); ++i) {
      const auto& graph = context.analyses.get<ir::KernelGraph>(covers[i]);
      ir::Prediction prediction = predict(module, module.cover(covers[i]), graph, factors[i]);
      prediction.scenario = scenario.name;
      facts[i].predictions.push_back(std::move(prediction));
      ++predictions_;
    }
  }
  if (!ok) return PassResult::failed();
  bool changed = !module.has(ir::Facet::Scenarios);
  for (size_t i = 0; i < covers.size(); ++i) changed |= module.cover(covers[i]).facets.replace(std::move(facts[i]));
  module.establish(ir::Facet::Scenarios);
  return changed ? PassResult::changed() : PassResult::unchanged();
}

}  // namespace amdahlc
