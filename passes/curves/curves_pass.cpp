// Before: kernels have times.                        After: a run has its times against the factor of a group.
//
//   wall |\                                            linear: 1x 100 us, 2x 80 us, 4x 80 us, free 80 us
//        | \_______                                    knee 2x, next: host
//        |________________ factor of `linear`
//        1     1/2      0
//
// Wall time is replayed where the run has a schedule. With idle time kept it is a straight line, which has no knee.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "passes/curves/curves_analysis.h"
#include "passes/manager/showing_pass.h"

namespace amdahlc {

class CurvesPass : public ShowingPass<CurvesAnalysis> {
 public:
  CurvesPass() {
    runsByDefault(DefaultUse::IfAskedFor);
    needsInput(PassInput::Trace);
    requiresFacet(ir::Facet::Timed);
    usesIfBefore("schedule");
    list(
        "groups",
        {"Name the groups whose curves are drawn.",
         "Selectors are those of `-what-if=`. Without any it is the labels with the most time, `launches` and `host`."},
        selectors_);
    addsCommandOption({.name = "curve",
                       .argument = "selector",
                       .summary = "Predict the times of the run against the speed-up of a group.",
                       .details =
                           "The selector is one of `-what-if=`. The curve has its knee, and what limits then. The "
                           "option may be repeated.",
                       .sets = "groups",
                       .asksForPass = true});
  }

 private:
  std::optional<CurvesAnalysis::Options> optionsFor(const ir::Module& module, PassContext& context) override {
    auto groups = groupsOf(module, selectors_, *findOption("groups"), context);
    if (!groups) return std::nullopt;
    return CurvesAnalysis::Options{std::move(*groups)};
  }

  void tell(const ir::Module&, ir::CoverId, const CurvesAnalysis& facts, PassContext&) override {
    curves_ += static_cast<int64_t>(facts.curves.size());
    predictions_ += facts.predictions;
  }

  std::vector<std::string> selectors_;
  int64_t& curves_ = statistic("curves", "groups times runs");
  int64_t& predictions_ = statistic("predictions", "times predicted");
};

std::unique_ptr<Pass> makeCurvesPass() { return std::make_unique<CurvesPass>(); }

}  // namespace amdahlc
