#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <onnx/common/proto_util.h>
#include <onnx/inliner/inliner.h>

#include "ir/onnx_import/steps.h"
#include "ir/onnx_import/wording.h"
#include "ir/verifier.h"
#include "support/limits.h"

namespace amdahlc::ir::onnx_import {

namespace {

/// Sums of sizes stay below it.
constexpr int64_t kCountedNodes = int64_t{1} << 40;

/// Size of a model after inlining, computed without inlining. Throws if functions are recursive or calls nest too deep.
class Expansion {
  using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

 public:
  explicit Expansion(const onnx::ModelProto& model) {
    for (const auto& function : model.functions()) {
      functions_[onnx::GetFunctionImplId(function)].push_back(&function);
      written_ += countNodes(function.node());
    }
    written_ += countNodes(model.graph().node());
  }

  /// The limit for the nodes of the model after inlining.
  int64_t maxNodes() const { return limits::kFreeInlinedNodes + limits::kInlinedNodesPerNode * written_; }

  struct Size {
    int64_t nodes = 0;
    int64_t nesting = 0;
    void add(const Size& other) {
      nodes = std::min(nodes + other.nodes, kCountedNodes);
      nesting = std::max(nesting, other.nesting);
    }
  };

  Size of(const Nodes& nodes) {
    Size total;
    for (const auto& node : nodes) {
      total.add({1, 0});
      onnx_schemas::forEachBody(node, [&](const auto& body) { total.add(nested(body)); });
      // The library keeps one of several functions with one name. All count.
      if (const auto found = functions_.find(onnx::GetCalleeId(node)); found != functions_.end())
        for (const auto* function : found->second) total.add(of(*function));
    }
    return total;
  }

 private:
  /// Those in the file, with nested graphs.
  static int64_t countNodes(const Nodes& nodes) {
    int64_t count = nodes.size();
    for (const auto& node : nodes)
      onnx_schemas::forEachBody(node, [&](const auto& body) { count += countNodes(body.node()); });
    return count;
  }

  Size nested(const onnx::GraphProto& graph) {
    Size size = of(graph.node());
    ++size.nesting;
    return size;
  }

  Size of(const onnx::FunctionProto& function) {
    if (const auto known = sizes_.find(&function); known != sizes_.end()) return known->second;
    if (!active_.insert(&function).second)
      throw std::runtime_error(fmt::format("function `{}` calls itself, perhaps through others", function.name()));
    if (active_.size() > limits::kFunctionCalls)
      throw std::runtime_error(fmt::format("function calls are nested more than {} deep", limits::kFunctionCalls));
    const Size size = of(function.node());
    active_.erase(&function);
    sizes_.emplace(&function, size);
    return size;
  }

  /// By the text that the library's inliner looks them up by.
  std::unordered_map<std::string, std::vector<const onnx::FunctionProto*>> functions_;
  // Looked up, never iterated.
  std::map<const onnx::FunctionProto*, Size> sizes_;
  std::set<const onnx::FunctionProto*> active_;
  /// Nodes in the file.
  int64_t written_ = 0;
};

}  // namespace

bool inlineFunctions(onnx::ModelProto& model, const std::string& file, DiagnosticEngine& diagnostics) {
  const auto reject = [&](std::string message) {
    diagnostics.error(DiagId::OnnxInvalid, FileLocation{file}, std::move(message));
    return false;
  };
  const bool hasFunctions = model.functions_size() > 0;
  const auto inlined = [&] {
    Expansion expansion(model);
    const Expansion::Size size = expansion.of(model.graph().node());
    if (hasFunctions && size.nodes > expansion.maxNodes())
      return reject(
          fmt::format("the model has {}{} nodes once its functions are inlined; the limit is {}, which is {} and {} "
                      "for each node of "
                      "the file",
                      size.nodes == kCountedNodes ? "at least " : "", size.nodes, expansion.maxNodes(),
                      limits::kFreeInlinedNodes, limits::kInlinedNodesPerNode));
    if (size.nesting > limits::kGraphNesting)
      return reject(fmt::format("graphs are nested {} deep{}, more than {}", size.nesting,
                                hasFunctions ? " once functions are inlined" : "", limits::kGraphNesting));
    if (hasFunctions) onnx::inliner::InlineLocalFunctions(model);
    return true;
  };
  return callLibrary(inlined, [&](const char* what) {
    return reject(fmt::format("functions cannot be inlined: {}", libraryMessage(what)));
  });
}

}  // namespace amdahlc::ir::onnx_import
