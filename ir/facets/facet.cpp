#include "ir/facets/facet.h"

#include <algorithm>
#include <array>

#include "ir/facets/facet_store.h"

namespace amdahlc::ir {
namespace {

using enum Facet;

constexpr std::array kFacets = {
#define AMDAHLC_FACET(ID, NAME, LEVEL, PHRASE, ...) \
  FacetInfo{ID, NAME, FacetLevel::LEVEL, PHRASE, FacetSet{__VA_ARGS__}},
#include "ir/facets/facets.def"
};
static_assert(kFacets.size() <= 64, "a FacetSet has 64 bits");

/// Whether each facet is after all facets that it is derived from, so that one loop over the rows is enough.
constexpr bool standAfterTheirSources() {
  FacetSet later;
  for (size_t row = kFacets.size(); row-- > 0;) {
    later.insert(kFacets[row].facet);
    if (kFacets[row].derivedFrom.intersects(later)) return false;
  }
  return true;
}
static_assert(standAfterTheirSources(), "a row of facets.def stands before one that it is derived from");

constexpr FacetSet ofLevel(FacetLevel level) {
  FacetSet set;
  for (const FacetInfo& row : kFacets)
    if (row.level == level) set.insert(row.facet);
  return set;
}
static_assert(ofLevel(FacetLevel::Run) == FacetStore::kStored, "FacetStore lacks a facet of the level Run");

}  // namespace

std::span<const FacetInfo> allFacets() { return kFacets; }

const FacetInfo& info(Facet facet) { return kFacets[static_cast<size_t>(facet)]; }

std::optional<Facet> facetFromName(std::string_view name) {
  const auto found = std::ranges::find(kFacets, name, &FacetInfo::name);
  return found == kFacets.end() ? std::nullopt : std::optional(found->facet);
}

FacetSet withDerived(Facet facet) {
  FacetSet set{facet};
  for (const FacetInfo& row : kFacets)
    if (row.derivedFrom.intersects(set)) set.insert(row.facet);
  return set;
}

}  // namespace amdahlc::ir
