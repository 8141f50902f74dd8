/// The programs of several runs as one sequence of calls.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/program_import/program_import.h"

namespace amdahlc::ir {

/// Numbers what calls of different runs have in common if they may be one node: the path of their scope and the name of
/// the operator.
class CallKeys {
 public:
  uint32_t of(std::string_view scope, std::string_view name) {
    return keys_.try_emplace({std::string(scope), std::string(name)}, static_cast<uint32_t>(keys_.size()))
        .first->second;
  }

 private:
  std::map<std::pair<std::string, std::string>, uint32_t> keys_;
};

/// The path of each scope of a program, with dots between modules: `Encoder_0.Linear_3`.
IdVector<program::ScopeId, std::string> scopePaths(const Timeline& timeline, const program::Program& program);

/// The key of each node.
std::vector<uint32_t> keysOf(const Timeline& timeline, const program::Program& program, CallKeys& keys);

/// A call of some runs.
struct MergedCall {
  /// By run: its node; none if the run does not make the call.
  std::vector<program::NodeId> nodes;
  /// The first run that makes it.
  size_t first() const {
    size_t run = 0;
    while (nodes[run].isNone()) ++run;
    return run;
  }
};

/// A sequence in which the calls of each run are in their order. Runs are merged one after the other: a call of the
/// next one is a call of those before where a longest common subsequence says so, by key.
std::vector<MergedCall> mergePrograms(std::span<const RunProgram> runs);

}  // namespace amdahlc::ir
