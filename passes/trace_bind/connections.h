/// Which alternatives something connects with a kind of call: a rule that fits it, the name of an operator, a node.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "passes/trace_bind/call_kinds.h"
#include "passes/trace_bind/generated_code.h"
#include "passes/trace_bind/program.h"

namespace amdahlc::binding {

class Connections {
 public:
  Connections(const ObservedRun& run, const Program& program);

  /// The alternatives, ascending, of which all others are no evidence at all.
  std::set<AlternativeId> of(const CallFeatures& call);
  /// Whether the exporter names some operator of the call.
  bool isExported(const CallFeatures& call) const;
  /// The comparable name of the operator that the exporter took the unit from; empty if unknown.
  const std::string& source(UnitId unit) const { return sources_[unit]; }

 private:
  bool isGenerated(ir::RuleId rule) const { return rule != kNoRule && run_.graph.module().rules.rules[rule].generated; }
  bool explains(AlternativeId group, const std::string& operatorList);

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

}  // namespace amdahlc::binding
