/// Finds the module and the framework call that a node comes from: first by exporter metadata, then by the node's name.
/// Private to this component.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/onnx_import/steps.h"
#include "ir/onnx_schemas/onnx_proto.h"
#include "ir/scope_tree.h"
#include "support/string_pool.h"

namespace amdahlc::ir::onnx_import {

struct NodeSource {
  /// Module path with dots, as PyTorch's `named_modules` writes it.
  std::string scope;
  /// The modules around the node, from the root's children to its own: path, and last component of the class.
  std::vector<std::pair<std::string, std::string>> modules;
  /// FX node.
  std::string call;
  /// `aten.addmm.default`.
  std::string target;
};

/// Elements of a Python list of string literals; empty for anything else.
std::vector<std::string> parsePythonList(std::string_view text);

/// True for metadata that `SourceResolver` turns into a `NodeSource`: it need not be kept as text.
bool isSourceMetadata(std::string_view key);

/// Resolves nodes of one model. Needs the whole model: a name such as `relu_1` is the second call of `relu` only if
/// there is a `relu`.
class SourceResolver {
 public:
  explicit SourceResolver(const onnx::ModelProto& model, const GraphConstants& constants = {});
  NodeSource resolve(const onnx::NodeProto& node) const;

 private:
  void collect(const onnx::GraphProto& graph, const GraphConstants& constants);
  std::string scopeFromName(const onnx::NodeProto& node) const;
  bool ownsParameters(std::string_view module) const;
  std::string foldedInto(const onnx::NodeProto& node) const;

  /// Of both trees.
  StringPool components_;
  /// Module paths of node names, as written.
  ScopeTree paths_;
  /// Dotted prefixes of parameter names: modules that own parameters.
  ScopeTree parameters_;
};

}  // namespace amdahlc::ir::onnx_import
