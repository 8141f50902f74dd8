#include "ir/facets/stored_facet.h"

#include <algorithm>

namespace amdahlc::ir {

// The files of the facets define these; one that is missing is an error of the linker.
#define AMDAHLC_FACET_OF_Module(ID)
#define AMDAHLC_FACET_OF_Run(ID) \
  template <>                    \
  std::unique_ptr<StoredFacet> makeFacet<Facet::ID>();
#define AMDAHLC_FACET(ID, NAME, LEVEL, ...) AMDAHLC_FACET_OF_##LEVEL(ID)
#include "ir/facets/facets.def"
#undef AMDAHLC_FACET_OF_Module
#undef AMDAHLC_FACET_OF_Run

std::unique_ptr<StoredFacet> makeFacet(Facet facet) {
#define AMDAHLC_FACET_OF_Module(ID) \
  case Facet::ID:                   \
    return nullptr;
#define AMDAHLC_FACET_OF_Run(ID) \
  case Facet::ID:                \
    return makeFacet<Facet::ID>();
#define AMDAHLC_FACET(ID, NAME, LEVEL, ...) AMDAHLC_FACET_OF_##LEVEL(ID)
  switch (facet) {
#include "ir/facets/facets.def"
  }
#undef AMDAHLC_FACET_OF_Module
#undef AMDAHLC_FACET_OF_Run
  return nullptr;
}

FacetStore::FacetStore(const FacetStore& other) {
  for (const auto& facet : other.facets_) facets_.push_back(facet->clone());
}

FacetStore& FacetStore::operator=(const FacetStore& other) {
  if (this != &other) *this = FacetStore(other);
  return *this;
}

const StoredFacet* FacetStore::find(Facet facet) const {
  const auto found =
      std::find_if(facets_.begin(), facets_.end(), [&](const auto& one) { return one->facet() == facet; });
  return found == facets_.end() ? nullptr : found->get();
}

StoredFacet& FacetStore::add(std::unique_ptr<StoredFacet> facts) {
  auto place =
      std::find_if(facets_.begin(), facets_.end(), [&](const auto& one) { return one->facet() >= facts->facet(); });
  if (place != facets_.end() && (*place)->facet() == facts->facet()) {
    *place = std::move(facts);
  } else {
    place = facets_.insert(place, std::move(facts));
  }
  return **place;
}

void FacetStore::drop(FacetSet facets) {
  std::erase_if(facets_, [&](const auto& facet) { return facets.contains(facet->facet()); });
}

}  // namespace amdahlc::ir
