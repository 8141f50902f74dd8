/// Chooses a cover from candidates in an order of preference, so that the kernel graph stays acyclic. `fuse` chooses
/// the cover `default` with it, `trace-bind` the cover of a trace.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/module.h"
#include "ir/operator_graph.h"
#include "passes/fuse/kernel_quotient.h"

namespace amdahlc {

struct Decision {
  Choice choice = Choice::Undecided;
  /// Of `Overlaps` and `Cycle`, as in `KernelQuotient::Result`.
  ir::OpId op;
  /// Of `Overlaps`: the candidate whose kernel has `op`.
  ir::CandidateId rival;
};

/// Adds candidates of a module one by one. Refuses a candidate that would put an operator into two kernels or close a
/// cycle in the kernel graph.
class CoverBuilder {
 public:
  /// The module's candidates must not change while the builder lives.
  CoverBuilder(const ir::Module& module, const ir::OperatorGraph& graph);

  /// Chooses `candidate` if possible. A decision does not change later.
  const Decision& choose(ir::CandidateId candidate);
  /// Chooses in the given order.
  void choose(std::span<const ir::CandidateId> candidates);
  /// Adds a kernel without a candidate. The anchor is the first of `ops`, the others ascend. Adds nothing and returns
  /// false if `choose` would refuse a candidate of them.
  bool addGroup(std::vector<ir::OpId> ops);
  const Decision& decision(ir::CandidateId candidate) const { return decisions_[candidate]; }
  /// Whether some chosen candidate or added group holds `op`.
  bool isCovered(ir::OpId op) const;

  /// Kernels of the chosen candidates and the added groups, and one for each remaining live operator, numbered. nullopt
  /// if the operators themselves form a cycle (the verifier rejects such a module).
  std::optional<IdVector<ir::KernelId, ir::Kernel>> kernels() const;

 private:
  const ir::Module& module_;
  const ir::OperatorGraph& graph_;
  KernelQuotient quotient_;
  IdVector<ir::CandidateId, Decision> decisions_;
  /// The first chosen candidate that holds the operator.
  IdVector<ir::OpId, ir::CandidateId> chosenFor_;
  /// In order of choice.
  std::vector<ir::CandidateId> chosen_;
  std::vector<std::vector<ir::OpId>> groups_;
  IdVector<ir::OpId, bool> inGroup_;
};

/// A cover with the candidates of `preferred` in that order where possible, then all others in `ChoiceOrder`.
/// Candidates in `excluded` are never chosen.
std::optional<IdVector<ir::KernelId, ir::Kernel>> coverFromSelection(const ir::Module& module,
                                                                     const ir::OperatorGraph& graph,
                                                                     std::span<const ir::CandidateId> preferred,
                                                                     std::span<const ir::CandidateId> excluded = {});

/// Sets `component` of each candidate: dense, in order of the component's first candidate.
void assignComponents(IdVector<ir::CandidateId, ir::Candidate>& candidates, size_t opCount);

/// The grouping that one target has. A module may have runs of several targets, and rules for all of them.
struct TargetGrouping {
  /// The rules that apply there.
  IdVector<ir::RuleId, bool> admitted;
  /// Operators that cost nothing there.
  std::vector<ir::OperatorName> views;
  /// Kernels without a trace: candidates of admitted rules in the order of choice.
  IdVector<ir::KernelId, ir::Kernel> kernels;
};

/// The candidates of admitted rules in the order of choice, without those of `generated` rules, which only a trace
/// tells.
std::vector<ir::CandidateId> candidatesOf(const ir::Module& module, const ir::OperatorGraph& graph,
                                          const IdVector<ir::RuleId, bool>& admitted);

/// nullopt if the operators themselves form a cycle. The default cover is not read: it may be that of another target.
std::optional<TargetGrouping> groupingOn(const ir::Module& module, const ir::OperatorGraph& graph,
                                         const Target& target);

}  // namespace amdahlc
