/// Facts of one facet about one run: each facet of the level `Run` is a class of its own, with its text form and its
/// invariants beside its data.
///
/// To add one: a row in `facets.def`, and `ir/facets/<name>.h` and `.cpp` with the class `<Id>Facet`, derived from
/// `FacetOf`.
#pragma once

#include <memory>
#include <vector>

#include "ir/facets/facet.h"

namespace amdahlc {
class Timeline;
}

namespace amdahlc::ir {

class CoverReporter;
class Module;
class TextReader;
class TextWriter;
struct Cover;

/// Whose facts they are. While a cover is read its kernels are there, and the facets printed before.
struct FacetOwner {
  const Module& module;
  const Cover& cover;
  /// Of the cover's trace; null where there is none.
  const Timeline* timeline;
};

class StoredFacet {
 public:
  virtual ~StoredFacet() = default;
  virtual Facet facet() const = 0;
  virtual std::unique_ptr<StoredFacet> clone() const = 0;
  /// Writes the statements of the block `NAME { ... }`.
  virtual void print(TextWriter& out, const FacetOwner& owner) const = 0;
  /// Reads one statement of the block.
  virtual void parseStatement(TextReader& in, const FacetOwner& owner) = 0;
  /// Reports broken invariants. The graphs, candidates, timelines and kernels are sound, and so are the facets that
  /// this one is derived from.
  virtual void verify(const FacetOwner& owner, CoverReporter& reporter) const = 0;

 protected:
  StoredFacet() = default;
  StoredFacet(const StoredFacet&) = default;
  StoredFacet& operator=(const StoredFacet&) = default;
  friend bool operator==(const StoredFacet&, const StoredFacet&) { return true; }  // has no data of its own
};

/// The base of the class `Derived`, whose facet is `kId`.
template <typename Derived, Facet kId>
class FacetOf : public StoredFacet {
 public:
  static constexpr Facet kFacet = kId;
  Facet facet() const final { return kId; }
  std::unique_ptr<StoredFacet> clone() const final {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }

 private:
  FacetOf() = default;
  friend Derived;
};

/// An empty `StoredFacet` of this facet. Each facet's own file specialises it.
template <Facet kFacet>
std::unique_ptr<StoredFacet> makeFacet();
/// The same by value; null for a facet of the level `Module`.
std::unique_ptr<StoredFacet> makeFacet(Facet facet);

/// The facets of one cover, by type, each at most once.
class FacetStore {
 public:
  FacetStore() = default;
  FacetStore(const FacetStore& other);
  FacetStore& operator=(const FacetStore& other);
  FacetStore(FacetStore&&) noexcept = default;
  FacetStore& operator=(FacetStore&&) noexcept = default;

  /// Null where the facet is not established for this cover.
  template <typename F>
  const F* get() const {
    return static_cast<const F*>(find(F::kFacet));
  }
  template <typename F>
  F* get() {
    return const_cast<F*>(static_cast<const FacetStore&>(*this).get<F>());
  }
  /// Puts `facts` in the place of what was there of this facet. The reference stays valid until the facet is set again
  /// or dropped.
  template <typename F>
  F& set(F facts) {
    return static_cast<F&>(add(std::make_unique<F>(std::move(facts))));
  }
  const StoredFacet* find(Facet facet) const;
  StoredFacet& add(std::unique_ptr<StoredFacet> facts);
  void drop(FacetSet facets);
  /// In the order of `facets.def`.
  const std::vector<std::unique_ptr<StoredFacet>>& all() const { return facets_; }

 private:
  std::vector<std::unique_ptr<StoredFacet>> facets_;
};

}  // namespace amdahlc::ir
