/// Scores the calls of a run against the units of the graph in one order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "passes/trace_bind/choose_cover.h"
#include "passes/trace_bind/generated_code.h"
#include "passes/trace_bind/judges.h"

namespace amdahlc::binding {

/// Which alternatives something connects with a kind of call: a rule that fits it, the name of an operator, a node.
class Connections {
 public:
  Connections(const ObservedRun& run, const Program& program);

  /// The alternatives, ascending, of which all others are no evidence at all.
  std::set<AlternativeId> of(const CallFeatures& call);
  /// The anchors of what generated code only copies operands or results for (`GeneratedCode::leftToLibrary`).
  std::vector<ir::OpId> copiedFor(const CallFeatures& call);
  /// Whether the exporter names some operator of the call.
  bool isExported(const CallFeatures& call) const;
  /// The comparable name of the operator that the exporter took the unit from; empty if unknown.
  const std::string& source(UnitId unit) const { return sources_[unit]; }

 private:
  bool isGenerated(ir::RuleId rule) const { return rule != kNoRule && run_.graph.module().rules.rules[rule].generated; }
  GeneratedCode& generated();

  const ObservedRun& run_;
  const Program& program_;
  /// Where some kernel was generated.
  std::optional<GeneratedCode> generated_;
  std::vector<std::string> sources_;
  std::map<std::string, std::vector<UnitId>> bySource_;
  /// Alternatives by the comparable names of their operators' types.
  std::map<std::string, std::vector<AlternativeId>> byType_;
  std::vector<UnitId> movingData_;
  /// Where the trace states nodes: the alternatives that hold each.
  IdVector<ir::OpId, std::vector<AlternativeId>> holding_;
};

class Scorer {
 public:
  /// `kinds`, with its run, must outlive it.
  Scorer(const CallKinds& kinds, OrderKind order) : Scorer(kinds, order, kinds.run().rank(order)) {}
  /// `rank` is that of each operator in an order that the graph allows.
  Scorer(const CallKinds& kinds, OrderKind order, const IdVector<ir::OpId, uint32_t>& rank);
  Scorer(const Scorer&) = delete;

  OrderKind order() const { return order_; }
  const CallKinds& kinds() const { return kinds_; }
  const Program& program() const { return program_; }
  /// Of a call of this kind: ascending by step; at most one per step and number of calls.
  std::span<const Option> options(uint32_t kind) const { return scored_[kind].options; }
  /// What it costs to leave a call of this kind unbound.
  evidence::Row unbound(uint32_t kind) const { return scored_[kind].unbound; }
  /// The anchors of what a call of this kind without options only copies operands or results for; empty for others.
  std::span<const ir::OpId> copiedFor(uint32_t kind) const { return scored_[kind].copiedFor; }
  /// How much it tells that a call of this kind is explained or not.
  Score weight(uint32_t kind) const { return scored_[kind].weight; }
  /// Leaves out the alternatives that the cover lacks.
  void restrictTo(const ChosenCover& cover);

 private:
  struct Scored {
    std::vector<Option> options;
    std::vector<ir::OpId> copiedFor;
    evidence::Row unbound = evidence::Row::UnboundUnknown;
    Score weight = 0;
  };
  void scoreKinds();
  void score(const CallFeatures& call, Scored& scored);
  Score weigh(const CallFeatures& call, std::span<const Option> options) const;

  const CallKinds& kinds_;
  OrderKind order_;
  Program program_;
  Connections connections_;
  std::vector<Scored> scored_;
  /// By alternative.
  std::vector<bool> isLeftOut_;
};

}  // namespace amdahlc::binding
