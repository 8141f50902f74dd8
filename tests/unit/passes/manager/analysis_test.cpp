// Caching, invalidation after a change, and detection of analyses that are wrongly preserved.
#include "passes/manager/analysis.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "ir/facets/timed.h"
#include "passes/manager/pass_manager.h"
#include "passes/manager/verifying.h"

namespace amdahlc {
namespace {

/// An analysis of a cover.
struct KernelCount {
  static constexpr const char* kName = "kernel-count";
  KernelCount(const ir::Module& module, ir::CoverId cover) : kernels(module.cover(cover).kernels.size()) {}
  friend bool operator==(const KernelCount&, const KernelCount&) = default;
  size_t kernels;
};

/// An analysis of a cover that is computed from another one.
struct Doubled {
  static constexpr const char* kName = "doubled";
  Doubled(const ir::Module&, ir::CoverId cover, AnalysisManager& analyses)
      : value(2 * analyses.get<KernelCount>(cover).kernels) {}
  friend bool operator==(const Doubled&, const Doubled&) = default;
  size_t value;
};

/// An analysis of the module.
struct CoverCount {
  static constexpr const char* kName = "cover-count";
  explicit CoverCount(const ir::Module& module) : covers(module.covers.size()) {}
  friend bool operator==(const CoverCount&, const CoverCount&) = default;
  size_t covers;
};

struct Circular {
  static constexpr const char* kName = "circular";
  Circular(const ir::Module&, AnalysisManager& analyses) { analyses.get<Circular>(); }
  friend bool operator==(const Circular&, const Circular&) = default;
};

/// Cannot be computed for a cover without `timed`.
struct Busy {
  static constexpr const char* kName = "busy";
  static constexpr ir::FacetSet kReads{ir::Facet::Timed};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Timed};
  Busy(const ir::Module& module, ir::CoverId cover)
      : iterations(module.cover(cover).facets.get<ir::TimedFacet>()->run.iterations) {}
  friend bool operator==(const Busy&, const Busy&) = default;
  int64_t iterations;
};

/// The same through another analysis.
struct Busier {
  static constexpr const char* kName = "busier";
  Busier(const ir::Module&, ir::CoverId cover, AnalysisManager& analyses)
      : iterations(analyses.get<Busy>(cover).iterations) {}
  friend bool operator==(const Busier&, const Busier&) = default;
  int64_t iterations;
};

/// Has an option.
struct Scaled {
  static constexpr const char* kName = "scaled";
  static constexpr ir::FacetSet kReads{ir::Facet::Timed};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Timed};
  struct Options {
    int64_t factor = 1;
    friend bool operator==(const Options&, const Options&) = default;
  };
  Scaled(const ir::Module&, ir::CoverId cover, AnalysisManager& analyses)
      : iterations(analyses.options<Scaled>().factor * analyses.get<Busy>(cover).iterations) {}
  friend bool operator==(const Scaled&, const Scaled&) = default;
  int64_t iterations;
};

/// Uses another one if a pass asked for that.
struct Optional {
  static constexpr const char* kName = "optional";
  Optional(const ir::Module&, ir::CoverId cover, AnalysisManager& analyses) {
    if (const auto* scaled = analyses.requested<Scaled>(cover)) iterations = scaled->iterations;
  }
  friend bool operator==(const Optional&, const Optional&) = default;
  int64_t iterations = 0;
};

constexpr ir::CoverId kFirst{0}, kSecond{1};

ir::Module twoCovers() {
  ir::Module module;
  module.graphs.emplace_back();
  module.covers.resize(2);
  module.covers[0].name = "default";
  module.covers[1].name = "h100";
  module.covers[1].kernels.resize(3);
  return module;
}

/// The second cover has three iterations.
ir::Module timedCover() {
  ir::Module module = twoCovers();
  ir::TimedFacet timed;
  timed.run.iterations = 3;
  module.covers[1].facets.set(std::move(timed));
  return module;
}

TEST_CASE("an analysis is computed once for each thing it is about") {
  const ir::Module module = twoCovers();
  AnalysisManager analyses(module);
  int computed = 0;
  analyses.onCompute = [&](const char*, bool begin) { computed += begin; };
  CHECK(analyses.get<KernelCount>(kFirst).kernels == 0);
  CHECK(analyses.get<KernelCount>(kSecond).kernels == 3);
  CHECK(analyses.get<KernelCount>(kSecond).kernels == 3);
  CHECK(computed == 2);
}

TEST_CASE("analyses that are not preserved are dropped, and those computed from them, in either order of use") {
  const ir::Module module = twoCovers();
  for (const bool derivedFirst : {true, false}) {
    AnalysisManager analyses(module);
    if (derivedFirst) analyses.get<Doubled>(kSecond);
    analyses.get<KernelCount>(kSecond);
    analyses.get<Doubled>(kSecond);
    analyses.get<CoverCount>();
    CHECK(analyses.size() == 3);
    analyses.invalidate(PreservedAnalyses::none().preserve<Doubled>().preserve<CoverCount>());
    CHECK(analyses.size() == 1);
  }
}

TEST_CASE("preserved analyses stay with the analyses that they were computed from") {
  const ir::Module module = twoCovers();
  AnalysisManager analyses(module);
  analyses.get<Doubled>(kSecond);
  analyses.get<CoverCount>();
  analyses.invalidate(PreservedAnalyses::none().preserve<Doubled>().preserve<KernelCount>());
  CHECK(analyses.size() == 2);
  analyses.invalidate(PreservedAnalyses::all());
  CHECK(analyses.size() == 2);
  analyses.invalidate(PreservedAnalyses::none());
  CHECK(analyses.size() == 0);
}

TEST_CASE("an analysis that depends on itself is a bug, and is not cached") {
  const ir::Module module = twoCovers();
  AnalysisManager analyses(module);
  CHECK_THROWS_AS(analyses.get<Circular>(), std::logic_error);
  CHECK(analyses.size() == 0);
}

TEST_CASE("preserved analyses are described by their names") {
  CHECK(PreservedAnalyses::none().describe() == "no analyses");
  CHECK(PreservedAnalyses::all().describe() == "all analyses");
  CHECK(PreservedAnalyses::none().preserve<KernelCount>().preserve<Doubled>().describe() ==
        "`kernel-count`, `doubled`");
}

TEST_CASE("a changed facet drops analyses that read it or a derived facet, and analyses without kReads") {
  ir::Module module = twoCovers();
  module.covers[1].facets.set(ir::TimedFacet());
  AnalysisManager analyses(module);
  const auto isKept = [&](ir::FacetSet written) {
    analyses.get<Busy>(kSecond);
    analyses.get<CoverCount>();
    analyses.invalidate(PreservedAnalyses::notReading(written));
    const size_t kept = analyses.size();
    analyses.invalidate(PreservedAnalyses::none());
    return kept;
  };
  CHECK(isKept({ir::Facet::Timed}) == 0);
  CHECK(isKept({ir::Facet::Fused}) == 0);
  CHECK(isKept({ir::Facet::CriticalPath}) == 1);
  CHECK(isKept({ir::Facet::Simplified}) == 1);
  CHECK(PreservedAnalyses::notReading({ir::Facet::Timed}).describe() ==
        "analyses that read none of `timed`, `critical-path`");
}

TEST_CASE("an analysis whose subject lost a needed facet is stale and is not computed") {
  ir::Module module = twoCovers();
  module.covers[1].facets.set(ir::TimedFacet());
  AnalysisManager analyses(module);
  analyses.get<Busier>(kSecond);
  CHECK(analyses.findStale().empty());
  module.covers[1].facets.drop({ir::Facet::Timed});
  CHECK(analyses.findStale() ==
        std::vector<std::string>{"analysis `busier` of cover `h100`", "analysis `busy` of cover `h100`"});
  CHECK_THROWS_AS(analyses.get<Busy>(kFirst), std::logic_error);
}

TEST_CASE("an analysis is found where a pass asked for it and its cover has what it needs") {
  const ir::Module module = timedCover();
  AnalysisManager analyses(module);
  CHECK(analyses.requested<Scaled>(kSecond) == nullptr);
  CHECK(analyses.get<Scaled>(kSecond).iterations == 3);
  CHECK(analyses.requested<Scaled>(kSecond) == nullptr);
  analyses.request<Scaled>({2});
  REQUIRE(analyses.requested<Scaled>(kSecond) != nullptr);
  CHECK(analyses.requested<Scaled>(kSecond)->iterations == 6);
  CHECK(analyses.requested<Scaled>(kFirst) == nullptr);
}

TEST_CASE("a request drops what was computed with other options, and nothing else") {
  const ir::Module module = timedCover();
  AnalysisManager analyses(module);
  int computed = 0;
  analyses.onCompute = [&](const char*, bool begin) { computed += begin; };
  CHECK(analyses.get<Scaled>(kSecond).iterations == 3);
  CHECK(computed == 2);
  analyses.request<Scaled>();
  analyses.request<Scaled>({1});
  CHECK(analyses.get<Scaled>(kSecond).iterations == 3);
  CHECK(computed == 2);
  analyses.request<Scaled>({5});
  CHECK(analyses.get<Scaled>(kSecond).iterations == 15);
  CHECK(computed == 3);
}

TEST_CASE("an analysis is computed again if a pass asks later for one that it uses if it is there") {
  const ir::Module module = timedCover();
  AnalysisManager analyses(module);
  CHECK(analyses.get<Optional>(kSecond).iterations == 0);
  analyses.request<Scaled>();
  CHECK(analyses.get<Optional>(kSecond).iterations == 3);
  analyses.request<Scaled>({2});
  CHECK(analyses.get<Optional>(kSecond).iterations == 6);
  CHECK(analyses.findStale().empty());
}

/// Asks for the analyses of a cover, removes a kernel of it, and claims to preserve `preserved`.
class Liar : public Pass {
 public:
  explicit Liar(PreservedAnalyses preserved) : preserved_(std::move(preserved)) {}
  PassResult run(ir::Module& module, PassContext& context) override {
    context.analyses.get<Doubled>(kSecond);
    context.analyses.get<CoverCount>();
    module.covers[1].kernels.clear();
    return PassResult::changed(preserved_);
  }

 private:
  PreservedAnalyses preserved_;
};

std::vector<std::string> verifiedMessages(const PreservedAnalyses& preserved) {
  std::vector<std::string> messages;
  DiagnosticEngine diagnostics([&](const Diagnostic& diagnostic) { messages.push_back(diagnostic.message); });
  AnalysisVerifying verifying(diagnostics);
  const PassInfo info{"liar", "", [&] { return std::make_unique<Liar>(preserved); }};
  Pipeline pipeline;
  pipeline.push_back({&info, info.create(), {}, {}});
  ir::Module module = twoCovers();
  PassManager manager{PassEnvironment{}};
  manager.add(verifying);
  AnalysisManager analyses(module);
  const bool succeeded = manager.run(pipeline, module, analyses, diagnostics);
  CHECK(succeeded == messages.empty());
  return messages;
}

TEST_CASE("a pass that wrongly preserves an analysis is named with the analysis and its ids") {
  CHECK(verifiedMessages(PreservedAnalyses::none()).empty());
  CHECK(verifiedMessages(PreservedAnalyses::none().preserve<CoverCount>()).empty());
  CHECK(verifiedMessages(PreservedAnalyses::all()) ==
        std::vector<std::string>{
            "analysis `doubled` of cover `h100` is stale; pass `liar` claims to preserve it",
            "analysis `kernel-count` of cover `h100` is stale; pass `liar` claims to preserve it",
        });
}

TEST_CASE("an analysis of something that is gone is stale") {
  ir::Module module = twoCovers();
  AnalysisManager analyses(module);
  analyses.get<KernelCount>(kSecond);
  module.covers.pop_back();
  CHECK(analyses.findStale() == std::vector<std::string>{"analysis `kernel-count` of cover 1, which is gone"});
}

}  // namespace
}  // namespace amdahlc
