// A pass that reads host events is not started for a run that has none.
#include <doctest/doctest.h>

#include "passes/manager/pass_manager.h"

namespace amdahlc {
namespace {

/// Reads the host events of every run but those labelled `bound`.
class HostPass : public Pass {
 public:
  HostPass() {
    requiresHostEvents([](const ir::Module&, const Timeline& timeline) { return timeline.label != "bound"; });
  }
  PassResult run(ir::Module&, PassContext&) override { return PassResult::unchanged(); }
};

/// The messages of running the pass on runs of these labels, `host` saying whether they have host events.
std::vector<std::string> messages(const std::vector<std::pair<std::string, bool>>& runs) {
  PassRegistry registry({{"host", "reads host events", [] { return std::make_unique<HostPass>(); }}});
  Pipeline pipeline;
  for (const PassInfo& info : registry.passes()) pipeline.push_back({&info, info.create(), {}, {}});
  ir::Module module;
  module.graphs.emplace_back();
  for (const auto& [label, host] : runs) {
    Timeline timeline;
    timeline.label = label;
    timeline.file = label + ".json";
    timeline.contentHash = "00ff";
    if (host) timeline.host.emplace();
    module.timelines.push_back(std::move(timeline));
  }
  std::vector<std::string> out;
  DiagnosticEngine diagnostics([&](const Diagnostic& diagnostic) { out.push_back(diagnostic.message); });
  AnalysisManager analyses(module);
  const bool succeeded = PassManager(PassEnvironment{}).run(pipeline, module, analyses, diagnostics);
  CHECK(succeeded == out.empty());
  return out;
}

TEST_CASE("every run without host events that the pass needs is named, with its file and hash") {
  CHECK(messages({{"a", false}, {"b", true}, {"c", false}}) ==
        std::vector<std::string>{
            "pass `host` needs the host events of run `a`; IR text does not contain them; give the trace "
            "again with `-trace=a=a.json` (hash 00ff)",
            "pass `host` needs the host events of run `c`; IR text does not contain them; give the trace "
            "again with `-trace=c=c.json` (hash 00ff)"});
}

TEST_CASE("empty host events suffice, and runs that the pass does not read need none") {
  CHECK(messages({{"a", true}, {"bound", false}}).empty());
  CHECK(messages({}).empty());
}

}  // namespace
}  // namespace amdahlc
