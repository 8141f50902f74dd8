#include "passes/liveness/liveness_analysis.h"

#include <doctest/doctest.h>

#include "chains.h"

namespace amdahlc {
namespace {

using testing::livenessOfRun;
using testing::tensorNamed;
using testing::timedModule;

// v0 of 4000 bytes is idle while kernels 2 and 3 run: 2 to 4, for 2000 ns.
ir::Module idleModule() {
  return timedModule({10, 20, 1000, 1000, 40}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}}, {1000, 1, 1, 1, 1});
}

TEST_CASE("a period must be longer than both transfers") {
  const ir::Module module = idleModule();
  const Liveness facts = livenessOfRun(module);
  // 8000 bytes in 2000 ns.
  CHECK(offloadCandidates(facts, 1, 4'000'000'000).empty());
  const auto candidates = offloadCandidates(facts, 1, 4'010'000'000);
  REQUIRE(candidates.size() == 1);
  CHECK(candidates[0].tensor == tensorNamed(module, facts, "v0"));
  CHECK(candidates[0].period == InactivePeriod{2, 4, 2000});
  CHECK(candidates[0].costNs == 1996);
  // Half the time per iteration, if there were two.
  CHECK(offloadCandidates(facts, 2, 4'010'000'000).empty());
  CHECK(byteSeconds(facts, candidates[0], 1) == doctest::Approx(4000 * 2e-6));
}

TEST_CASE("a tensor can be made again if what it was made of is still there") {
  // Kernel 0 reads x, which kernel 4 reads again, or which is dead by then.
  ir::Module module =
      timedModule({10, 20, 1000, 1000, 40}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}}, {1000, 1, 1, 1, 1}, {0, 4});
  const Liveness facts = livenessOfRun(module);
  const auto candidates = recomputeCandidates(facts);
  REQUIRE(candidates.size() == 1);
  CHECK(candidates[0].tensor == tensorNamed(module, facts, "v0"));
  CHECK(candidates[0].costNs == 10);
  CHECK(recomputeCandidates(livenessOfRun(idleModule())).empty());
}

TEST_CASE("most bytes times time come first") {
  const ir::Module module =
      timedModule({10, 20, 100, 100, 40}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}, {1, 4}}, {1, 1000, 1, 1, 1});
  const Liveness facts = livenessOfRun(module);
  const auto candidates = offloadCandidates(facts, 1, 1'000'000'000'000);
  REQUIRE(candidates.size() == 2);
  CHECK(candidates[0].tensor == tensorNamed(module, facts, "v1"));
  CHECK(candidates[1].tensor == tensorNamed(module, facts, "v0"));
}

}  // namespace
}  // namespace amdahlc
