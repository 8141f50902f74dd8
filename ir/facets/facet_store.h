/// The stored facts of one run, by facet.
///
/// Each facet of the level `Run` is a class with its data, its text form and its invariants. To add one: a row in
/// `facets.def`, `ir/facets/<name>.h` and `.cpp` with the class `<Id>Facet`, and that class in `FacetStore`.
#pragma once

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ir/facets/bound.h"
#include "ir/facets/critical_path.h"
#include "ir/facets/facet.h"
#include "ir/facets/timed.h"

namespace amdahlc::ir {

/// The facets of one cover, by type, each at most once.
class FacetStore {
  using Facts = std::tuple<std::optional<BoundFacet>, std::optional<TimedFacet>, std::optional<CriticalPathFacet>>;

 public:
  /// Those that a cover can have.
  static constexpr FacetSet kStored = []<typename... F>(std::type_identity<std::tuple<std::optional<F>...>>) {
    return FacetSet{F::kFacet...};
  }(std::type_identity<Facts>());

  /// Null if the facet is not established for this cover.
  template <typename F>
  const F* get() const {
    const std::optional<F>& facts = std::get<std::optional<F>>(facts_);
    return facts ? &*facts : nullptr;
  }
  template <typename F>
  F* get() {
    return const_cast<F*>(std::as_const(*this).get<F>());
  }
  bool has(Facet facet) const {
    bool has = false;
    visit(facet, [&](const auto&) { has = true; });
    return has;
  }
  /// Calls `use` with the facts of this facet if they are there.
  template <typename Use>
  void visit(Facet facet, const Use& use) const {
    forEach(facts_, [&](Facet known, const auto& facts) {
      if (known == facet && facts) use(*facts);
    });
  }

  /// Sets the facts of this facet. The reference is valid until the facet is set again or dropped, or
  /// the cover moves.
  template <typename F>
  F& set(F facts) {
    return std::get<std::optional<F>>(facts_).emplace(std::move(facts));
  }
  /// Like `set`. Returns whether the facts differ from those that were stored.
  template <typename F>
  bool replace(F facts) {
    const F* known = get<F>();
    if (known != nullptr && *known == facts) return false;
    set(std::move(facts));
    return true;
  }
  /// Sets empty facts of this facet, and calls `fill` with them.
  template <typename Fill>
  void add(Facet facet, const Fill& fill) {
    forEach(facts_, [&](Facet known, auto& facts) {
      if (known == facet) fill(facts.emplace());
    });
  }
  void drop(FacetSet dropped) {
    forEach(facts_, [&](Facet known, auto& facts) {
      if (dropped.contains(known)) facts.reset();
    });
  }

 private:
  static void forEach(auto& facts, const auto& visit) {
    std::apply([&](auto&... each) { (visit(std::remove_cvref_t<decltype(*each)>::kFacet, each), ...); }, facts);
  }

  Facts facts_;
};

}  // namespace amdahlc::ir
