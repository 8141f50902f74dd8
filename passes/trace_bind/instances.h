/// Module instances as latent variables: which scope of the graph an instance of the trace (`Linear_4`) is.
///
/// The name of an instance means one object in the whole trace. Bindings that were found without modules vote for the
/// scope of their instance, with the weight of their evidence; the votes are evidence for the next alignment.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "ir/ids.h"
#include "ir/scope_tree.h"
#include "passes/trace_bind/launches.h"
#include "passes/trace_bind/program.h"
#include "support/string_pool.h"

namespace amdahlc::binding {

class Instances {
 public:
  void vote(Symbol instance, ir::ScopeId scope, int64_t weight);
  /// Takes the evidence that a call in the instance runs a unit of the scope; none if the instance has no votes.
  void judge(Symbol instance, ir::ScopeId scope, Judgement& judgement) const;
  /// The inferred scope; of an instance without one, the scope with most votes.
  std::optional<ir::ScopeId> scopeOf(Symbol instance) const;
  /// Gives scopes to instances without votes, from the outermost one inwards to those with: the exported model is the
  /// root, and an instance around others is the innermost scope around theirs. So is one of which no scope has most of
  /// the votes: a compiled model runs the calls of all of its modules as its own.
  void inferAround(const Launches& launches, std::optional<Symbol> root, const ir::ScopeTree& scopes);
  /// The scope of the innermost of the frame and the frames around it that has one.
  std::optional<ir::ScopeId> scopeAround(const Launches& launches, HostEventId frame) const;
  bool empty() const { return votes_.empty(); }

 private:
  std::map<uint32_t, std::map<ir::ScopeId, int64_t>> votes_;
  std::map<uint32_t, int64_t> ofInstance_;
  std::map<ir::ScopeId, int64_t> ofScope_;
  std::map<uint32_t, ir::ScopeId> inferred_;
};

}  // namespace amdahlc::binding
