/// The kinds of facts that passes store. `facets.def` is the one list of them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

namespace amdahlc {
struct Timeline;
}

namespace amdahlc::ir {

class CoverReporter;
class Module;
class TextReader;
class TextWriter;
struct Cover;

/// A kind of fact that a pass establishes and others require.
enum class Facet : uint8_t {
#define AMDAHLC_FACET(ID, ...) ID,
#include "ir/facets/facets.def"
};

/// Where the facts of a facet are stored.
enum class FacetLevel : uint8_t {
  /// In the module itself: its graphs, rules, candidates or covers.
  Module,
  /// In each cover that belongs to a trace, in its `FacetStore`.
  Run,
};

/// A set of facets.
class FacetSet {
 public:
  constexpr FacetSet() = default;
  constexpr FacetSet(std::initializer_list<Facet> facets) {
    for (const Facet facet : facets) insert(facet);
  }
  constexpr bool contains(Facet facet) const { return (bits_ & bit(facet)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool intersects(FacetSet other) const { return (bits_ & other.bits_) != 0; }
  constexpr bool containsAll(FacetSet other) const { return (other.bits_ & ~bits_) == 0; }
  constexpr void insert(Facet facet) { bits_ |= bit(facet); }
  constexpr void insert(FacetSet facets) { bits_ |= facets.bits_; }
  constexpr void erase(FacetSet facets) { bits_ &= ~facets.bits_; }
  friend constexpr bool operator==(FacetSet, FacetSet) = default;
  /// The facets that are in both.
  friend constexpr FacetSet operator&(FacetSet a, FacetSet b) {
    a.bits_ &= b.bits_;
    return a;
  }

 private:
  static constexpr uint64_t bit(Facet facet) { return uint64_t{1} << static_cast<unsigned>(facet); }
  uint64_t bits_ = 0;
};

/// One row of `facets.def`.
struct FacetInfo {
  Facet facet;
  /// Kebab case, as IR text has it: `critical-path`.
  std::string_view name;
  FacetLevel level;
  /// Its name in messages about a missing facet: `timed kernels`.
  std::string_view phrase;
  /// The facets from which it is directly derived.
  FacetSet derivedFrom;
};

/// In the order of `facets.def`.
std::span<const FacetInfo> allFacets();
const FacetInfo& info(Facet facet);
inline std::string_view name(Facet facet) { return info(facet).name; }
std::optional<Facet> facetFromName(std::string_view name);
/// `facet` and all that is derived from it, directly or not.
FacetSet withDerived(Facet facet);

/// The cover with the facts of a facet of the level `Run`. Its class has `print`, which writes the statements of the
/// block `NAME { ... }`; `parseStatement`, which reads one of them; and `verify`, which reports broken invariants and
/// may use all that is checked before: graphs, candidates, timelines, kernels, and facets that this one is derived
/// from.
struct FacetOwner {
  const Module& module;
  /// While it is parsed, its kernels and the facets printed before are present.
  const Cover& cover;
  /// The timeline of the cover's trace; null if there is none.
  const Timeline* timeline;
};

}  // namespace amdahlc::ir
