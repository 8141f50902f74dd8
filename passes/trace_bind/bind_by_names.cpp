#include "passes/trace_bind/bind_search.h"

namespace amdahlc::binding {

namespace {

constexpr ir::EvidenceSet kNameAndOrder =
    static_cast<ir::EvidenceSet>(ir::Evidence::Name) | static_cast<ir::EvidenceSet>(ir::Evidence::Order);

}  // namespace

void bindByNames(const ir::Module& module, const ir::Cover& cover, const Launches& launches, RuleLaunches& rules,
                 ir::BoundFacet& facts) {
  for (size_t iteration = 0; iteration < launches.iterations().size(); ++iteration) {
    const auto all = launches.launches(iteration);
    const auto calls = launches.calls(iteration);  // one per launch
    std::vector<bool> taken(all.size(), false);
    // Of each rule, the launch at which its next kernel begins to look: those before are taken or do not fit.
    IdVector<ir::RuleId, size_t> next(module.rules.rules.size(), 0);
    for (const ir::Kernel& kernel : cover.kernels) {
      if (!kernel.candidate) continue;
      const ir::RuleId rule = module.candidates[*kernel.candidate].rule;
      if (module.rules.rules[rule].noDeviceWork) continue;
      for (size_t& at = next[rule]; at < all.size(); ++at) {
        if (taken[at]) continue;
        const LaunchMatch match = rules.match(rule, all, at);
        bool free = match.fit != Fit::None;
        for (size_t i = at; free && i < at + match.length; ++i) free = !taken[i];
        if (!free) continue;
        for (size_t i = at; i < at + match.length; ++i) {
          taken[i] = true;
          for (const EventIndex event : calls[i].events)
            facts.kernels[kernel.id].events.push_back({event, kNameAndOrder, 0});
        }
        break;
      }
    }
    for (size_t i = 0; i < all.size(); ++i) {
      if (taken[i]) continue;
      ir::UnboundReason reason;
      reason.kind = ir::UnboundReason::Kind::NoRule;
      for (const EventIndex event : calls[i].events) facts.unbound.push_back({event, ir::kRootScope, reason});
    }
  }
}

}  // namespace amdahlc::binding
