// What the manager does about passes that misbehave, which no shipped pass can show.
#include "passes/manager/pass_manager.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "ir/verifier.h"
#include "passes/manager/pass_records.h"
#include "passes/manager/verifying.h"

namespace amdahlc {
namespace {

/// A pass that runs a function of the test.
class ScriptedPass : public Pass {
 public:
  using Script = std::function<PassResult(ir::Module&, PassContext&)>;
  explicit ScriptedPass(Script script) : script_(std::move(script)), runs_(statistic("runs", "times it ran")) {}
  PassResult run(ir::Module& module, PassContext& context) override {
    ++runs_;
    return script_(module, context);
  }

 private:
  Script script_;
  int64_t& runs_;
};

/// An analysis of the module alone.
struct Count {
  static constexpr const char* kName = "count";
  explicit Count(const ir::Module& module) : problems(module.dataProblems.size()) {}
  friend bool operator==(const Count&, const Count&) = default;
  size_t problems;
};

PassInfo scripted(std::string name, ScriptedPass::Script script) {
  return {std::move(name), "scripted", [script] { return std::make_unique<ScriptedPass>(script); }};
}

/// Runs the passes in order and stores their diagnostics.
struct Run {
  explicit Run(std::vector<PassInfo> infos) : registry(std::move(infos)) {
    module.graphs.emplace_back();
    for (const PassInfo& info : registry.passes()) pipeline.push_back({&info, info.create(), {}, {}});
  }
  bool go() { return manager.run(pipeline, module, analyses, diagnostics); }

  PassRegistry registry;
  Pipeline pipeline;
  ir::Module module;
  AnalysisManager analyses{module};
  std::vector<Diagnostic> reported;
  DiagnosticEngine diagnostics{[this](const Diagnostic& diagnostic) { reported.push_back(diagnostic); }};
  PassManager manager{PassEnvironment{}};
};

/// An analysis that names the facets that it reads.
struct Reads {
  static constexpr const char* kName = "reads";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified};
  explicit Reads(const ir::Module&) {}
  friend bool operator==(const Reads&, const Reads&) = default;
};

TEST_CASE("a failed pass stops the pipeline") {
  bool reached = false;
  Run run({scripted("bad",
                    [](ir::Module&, PassContext& context) {
                      context.diagnostics.error(DiagId::IrInvariant, {}, "no");
                      return PassResult::failed();
                    }),
           scripted("next", [&](ir::Module&, PassContext&) {
             reached = true;
             return PassResult::unchanged();
           })});
  CHECK_FALSE(run.go());
  CHECK_FALSE(reached);
  CHECK(run.reported.size() == 1);
}

TEST_CASE("an error stops the pipeline even if the pass returns success") {
  Run run({scripted("sloppy", [](ir::Module&, PassContext& context) {
    context.diagnostics.error(DiagId::IrInvariant, {}, "no");
    return PassResult::changed(PreservedAnalyses::none());
  })});
  CHECK_FALSE(run.go());
}

TEST_CASE("a pass that fails without saying why is a bug in the compiler") {
  Run run({scripted("silent", [](ir::Module&, PassContext&) { return PassResult::failed(); })});
  CHECK_THROWS_AS(run.go(), std::logic_error);
}

TEST_CASE("verification finds a pass that returned `unchanged` and changed the module") {
  Run run({scripted("liar", [](ir::Module& module, PassContext&) {
    module.modelName = "other";
    return PassResult::unchanged();
  })});
  IrVerifying verifying(run.diagnostics);
  run.manager.add(verifying);
  CHECK_FALSE(run.go());
  REQUIRE(run.reported.size() == 1);
  CHECK(run.reported[0].message == "pass `liar` reported `unchanged` and changed the module");
}

TEST_CASE("a pass that establishes nothing and reports a change preserves no analysis") {
  size_t cached = 1;
  Run run({scripted("writer",
                    [](ir::Module& module, PassContext& context) {
                      context.analyses.get<Reads>();
                      module.modelName = "other";
                      return PassResult::changed();
                    }),
           scripted("next", [&](ir::Module&, PassContext& context) {
             cached = context.analyses.size();
             return PassResult::unchanged();
           })});
  REQUIRE(run.go());
  CHECK(cached == 0);
}

TEST_CASE("verifying names the pass that broke an invariant") {
  Run run({scripted("breaker", [](ir::Module& module, PassContext&) {
    module.graphs[ir::kMainGraph].outputs.emplace_back(7);  // there is no such value
    return PassResult::changed(PreservedAnalyses::none());
  })});
  IrVerifying verifying(run.diagnostics);
  run.manager.add(verifying);
  CHECK_FALSE(run.go());
  REQUIRE_FALSE(run.reported.empty());
  REQUIRE_FALSE(run.reported[0].notes.empty());
  CHECK(run.reported[0].notes[0].find("after pass `breaker`") != std::string::npos);
}

/// Writes its letter before a pass, the same after it, and the capital after a pass that failed.
struct Recorder : PassInstrumentation {
  Recorder(char letter, std::string& log, bool passes = true) : letter(letter), log(log), passes(passes) {}
  void beforePass(const PassRun&) override { log += letter; }
  bool afterPass(const PassRun&, const PassResult&) override {
    log += letter;
    return passes;
  }
  void afterPassFailed(const PassRun&) override { log += static_cast<char>(letter - 'a' + 'A'); }
  char letter;
  std::string& log;
  bool passes;
};

TEST_CASE("instrumentation is a stack around the pass") {
  std::string log;
  Recorder outer('a', log), inner('b', log);
  Run run({scripted("pass", [&](ir::Module&, PassContext&) {
    log += "*";
    return PassResult::unchanged();
  })});
  run.manager.add(outer);
  run.manager.add(inner);
  REQUIRE(run.go());
  CHECK(log == "ab*ba");
}

TEST_CASE("instrumentation unwinds around a pass that fails") {
  std::string log;
  Recorder outer('a', log), inner('b', log);
  Run run({scripted("bad", [&](ir::Module&, PassContext& context) {
    context.diagnostics.error(DiagId::IrInvariant, {}, "no");
    return PassResult::failed();
  })});
  run.manager.add(outer);
  run.manager.add(inner);
  CHECK_FALSE(run.go());
  CHECK(log == "abBA");
}

TEST_CASE("instrumentation unwinds around a pass that throws, and the exception is rethrown") {
  std::string log;
  Recorder outer('a', log), inner('b', log);
  Run run({scripted("thrower", [&](ir::Module&, PassContext&) -> PassResult { throw std::runtime_error("no"); })});
  run.manager.add(outer);
  run.manager.add(inner);
  CHECK_THROWS_AS(run.go(), std::runtime_error);
  CHECK(log == "abBA");
}

TEST_CASE("instrumentation that stops the pipeline is a failure for outer instrumentation") {
  std::string log;
  Recorder outer('a', log), middle('b', log, false), inner('c', log);
  Run run({scripted("pass", [](ir::Module&, PassContext&) { return PassResult::unchanged(); })});
  run.manager.add(outer);
  run.manager.add(middle);
  run.manager.add(inner);
  CHECK_FALSE(run.go());
  CHECK(log == "abccbA");
}

/// An analysis that cannot be computed.
struct Impossible {
  static constexpr const char* kName = "impossible";
  explicit Impossible(const ir::Module&) { throw std::runtime_error("no"); }
  friend bool operator==(const Impossible&, const Impossible&) = default;
};

TEST_CASE("a failed pass has its time and its statistics, also if an analysis threw") {
  Run run({scripted("bad", [](ir::Module&, PassContext& context) {
    const Stopwatch watch;
    while (watch.elapsedNs() < 2'000'000) {
    }
    context.analyses.get<Impossible>();
    return PassResult::unchanged();
  })});
  PassTimes times;
  PassStatistics statistics;
  run.manager.add(statistics);
  run.manager.add(times);
  CHECK_THROWS_AS(run.go(), std::runtime_error);
  const std::string report = times.report();
  const size_t row = report.rfind('\n', report.find("  bad\n")) + 1;
  CHECK(std::stod(report.substr(row)) >= 2.0);
  CHECK(report.find("    impossible (analysis)\n") != std::string::npos);
  CHECK(statistics.report() == "         1  bad  runs  times it ran\n");
}

TEST_CASE("times put an analysis under the pass that paid, and statistics list counters") {
  Run run({scripted("payer", [](ir::Module&, PassContext& context) {
    context.analyses.get<Count>();
    return PassResult::unchanged();
  })});
  PassTimes times;
  PassStatistics statistics;
  run.manager.add(statistics);
  run.manager.add(times);
  REQUIRE(run.go());
  CHECK(times.report().find("  payer\n") != std::string::npos);
  CHECK(times.report().find("    count (analysis)\n") != std::string::npos);
  CHECK(statistics.report() == "         1  payer  runs  times it ran\n");
}

/// Requires and establishes facets, and reports that it changed the module.
class FacetPass : public Pass {
 public:
  FacetPass(std::vector<ir::Facet> required, std::vector<ir::Facet> established) {
    for (const ir::Facet facet : required) requiresFacet(facet);
    for (const ir::Facet facet : established) establishesFacet(facet);
  }
  PassResult run(ir::Module& module, PassContext&) override {
    if (establishes()) module.establish(*establishes());
    return PassResult::changed(PreservedAnalyses::none());
  }
};

PassInfo facetPass(std::string name, std::vector<ir::Facet> required, std::vector<ir::Facet> established) {
  return {std::move(name), "", [=] { return std::make_unique<FacetPass>(required, established); }};
}

TEST_CASE("a pass whose facet an earlier pass dropped is not started") {
  Run run({facetPass("bind", {}, {ir::Facet::Bound}), facetPass("time", {ir::Facet::Bound}, {ir::Facet::Timed}),
           facetPass("rebind", {}, {ir::Facet::Bound}), facetPass("path", {ir::Facet::Timed}, {})});
  CHECK(checkFacets(run.pipeline, {}, {}, run.registry, run.diagnostics));
  CHECK_FALSE(run.go());
  REQUIRE(run.reported.size() == 1);
  CHECK(run.reported[0].message ==
        "pass `path` needs timed kernels; pass `rebind` before it dropped the facet `timed`");
}

TEST_CASE("a pass is not started if an earlier pass did not establish a facet that it declares") {
  class Idle : public FacetPass {
   public:
    Idle() : FacetPass({}, {ir::Facet::Bound}) {}
    PassResult run(ir::Module&, PassContext&) override { return PassResult::unchanged(); }
  };
  Run run({{"idle", "", [] { return std::make_unique<Idle>(); }}, facetPass("time", {ir::Facet::Bound}, {})});
  CHECK_FALSE(run.go());
  REQUIRE(run.reported.size() == 1);
  CHECK(run.reported[0].message == "pass `time` needs bound kernels; no pass before it established the facet `bound`");
}

TEST_CASE("a facet may be required only where the module has runs") {
  class OfRuns : public FacetPass {
   public:
    OfRuns() : FacetPass({}, {}) { requiresFacetOfRuns(ir::Facet::Timed); }
  };
  Run run({facetPass("time", {}, {ir::Facet::Timed}), {"tensors", "", [] { return std::make_unique<OfRuns>(); }}});
  std::erase_if(run.pipeline, [](const PlannedPass& planned) { return planned.info->name == "time"; });
  CHECK(checkFacets(run.pipeline, {}, {}, run.registry, run.diagnostics));
  CHECK(run.go());
  run.module.timelines.resize(1);
  CHECK_FALSE(run.go());
  CHECK_FALSE(checkFacets(run.pipeline, {}, {}, run.registry, run.diagnostics, true));
  REQUIRE(run.reported.size() == 2);
  CHECK(run.reported[0].message ==
        "pass `tensors` needs timed kernels; no pass before it established the facet `timed`");
  CHECK(run.reported[1].message == "pass `tensors` needs timed kernels; add `time` before it");
}

TEST_CASE("for lost facets, all passes that establish them again are named") {
  const PassRegistry registry({facetPass("fuse", {}, {ir::Facet::Fused}),
                               facetPass("bind", {ir::Facet::Fused}, {ir::Facet::Bound}),
                               facetPass("time", {ir::Facet::Bound}, {})});
  std::vector<std::string> messages;
  DiagnosticEngine diagnostics([&](const Diagnostic& diagnostic) { messages.push_back(diagnostic.message); });
  const auto pipeline = buildPipeline({{"time", {}, {}}}, registry, {}, diagnostics);
  const LostFacets lost{{ir::Facet::Fused, ir::Facet::Bound}, "they are gone", "stay"};
  CHECK_FALSE(checkFacets(*pipeline, {}, lost, registry, diagnostics));
  CHECK_FALSE(checkFacets(*pipeline, {ir::Facet::Fused}, lost, registry, diagnostics));
  REQUIRE(messages.size() == 2);
  CHECK(messages[0] == "pass `time` needs bound kernels; they are gone; add `fuse`, `bind` before it, or stay");
  CHECK(messages[1] == "pass `time` needs bound kernels; they are gone; add `bind` before it, or stay");
}

TEST_CASE("facets that no pass establishes are named with the pass to add") {
  const PassRegistry registry({facetPass("bind", {}, {ir::Facet::Bound}), facetPass("time", {ir::Facet::Bound}, {})});
  std::vector<std::string> messages;
  DiagnosticEngine diagnostics([&](const Diagnostic& diagnostic) { messages.push_back(diagnostic.message); });
  ir::Module module;
  const auto check = [&](const std::vector<PipelineElement>& elements) {
    const auto pipeline = buildPipeline(elements, registry, {}, diagnostics);
    REQUIRE(pipeline);
    return checkFacets(*pipeline, module.facets(), {}, registry, diagnostics);
  };
  CHECK(check({{"bind", {}, {}}, {"time", {}, {}}}));
  CHECK_FALSE(check({{"time", {}, {}}, {"bind", {}, {}}}));
  REQUIRE(messages.size() == 1);
  CHECK(messages[0] == "pass `time` needs bound kernels; add `bind` before it");
  module.establish(ir::Facet::Bound);
  CHECK(check({{"time", {}, {}}}));
}

}  // namespace
}  // namespace amdahlc
