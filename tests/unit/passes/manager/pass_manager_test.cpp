// What the manager does about passes that misbehave, which no shipped pass can show.
#include "passes/manager/pass_manager.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "ir/verifier.h"
#include "passes/manager/pass_statistics.h"
#include "passes/manager/pass_times.h"
#include "passes/manager/verifying.h"

namespace amdahlc {
namespace {

/// A pass that does what a test says.
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

struct Count {
  static constexpr const char* kName = "count";
  explicit Count(const ir::Module& module) : problems(module.dataProblems.size()) {}
  size_t problems;
};

PassInfo scripted(std::string name, ScriptedPass::Script script) {
  return {std::move(name), "scripted", [script] { return std::make_unique<ScriptedPass>(script); }};
}

/// Runs the passes in order and remembers what was reported.
struct Run {
  explicit Run(std::vector<PassInfo> infos) : registry(std::move(infos)) {
    module.graphs.emplace_back();
    for (const PassInfo& info : registry.passes()) pipeline.push_back({&info, info.create(), {}, {}});
  }
  bool go() { return manager.run(pipeline, module, diagnostics, artifacts); }

  PassRegistry registry;
  Pipeline pipeline;
  ir::Module module;
  std::vector<Diagnostic> reported;
  DiagnosticEngine diagnostics{[this](const Diagnostic& diagnostic) { reported.push_back(diagnostic); }};
  PassManager manager{PassEnvironment{}};
  std::vector<Artifact> artifacts;
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

TEST_CASE("an error stops the pipeline even where the pass returns success") {
  Run run({scripted("sloppy", [](ir::Module&, PassContext& context) {
    context.diagnostics.error(DiagId::IrInvariant, {}, "no");
    return PassResult::changed();
  })});
  CHECK_FALSE(run.go());
}

TEST_CASE("a pass that fails without saying why is a bug in the compiler") {
  Run run({scripted("silent", [](ir::Module&, PassContext&) { return PassResult::failed(); })});
  CHECK_THROWS_AS(run.go(), std::logic_error);
}

TEST_CASE("analyses are cached until a pass changes the module without preserving them") {
  size_t seen[3] = {};
  const auto look = [&](size_t slot) {
    return scripted("look", [&seen, slot](ir::Module&, PassContext& context) {
      seen[slot] = context.analyses.get<Count>("").problems;
      return PassResult::unchanged();
    });
  };
  const auto add = [](PassResult result) {
    return scripted("add", [result](ir::Module& module, PassContext&) {
      module.countProblem("p" + std::to_string(module.dataProblems.size()), 1, "");
      return result;
    });
  };
  Run run({look(0), add(PassResult::changedPreservingAnalyses()), look(1), add(PassResult::changed()), look(2)});
  REQUIRE(run.go());
  CHECK(seen[0] == 0);
  CHECK(seen[1] == 0);  // as the pass in between promised
  CHECK(seen[2] == 2);
}

TEST_CASE("verifying finds a pass that says `unchanged` and changed the module") {
  Run run({scripted("liar", [](ir::Module& module, PassContext&) {
    module.modelName = "other";
    return PassResult::unchanged();
  })});
  Verifying verifying(run.diagnostics);
  run.manager.add(verifying);
  CHECK_FALSE(run.go());
  REQUIRE(run.reported.size() == 1);
  CHECK(run.reported[0].message == "pass `liar` reported `unchanged` and changed the module");
}

TEST_CASE("verifying names the pass that broke an invariant") {
  Run run({scripted("breaker", [](ir::Module& module, PassContext&) {
    module.graphs[ir::kMainGraph].outputs.emplace_back(7);  // there is no such value
    return PassResult::changed();
  })});
  Verifying verifying(run.diagnostics);
  run.manager.add(verifying);
  CHECK_FALSE(run.go());
  REQUIRE_FALSE(run.reported.empty());
  REQUIRE_FALSE(run.reported[0].notes.empty());
  CHECK(run.reported[0].notes[0].find("after pass `breaker`") != std::string::npos);
}

TEST_CASE("instrumentation is a stack around the pass") {
  struct Recorder : PassInstrumentation {
    Recorder(std::string letter, std::string& log) : letter(std::move(letter)), log(log) {}
    void beforePass(const PassInfo&, const ir::Module&) override { log += letter; }
    bool afterPass(const PassInfo&, const Pass&, const ir::Module&, const PassResult&) override {
      log += letter;
      return true;
    }
    std::string letter;
    std::string& log;
  };
  std::string log;
  Recorder outer("a", log), inner("b", log);
  Run run({scripted("pass", [&](ir::Module&, PassContext&) {
    log += "*";
    return PassResult::unchanged();
  })});
  run.manager.add(outer);
  run.manager.add(inner);
  REQUIRE(run.go());
  CHECK(log == "ab*ba");
}

TEST_CASE("times put an analysis under the pass that paid, and statistics list counters") {
  Run run({scripted("payer", [](ir::Module&, PassContext& context) {
    context.analyses.get<Count>("");
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

TEST_CASE("facets that no pass establishes are named with the pass to add") {
  class Binder : public Pass {
   public:
    Binder() { establishesFacet(ir::Facet::Bound); }
    PassResult run(ir::Module&, PassContext&) override { return PassResult::unchanged(); }
  };
  class Timer : public Pass {
   public:
    Timer() { requiresFacet(ir::Facet::Bound); }
    PassResult run(ir::Module&, PassContext&) override { return PassResult::unchanged(); }
  };
  PassRegistry registry({{"bind", "", [] { return std::make_unique<Binder>(); }},
                         {"time", "", [] { return std::make_unique<Timer>(); }}});
  std::vector<std::string> messages;
  DiagnosticEngine diagnostics([&](const Diagnostic& diagnostic) { messages.push_back(diagnostic.message); });
  ir::Module module;
  const auto check = [&](const std::vector<PipelineElement>& elements) {
    const auto pipeline = buildPipeline(elements, registry, {}, diagnostics);
    REQUIRE(pipeline);
    return checkFacets(*pipeline, module, registry, diagnostics);
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
