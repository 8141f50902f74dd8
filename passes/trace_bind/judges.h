/// The kinds of evidence that a call runs an alternative of the graph: what each says of a pair of both.
#pragma once

#include <optional>
#include <string>

#include "passes/trace_bind/call_kinds.h"
#include "passes/trace_bind/evidence.h"
#include "passes/trace_bind/program.h"

namespace amdahlc::binding {

/// A kind of call, and an alternative that something connects with it.
struct Pair {
  const ir::Module& module;
  /// All kinds of the run.
  const CallKinds& kinds;
  const CallFeatures& call;
  /// How the launches of the call fit the rule of the alternative.
  const RuleFit& fit;
  const Alternative& alternative;
  /// The unit of its anchor, and the comparable name of the operator that the exporter took it from; empty if unknown.
  const Unit& unit;
  const std::string& source;
  const Program::Place& place;
};

/// nullopt if the call cannot run the alternative. `connection` is the score of what connects the two alone: the node,
/// the operators and the names of kernels.
std::optional<Judgement> judge(const Pair& pair, Score& connection);

}  // namespace amdahlc::binding
