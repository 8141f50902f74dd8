/// Makes a module of the program of a recorded run: the front end for traces without a model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ir/module.h"
#include "replay/timeline/timeline.h"
#include "runs/program/program.h"
#include "runs/program/program_data.h"

namespace amdahlc::ir {

/// A run as a front end.
struct RunProgram {
  const Timeline& timeline;
  program::Program program;
  /// Of its execution trace, if there is one.
  std::optional<program::ProgramData> data = std::nullopt;
};

/// The domains of operators that no library names.
inline constexpr std::string_view kDeviceDomain = "device", kRegionDomain = "region";

/// The graph of the programs of some runs: an operator for each node, in order, and for each operand of a call that is
/// a tensor an input of the graph, because a trace does not say which tensor it is. Shapes and element types are those
/// of the call, where the trace has them. `Op::sourceCall` is the node's name, which is unique, and `Op::sourceTarget`
/// the operator as the trace names it, or the device event.
///
/// Calls are lowered to operators of ONNX by the lowerings of the rules that apply to the target. All others stay: the
/// operator `lib::name` has the type `name` in the domain `lib`. A device event that no operator launched has the short
/// name of its kernel as type, in the domain `device`. A region that a name without a library stands for is in the
/// domain `region`. A node is named by its scope and operator, and the second one of equal names by its number:
/// `Encoder_0.Linear_3/linear_1`. Where a trace states which node of a model a call runs, the operator has its name,
/// and its type is of ONNX.
///
/// Nodes of several runs are one where a longest common subsequence of the programs, by scope and operator, assigns
/// them to each other. The nodes of each run are in their order, and facts about a node are those of the first run that
/// has it. Precondition: there is a run.
///
/// With the execution trace of a run, its calls use the results of others: what a call reads is the result of the call
/// that last returned that tensor, such as a view, or else wrote its memory; what no call of the iteration wrote is an
/// input, one for each tensor. A write in place is a further result, with the shape that its reader sees. Calls that
/// are in no execution trace keep their order.
Module importPrograms(std::span<const RunProgram> runs, const RuleSet& rules);

/// The node of the module, by number, that each node of a run's program is: calls are numbered in order, all operators
/// with one `Op::sourceCall` together. nullopt if the run makes a call that the module does not have, or has in another
/// order: the module is not the program of this run.
std::optional<IdVector<program::NodeId, uint32_t>> callsOf(const Module& module, const Timeline& run,
                                                           const program::Program& program);

}  // namespace amdahlc::ir
