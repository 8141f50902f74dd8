/// The parts of the verifier. Each may use indices that earlier parts have checked. Private to this component.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/module.h"
#include "support/diagnostic.h"

namespace amdahlc::ir {

inline std::string number(uint64_t value) { return std::to_string(value); }
template <typename Tag>
std::string number(Id<Tag> id) {
  return std::to_string(id.index());
}

/// Ascending without repeats.
template <typename Range>
bool strictlyAscending(const Range& range) {
  return std::ranges::adjacent_find(range, [](const auto& a, const auto& b) { return !(a < b); }) == range.end();
}

/// Reports broken invariants, up to a bound.
class InvariantReporter {
 public:
  InvariantReporter(const Module& module, DiagnosticEngine& diagnostics) : module_(module), diagnostics_(diagnostics) {}

  bool sound() const { return count_ == 0; }
  void module(const std::string& message) { report({module_.modelName, {}, {}, {}}, message); }
  void graph(GraphId graph, const std::string& message);
  void op(OpId op, const std::string& message);
  void value(ValueId value, const std::string& message);
  void scenario(const Scenario& scenario) {
    count_ += !checkScenario(scenario, DiagId::IrInvariant, diagnostics_, "scenario `" + scenario.name + "`: ");
  }

 private:
  void report(OnnxLocation location, const std::string& message);
  std::string graphName(GraphId graph) const;

  const Module& module_;
  DiagnosticEngine& diagnostics_;
  size_t count_ = 0;
};

/// Reports broken invariants of one cover.
class CoverReporter {
 public:
  CoverReporter(const Cover& cover, InvariantReporter& reporter) : cover_(cover), reporter_(reporter) {}

  void cover(const std::string& message) { reporter_.module("cover `" + cover_.name + "`: " + message); }
  /// Checks that a facet has as many rows as the cover has kernels.
  void rows(Facet facet, size_t count) {
    if (count == cover_.kernels.size()) return;
    cover('`' + std::string(name(facet)) + "` has " + number(count) + " kernels, and the cover " +
          number(cover_.kernels.size()));
  }
  void kernel(KernelId kernel, const std::string& message) { cover("kernel " + number(kernel) + ": " + message); }

 private:
  const Cover& cover_;
  InvariantReporter& reporter_;
};

/// Indices, ownership, names.
void verifyStructure(const Module& module, InvariantReporter& reporter);
/// Kinds, types, constants.
void verifyValues(const Module& module, InvariantReporter& reporter);
/// Topological order and visibility.
void verifyOrder(const Module& module, InvariantReporter& reporter);
void verifyCandidates(const Module& module, InvariantReporter& reporter);
void verifyTimelines(const Module& module, InvariantReporter& reporter);
void verifyCovers(const Module& module, InvariantReporter& reporter);
/// Whether the stored facts are exactly those of the established facets.
void verifyFacets(const Module& module, InvariantReporter& reporter);

}  // namespace amdahlc::ir
