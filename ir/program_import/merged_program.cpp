#include "ir/program_import/merged_program.h"

#include "replay/runtimes/runtime.h"
#include "support/common_subsequence.h"

namespace amdahlc::ir {

IdVector<program::ScopeId, std::string> scopePaths(const Timeline& timeline, const program::Program& program) {
  const RuntimeAdapter& runtime = runtimeAdapter(timeline.target.runtime);
  IdVector<program::ScopeId, std::string> paths;
  for (const program::Scope& scope : program.scopes) {
    std::string path = scope.parent.isNone() ? "" : paths[scope.parent];
    const std::string_view own = runtime.moduleInstance(timeline.text(scope.name));
    if (!path.empty() && !own.empty()) path += '.';
    paths.push_back(path.append(own));
  }
  return paths;
}

std::vector<uint32_t> keysOf(const Timeline& timeline, const program::Program& program, CallKeys& keys) {
  const auto paths = scopePaths(timeline, program);
  std::vector<uint32_t> all;
  all.reserve(program.nodes.size());
  for (const program::Node& node : program.nodes) all.push_back(keys.of(paths[node.scope], timeline.text(node.name)));
  return all;
}

std::vector<MergedCall> mergePrograms(std::span<const RunProgram> runs) {
  CallKeys keys;
  std::vector<MergedCall> merged;
  std::vector<uint32_t> mergedKeys;
  for (size_t run = 0; run < runs.size(); ++run) {
    const std::vector<uint32_t> own = keysOf(runs[run].timeline, runs[run].program, keys);
    std::vector<MergedCall> next;
    std::vector<uint32_t> nextKeys;
    size_t before = 0, at = 0;
    const auto takeBefore = [&](size_t end) {
      for (; before < end; ++before) {
        next.push_back(std::move(merged[before]));
        nextKeys.push_back(mergedKeys[before]);
      }
    };
    const auto takeOwn = [&](size_t end) {
      for (; at < end; ++at) {
        next.emplace_back().nodes.resize(runs.size());
        next.back().nodes[run] = program::NodeId(at);
        nextKeys.push_back(own[at]);
      }
    };
    for (const auto& [place, node] : commonSubsequence(mergedKeys, own)) {
      takeBefore(place);
      takeOwn(node);
      merged[place].nodes[run] = program::NodeId(node);
      takeBefore(place + 1);
      at = node + 1;
    }
    takeBefore(merged.size());
    takeOwn(own.size());
    merged = std::move(next);
    mergedKeys = std::move(nextKeys);
  }
  return merged;
}

}  // namespace amdahlc::ir
