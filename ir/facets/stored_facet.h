/// Facts of one facet about one run. Each facet of the level `Run` is a class with its data, its text form and its
/// invariants.
///
/// To add one: a row in `facets.def`, and `ir/facets/<name>.h` and `.cpp` with the class `<Id>Facet`, derived from
/// `FacetOf`.
#pragma once

#include <memory>
#include <vector>

#include "ir/facets/facet.h"

namespace amdahlc {
struct Timeline;
}

namespace amdahlc::ir {

class CoverReporter;
class Module;
class TextReader;
class TextWriter;
struct Cover;

/// The cover with these facts. While a cover is parsed, its kernels and the facets printed before are present.
struct FacetOwner {
  const Module& module;
  const Cover& cover;
  /// The timeline of the cover's trace; null if there is none.
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
  /// Reports broken invariants. Precondition: the graphs, candidates, timelines and kernels are valid, and so are the
  /// facets that this one is derived from.
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

/// An empty `StoredFacet` of this facet. The file of each facet of the level `Run` specialises it.
template <Facet kFacet>
std::unique_ptr<StoredFacet> makeFacet();
/// The same by value; null for a facet of another level.
std::unique_ptr<StoredFacet> makeFacet(Facet facet);

/// The facets of one cover, by type, each at most once.
class FacetStore {
 public:
  FacetStore() = default;
  FacetStore(const FacetStore& other);
  FacetStore& operator=(const FacetStore& other);
  FacetStore(FacetStore&&) noexcept = default;
  FacetStore& operator=(FacetStore&&) noexcept = default;

  /// Null if the facet is not established for this cover.
  template <typename F>
  const F* get() const {
    return static_cast<const F*>(find(F::kFacet));
  }
  template <typename F>
  F* get() {
    return const_cast<F*>(static_cast<const FacetStore&>(*this).get<F>());
  }
  /// Sets the facts of this facet. The reference is valid until the facet is set again or dropped.
  template <typename F>
  F& set(F facts) {
    return static_cast<F&>(add(std::make_unique<F>(std::move(facts))));
  }
  /// Like `set`. Returns whether the facts differ from those that were stored.
  template <typename F>
  bool replace(F facts) {
    const F* known = get<F>();
    if (known != nullptr && *known == facts) return false;
    set(std::move(facts));
    return true;
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
