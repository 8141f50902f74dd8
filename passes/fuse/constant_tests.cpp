#include "passes/fuse/constant_tests.h"

#include <cmath>

#include "passes/fuse/match_scope.h"

namespace amdahlc {

bool constantEquals(const ir::ConstantView& constant, double expected) {
  // An exporter that prints sqrt(2) in float16 is off by 3e-4.
  constexpr double kTolerance = 1e-3;
  for (size_t i = 0; i < constant.knownElements(); ++i) {
    const double element = constant.element(i);
    if (element != expected &&
        !(std::isfinite(expected) && std::abs(element - expected) <= kTolerance * std::abs(expected)))
      return false;
  }
  return constant.knownElements() > 0;
}

bool constantSatisfies(const expression::Expression& test, const ir::ConstantView& constant, ir::ValueId value,
                       MatchScope scope) {
  scope.testConstant(value);
  if (!test.testsElements()) return test.holds(scope.leaves());
  for (size_t i = 0; i < constant.knownElements(); ++i) {
    scope.testElement(constant.element(i));
    if (!test.holds(scope.leaves())) return false;
  }
  return constant.knownElements() > 0;
}

}  // namespace amdahlc
