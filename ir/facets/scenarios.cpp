#include "ir/facets/scenarios.h"

#include <cmath>

#include "ir/facets/kernel_rows.h"

namespace amdahlc::ir {

template <>
std::unique_ptr<StoredFacet> makeFacet<Facet::Scenarios>() {
  return std::make_unique<ScenariosFacet>();
}

void ScenariosFacet::print(TextWriter& out, const FacetOwner&) const {
  for (const Prediction& prediction : predictions) {
    (out.line() << "predict ").name(prediction.scenario) << " busy " << prediction.busyNs;
    if (prediction.wallNs) out << " wall " << *prediction.wallNs;
    out << " path " << prediction.pathNs;
    (out << " kernels ").numbers(prediction.path) << " factors ";
    const auto factor = [&](const std::pair<KernelId, Rational>& entry) {
      out << entry.first << " = " << entry.second.toString();
    };
    out.list(prediction.factors, factor, '{', '}');
    if (prediction.unboundFactor != Rational::of(1)) out << " unbound " << prediction.unboundFactor.toString();
  }
}

void ScenariosFacet::parseStatement(TextReader& in, const FacetOwner&) {
  if (!in.accept("predict")) return in.failExpected({"predict"});
  Prediction prediction;
  prediction.scenario = in.nameOrString("a scenario's name");
  in.expect("busy");
  prediction.busyNs = in.real("a time in ns");
  prediction.wallNs.reset();
  if (in.accept("wall")) prediction.wallNs = in.real("a time in ns");
  in.expect("path");
  prediction.pathNs = in.real("a time in ns");
  in.expect("kernels");
  prediction.path = in.kernelIds();
  in.expect("factors");
  in.list(
      [&] {
        const auto kernel = in.id<KernelId>("a kernel's id");
        in.expect("=");
        if (const auto factor = in.rational("a factor")) prediction.factors.emplace_back(kernel, *factor);
      },
      "{", "}");
  if (in.accept("unbound"))
    if (const auto factor = in.rational("a factor")) prediction.unboundFactor = *factor;
  predictions.push_back(std::move(prediction));
}

void ScenariosFacet::verify(const FacetOwner& owner, CoverReporter& reporter) const {
  const auto isKernel = [&](KernelId kernel) { return owner.cover.kernels.contains(kernel); };
  for (const Prediction& prediction : predictions) {
    bool known =
        strictlyAscending(prediction.path) && std::all_of(prediction.path.begin(), prediction.path.end(), isKernel);
    for (size_t i = 0; i < prediction.factors.size(); ++i) {
      known = known && isKernel(prediction.factors[i].first) &&
              (i == 0 || prediction.factors[i - 1].first < prediction.factors[i].first);
    }
    if (!known) reporter.cover("scenario `" + prediction.scenario + "`: kernels unknown or not ascending");
    if (prediction.wallNs.has_value() != owner.timeline->hasStarts)
      reporter.cover("scenario `" + prediction.scenario + "`: a wall time without starts, or none with them");
    for (const double ns : {prediction.busyNs, prediction.wallNs.value_or(0), prediction.pathNs}) {
      if (!std::isfinite(ns) || ns < 0)
        reporter.cover("scenario `" + prediction.scenario + "`: a time is negative or not finite");
    }
  }
  const bool match = std::equal(
      predictions.begin(), predictions.end(), owner.module.scenarios.begin(), owner.module.scenarios.end(),
      [](const Prediction& prediction, const Scenario& scenario) { return prediction.scenario == scenario.name; });
  if (!match) {
    reporter.cover(number(predictions.size()) + " predictions that are not those of the " +
                   number(owner.module.scenarios.size()) + " scenarios, in their order");
  }
}

}  // namespace amdahlc::ir
