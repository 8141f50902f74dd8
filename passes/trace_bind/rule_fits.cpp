// Which rules fit the launches of a call.

#include <map>

#include "passes/trace_bind/evidence.h"

namespace amdahlc::binding {

void Scorer::fitRules() {
  fits_.resize(features_.size());
  bestRule_.resize(features_.size());
  for (uint32_t kind = 0; kind < features_.size(); ++kind) {
    const auto [iteration, index] = example_[kind];
    const Call& example = launches_.calls(iteration)[index];
    // No node stands for a copy to the host.
    if (example.spill || features_[kind].readsScalar) continue;
    const auto all = launches_.launches(iteration);
    std::map<ir::RuleId, RuleFit> fits;
    Fit strongest = Fit::Any;
    for (uint32_t at = example.first; at < example.first + example.count; ++at) {
      for (const ir::RuleId rule : rules_.startable(all[at].signature)) {
        const auto [entry, isNew] = fits.try_emplace(rule);
        if (!isNew) continue;
        entry->second = rules_.fit(rule, iteration, index);
        if (entry->second.fit <= strongest) continue;
        strongest = entry->second.fit;
        bestRule_[kind] = rule;
      }
    }
    fits_[kind].assign(fits.begin(), fits.end());
  }
}

}  // namespace amdahlc::binding
