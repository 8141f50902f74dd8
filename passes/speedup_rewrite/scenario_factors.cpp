#include "passes/speedup_rewrite/scenario_factors.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/facets/timed.h"
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

class Resolver {
 public:
  Resolver(const ir::Module& module, const ir::Scenario& scenario, const std::vector<PredictedRun>& runs,
           int64_t& changedKernels, PassContext& context)
      : module_(module), scenario_(scenario), runs_(runs), changedKernels_(changedKernels), context_(context) {
    for (const PredictedRun& run : runs)
      factors_.push_back({{{module.cover(run.cover).kernels.size(), Rational{1, 1}}, Rational{1, 1}}, {}});
    for (const PredictedRun& run : runs) names_.push_back(&run.names);
  }

  std::optional<std::vector<ScenarioFactors>> resolve() {
    bool ok = true;
    for (const ir::SpeedupRequest& request : scenario_.requests)
      ok &=
          ir::subjectOf(request.kind) == ir::SelectorSubject::Kernels ? resolveKernels(request) : resolveOther(request);
    if (!ok) return std::nullopt;
    return std::move(factors_);
  }

 private:
  bool resolveKernels(const ir::SpeedupRequest& asked) {
    const ir::SpeedupRequest request = withKind(asked, names_);
    size_t named = 0, changed = 0;
    for (size_t i = 0; i < runs_.size(); ++i) {
      const ir::Cover& cover = module_.cover(runs_[i].cover);
      const ir::TimedFacet& timed = *cover.facets.get<ir::TimedFacet>();
      for (const ir::KernelId kernel : runs_[i].names.select(request)) {
        ++named;
        const auto factor = factorFor(request, timed.kernels[kernel].totalNs, timed.run.iterations);
        if (!factor) continue;
        factors_[i].device.kernels[kernel] = *factor;
        if (context_.wantsDebug())
          context_.debug(fmt::format("scenario `{}`, run `{}`: `{}` gives kernel {} the factor {}", scenario_.name,
                                     cover.name, ir::spelled(asked.kind, asked.selector), kernel.index(),
                                     factor->toString()));
        ++changed;
      }
    }
    changedKernels_ += static_cast<int64_t>(changed);
    if (named == 0) {
      std::vector<std::string> words;
      for (const KernelNames* const one : names_)
        for (std::string& word : one->vocabulary(asked.kind)) words.push_back(std::move(word));
      return fail(request, fmt::format("`{}` selects no kernel{}", ir::spelled(asked.kind, asked.selector),
                                       didYouMean(request.selector, words)));
    }
    if (changed == 0)
      context_.diagnostics.warning(DiagId::SpeedupWithoutTime, request.range,
                                   fmt::format("`{}` selects {} without measured time; the prediction does not change",
                                               ir::spelled(asked.kind, asked.selector), plural(named, "kernel")));
    if (context_.wants(RemarkKind::Passed))
      context_.remark(RemarkKind::Passed, request.range,
                      fmt::format("`{}` selects {} kernels in scenario `{}`", ir::spelled(asked.kind, asked.selector),
                                  named, scenario_.name));
    return true;
  }

  bool resolveOther(const ir::SpeedupRequest& request) {
    const std::string spelled = ir::spelled(request.kind, request.selector);
    if (!request.factor)
      return fail(request, fmt::format("`{}` takes a factor such as `2x`, or `0`, and no time", spelled));
    const Rational factor = *request.factor;
    if (request.kind == ir::SelectorKind::Device) {
      setDevice(factor);
      return true;
    }
    if (std::none_of(runs_.begin(), runs_.end(), [](const PredictedRun& run) { return run.model != nullptr; })) {
      context_.diagnostics.warning(
          DiagId::SpeedupWithoutTime, request.range,
          fmt::format("`{}` changes nothing that is known: no run has host events that launched its device work",
                      spelled));
      return true;
    }
    if (request.kind == ir::SelectorKind::HostOperator && !isHostOperator(request)) return false;
    for (ScenarioFactors& one : factors_) {
      if (request.kind == ir::SelectorKind::Host) one.host.host = factor;
      if (request.kind == ir::SelectorKind::Launches) one.host.launches = factor;
      if (request.kind == ir::SelectorKind::HostOperator) one.host.operators.push_back({request.selector, factor});
    }
    return true;
  }

  void setDevice(const Rational& factor) {
    for (size_t i = 0; i < runs_.size(); ++i) {
      const ir::TimedFacet& timed = *module_.cover(runs_[i].cover).facets.get<ir::TimedFacet>();
      factors_[i].device.unbound = factor;
      for (const ir::KernelId kernel : factors_[i].device.kernels.ids()) {
        if (timed.kernels[kernel].totalNs == 0) continue;
        factors_[i].device.kernels[kernel] = factor;
        ++changedKernels_;
      }
    }
  }

  bool isHostOperator(const ir::SpeedupRequest& request) {
    std::vector<std::string> words;
    for (const PredictedRun& run : runs_) {
      if (run.model == nullptr) continue;
      for (std::string& name : hostOperatorNames(*run.model)) words.push_back(std::move(name));
    }
    if (std::find(words.begin(), words.end(), request.selector) != words.end()) return true;
    return fail(request, fmt::format("`{}` selects no operator on the host{}",
                                     ir::spelled(request.kind, request.selector), didYouMean(request.selector, words)));
  }

  bool fail(const ir::SpeedupRequest& request, const std::string& message) {
    context_.diagnostics.error(DiagId::SpeedupSelectsNothing, request.range, message);
    return false;
  }

  const ir::Module& module_;
  const ir::Scenario& scenario_;
  const std::vector<PredictedRun>& runs_;
  int64_t& changedKernels_;
  PassContext& context_;
  std::vector<const KernelNames*> names_;
  std::vector<ScenarioFactors> factors_;
};

}  // namespace

std::optional<std::vector<ScenarioFactors>> resolveScenario(const ir::Module& module, const ir::Scenario& scenario,
                                                            const std::vector<PredictedRun>& runs,
                                                            int64_t& changedKernels, PassContext& context) {
  return Resolver(module, scenario, runs, changedKernels, context).resolve();
}

bool isAboutHostOnly(const ir::Scenario& scenario) {
  return !scenario.requests.empty() &&
         std::all_of(scenario.requests.begin(), scenario.requests.end(), [](const ir::SpeedupRequest& request) {
           return request.kind == ir::SelectorKind::Host || request.kind == ir::SelectorKind::Launches ||
                  request.kind == ir::SelectorKind::HostOperator;
         });
}

}  // namespace amdahlc
