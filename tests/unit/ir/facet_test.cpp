#include "ir/facets/facet.h"

#include <doctest/doctest.h>

#include "sample_module.h"

using namespace amdahlc::ir;
using namespace amdahlc::ir::test;

TEST_CASE("facets are found by the names that IR text has") {
  for (const FacetInfo& row : allFacets()) {
    CHECK(facetFromName(row.name) == row.facet);
    CHECK(name(row.facet) == row.name);
    CHECK_FALSE(row.phrase.empty());
  }
  CHECK_FALSE(facetFromName("time").has_value());
  CHECK_FALSE(facetFromName("").has_value());
}

TEST_CASE("what is derived from a facet is known, over several steps too") {
  CHECK(withDerived(Facet::Scenarios) == FacetSet{Facet::Scenarios});
  CHECK(withDerived(Facet::Timed) == FacetSet{Facet::Timed, Facet::CriticalPath, Facet::Scenarios});
  CHECK(withDerived(Facet::Fused) ==
        FacetSet{Facet::Fused, Facet::Bound, Facet::Timed, Facet::CriticalPath, Facet::Scenarios});
  CHECK(withDerived(Facet::Simplified) == FacetSet{Facet::Simplified});
}

TEST_CASE("a facet that is dropped takes all that is derived from it along") {
  Module module = everything();
  module.retract(Facet::Timed);
  CHECK(module.facets() == FacetSet{Facet::Simplified, Facet::Fused, Facet::Bound});
  CHECK(module.covers.size() == 3);
  CHECK_FALSE(module.covers[1].kernels[0_kernel].events.empty());
  CHECK_FALSE(module.covers[1].times.has_value());
  CHECK_FALSE(module.covers[1].criticalPath.has_value());
  CHECK(module.scenarios[0].predictions.empty());
  CHECK_FALSE(module.scenarios[0].requests.empty());

  module.retract(Facet::Fused);
  CHECK(module.facets() == FacetSet{Facet::Simplified});
  CHECK(module.covers.empty());
  CHECK(module.candidates.empty());
  CHECK(module.truncatedRoots == 0);
}
