// Binding by kernel names and order alone, for rules that say `evidence names`.
//
// Each kernel of the default cover, in order of its id, takes the first launches that no kernel before it took and that
// fit its rule, in every iteration. Nothing is weighed, and nothing is ambiguous.
#include "passes/trace_bind/binder.h"

namespace amdahlc::binding {

namespace {

class NameBinder : public Binder {
 public:
  explicit NameBinder(const BindInput& input) : input_(input) {}

  std::optional<IdVector<ir::KernelId, ir::Kernel>> chooseKernels(ObservedRun& run) override {
    run_ = &run;
    input_.result.remarks.push_back(describeOrder(OrderKind::Model, false));
    return input_.graph.grouping().kernels;
  }

  void bind(const ir::Cover& cover, ir::BoundFacet& facts) override {
    for (size_t iteration = 0; iteration < run_->launches.iterations().size(); ++iteration)
      bindIteration(iteration, cover, facts);
    addOutside(*run_, cover, Instances(), facts);
    facts.fit.emplace();
    facts.fit->namesOnly = true;
    facts.fit->evidence = recordedEvidence(run_->launches);
  }

 private:
  void bindIteration(size_t iteration, const ir::Cover& cover, ir::BoundFacet& facts) const {
    constexpr ir::EvidenceSet kNameAndOrder =
        static_cast<ir::EvidenceSet>(ir::Evidence::Name) | static_cast<ir::EvidenceSet>(ir::Evidence::Order);
    const ir::Module& module = input_.graph.module();
    const auto all = run_->launches.launches(iteration);
    const auto calls = run_->launches.calls(iteration);  // one per launch
    std::vector<bool> taken(all.size(), false);
    // Of each rule, the launch at which its next kernel begins to look: those before are taken or do not fit.
    IdVector<ir::RuleId, size_t> next(module.rules.rules.size(), 0);
    for (const ir::Kernel& kernel : cover.kernels) {
      if (!kernel.candidate) continue;
      const ir::RuleId rule = module.candidates[*kernel.candidate].rule;
      if (module.rules.rules[rule].noDeviceWork) continue;
      for (size_t& at = next[rule]; at < all.size(); ++at) {
        if (taken[at]) continue;
        const LaunchMatch match = run_->rules.match(rule, all, at);
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
    ir::UnboundReason reason;
    reason.kind = ir::UnboundReason::Kind::NoRule;
    for (size_t i = 0; i < all.size(); ++i)
      for (const EventIndex event : calls[i].events)
        if (!taken[i]) facts.unbound.push_back({event, ir::kRootScope, reason});
  }

  const BindInput input_;
  ObservedRun* run_ = nullptr;
};

/// Whether all rules with candidates say that they bind by kernel names only.
bool haveNamesOnly(const ir::RuleSet& rules, const IdVector<ir::RuleId, bool>& active) {
  bool any = false;
  for (const ir::RuleId rule : rules.rules.ids()) {
    if (!active[rule] || rules.rules[rule].noDeviceWork) continue;
    if (!rules.rules[rule].namesOnly) return false;
    any = true;
  }
  return any;
}

}  // namespace

std::unique_ptr<Binder> bindsByNames(const BindInput& input) {
  if (!haveNamesOnly(input.graph.module().rules, input.graph.activeRules())) return nullptr;
  return std::make_unique<NameBinder>(input);
}

}  // namespace amdahlc::binding
