#include "ir/onnx_import/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <ranges>

#include "ir/onnx_schemas/program_keys.h"
#include "ir/onnx_schemas/registry.h"
#include "support/limits.h"

namespace amdahlc::ir::onnx_import {

namespace {

constexpr std::string_view kNameScopes = "pkg.torch.onnx.name_scopes";
constexpr std::string_view kClassHierarchy = "pkg.torch.onnx.class_hierarchy";
constexpr std::string_view kFxNode = "pkg.torch.onnx.fx_node";
/// The rewrites that the exporter made of the node.
constexpr std::string_view kRewriter = "pkg.onnxscript.rewriter.rule_name";
constexpr std::string_view kFoldedBatchNorm = "FuseBatchNorm";
/// The first two lists, zipped and printed.
constexpr std::string_view kNamespace = "namespace";

std::string_view metadata(const onnx::NodeProto& node, std::string_view key) {
  for (const auto& entry : node.metadata_props())
    if (entry.key() == key) return entry.value();
  return {};
}

/// `relu_1` -> `relu`; the text itself where no running number of a repeat ends it.
std::string_view withoutRepeatNumber(std::string_view text) {
  const size_t underscore = text.rfind('_');
  if (underscore == std::string_view::npos || underscore == 0 || underscore + 1 == text.size()) return text;
  const std::string_view digits = text.substr(underscore + 1);
  if (!std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; })) return text;
  return digits.front() == '0' ? text : text.substr(0, underscore);
}

/// torch.export writes `layer1.0.relu@1` for the second call of a module.
std::string withoutCallNumbers(std::string_view path) {
  std::string result;
  while (true) {
    const size_t at = path.find('@');
    result += path.substr(0, at);
    if (at == std::string_view::npos) return result;
    path.remove_prefix(std::min(path.find_first_not_of("0123456789", at + 1), path.size()));
  }
}

std::string lastComponent(std::string_view dotted) { return std::string(dotted.substr(dotted.rfind('.') + 1)); }

bool isOperatorName(std::string_view text) {
  return onnx_schemas::findSchema(onnx::ONNX_DOMAIN, std::string(text), std::numeric_limits<int>::max()) != nullptr;
}

/// The path that a node was exported with: its name or, where ONNX Runtime's fusions gave it one of their own, that of
/// its first result.
std::string_view exportedPath(const onnx::NodeProto& node) {
  if (node.name().starts_with('/')) return node.name();
  if (node.output_size() == 0 || !node.output(0).starts_with('/')) return {};
  const std::string_view result = node.output(0);
  return result.substr(0, result.rfind("_output_"));
}

/// The module components of a TorchScript node name: `/a/b/MatMul_1` -> {a, b}. ONNX Runtime's fusions append their own
/// name to the node that they replace: `/a/b/MatMul/MatMulAddFusion`.
std::vector<std::string> modulePath(const onnx::NodeProto& node) {
  const std::string_view exported = exportedPath(node);
  if (exported.size() < 2) return {};
  std::vector<std::string> path;
  for (const auto component : std::views::split(exported.substr(1), '/'))
    path.emplace_back(component.begin(), component.end());
  size_t modules = path.size() - 1;
  if (withoutRepeatNumber(path.back()) != node.op_type()) {
    constexpr size_t kMaxAppended = 2;
    const size_t first = path.size() - std::min(path.size(), kMaxAppended + 1);
    for (size_t i = path.size(); i > first; --i) {
      if (!isOperatorName(withoutRepeatNumber(path[i - 1]))) continue;
      modules = i - 1;
      break;
    }
  }
  path.resize(std::min<size_t>(modules, limits::kScopeNesting));
  return path;
}

/// Reads `%name : [...] = call_function[target=torch.ops.aten.add.Tensor](...)`.
void readFxNode(std::string_view text, NodeSource& source) {
  if (!text.starts_with('%')) return;
  text.remove_prefix(1);
  source.call = text.substr(0, text.find_first_of(" :="));
  constexpr std::string_view kTarget = "[target=";
  const size_t target = text.find(kTarget);
  if (target == std::string_view::npos) return;
  text.remove_prefix(target + kTarget.size());
  text = text.substr(0, text.find(']'));
  constexpr std::string_view kNamespacePrefix = "torch.ops.";
  if (text.starts_with(kNamespacePrefix)) text.remove_prefix(kNamespacePrefix.size());
  source.target = text;
}

}  // namespace

std::vector<std::string> parsePythonList(std::string_view text) {
  const auto skipSpace = [&] { text.remove_prefix(std::min(text.find_first_not_of(" \n\t"), text.size())); };
  skipSpace();
  if (!text.starts_with('[')) return {};
  text.remove_prefix(1);
  std::vector<std::string> items;
  while (true) {
    skipSpace();
    if (text.starts_with(']')) return items;
    if (!text.starts_with('\'') && !text.starts_with('"')) return {};
    std::string& item = items.emplace_back();
    size_t at = 1;
    for (; at < text.size() && text[at] != text.front(); ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) ++at;
      item += text[at];
    }
    if (at == text.size()) return {};
    text.remove_prefix(at + 1);
    skipSpace();
    if (text.starts_with(',')) text.remove_prefix(1);
  }
}

bool isSourceMetadata(std::string_view key) {
  return key.starts_with(onnx_schemas::kOwnKeys) || key == kNameScopes || key == kClassHierarchy || key == kFxNode ||
         key == kNamespace;
}

SourceResolver::SourceResolver(const onnx::ModelProto& model, const GraphConstants& constants) {
  collect(model.graph(), constants);
}

void SourceResolver::collect(const onnx::GraphProto& graph, const GraphConstants& constants) {
  const auto addParameter = [&](std::string_view name) {
    ScopeId owner = kRootScope;
    for (size_t dot = name.find('.'), depth = 0; dot != std::string_view::npos && depth < limits::kScopeNesting;
         ++depth) {
      owner = parameters_.addChild(owner, components_.intern(name.substr(0, dot)));
      name.remove_prefix(dot + 1);
      dot = name.find('.');
    }
  };
  for (const auto& initializer : graph.initializer()) addParameter(initializer.name());
  // `takeConstants` left those without data out of the graph.
  if (const auto taken = constants.find(&graph); taken != constants.end())
    for (const ConstantInfo& constant : taken->second) addParameter(constant.name);
  for (const auto& input : graph.input()) addParameter(input.name());
  for (const auto& node : graph.node()) {
    ScopeId written = kRootScope;
    for (const std::string& component : modulePath(node))
      written = paths_.addChild(written, components_.intern(component));
    onnx_schemas::forEachBody(node, [&](const auto& body) { collect(body, constants); });
  }
}

bool SourceResolver::ownsParameters(std::string_view module) const {
  return parameters_.find(module, components_) != kNone;
}

std::string SourceResolver::scopeFromName(const onnx::NodeProto& node) const {
  ScopeId written = kRootScope;  // the path as the name has it
  std::string scope;             // the same as a module path
  std::string_view previous;     // last component of `written`, without its repeat number
  size_t previousAt = 0;         // where it starts in `scope`
  const std::vector<std::string> path = modulePath(node);
  for (const std::string& component : path) {
    std::string_view name = component;
    // The second call of a module is written `relu_1`. A module with that name owns parameters, or has no sibling
    // without the number.
    const std::string_view base = withoutRepeatNumber(component);
    if (base.size() != component.size()) {
      const std::string owner = fmt::format("{}{}{}", scope, scope.empty() ? "" : ".", component);
      const auto first = components_.lookUp(base);
      if (first && paths_.findChild(written, *first) != kNone && !ownsParameters(owner)) name = base;
    }
    const auto known = components_.lookUp(component);
    written = known ? paths_.findChild(written, *known) : ScopeId(kNone);
    // A container's child is written with the container's name before it, and the container as well where it was
    // called: `/layer1/layer1.0`.
    const bool repeatsPrevious = !previous.empty() && name.size() > previous.size() + 1 && name.starts_with(previous) &&
                                 name[previous.size()] == '.';
    if (repeatsPrevious)
      scope.erase(previousAt);
    else if (!scope.empty())
      scope += '.';
    previousAt = scope.size();
    scope += name;
    previous = name;
  }
  return scope;
}

NodeSource SourceResolver::resolve(const onnx::NodeProto& node) const {
  NodeSource source;
  if (const std::string_view call = metadata(node, onnx_schemas::kCallKey); !call.empty()) {
    source.call = call;
    source.target = metadata(node, onnx_schemas::kOperatorKey);
    source.scope = metadata(node, onnx_schemas::kScopeKey);
    return source;
  }
  readFxNode(metadata(node, kFxNode), source);
  // From the root module down to the call itself, which is the last element.
  const std::vector<std::string> scopes = parsePythonList(metadata(node, kNameScopes));
  if (scopes.empty()) {
    source.scope = scopeFromName(node);
    return source;
  }
  if (scopes.size() < 2) return source;
  source.scope = withoutCallNumbers(scopes[scopes.size() - 2]);
  const std::vector<std::string> classes = parsePythonList(metadata(node, kClassHierarchy));
  if (classes.size() == scopes.size())
    for (size_t i = 0; i + 1 < scopes.size(); ++i)
      source.modules.emplace_back(withoutCallNumbers(scopes[i]), lastComponent(classes[i]));
  if (const std::string owner = foldedInto(node); !owner.empty() && owner != source.scope) {
    // The node has the scope and the call of the batch norm, but it runs as the convolution.
    source.scope = owner;
    source.call.clear();
    source.target.clear();
  }
  return source;
}

/// The module of a convolution that a batch norm was folded into: the owner of its weight.
std::string SourceResolver::foldedInto(const onnx::NodeProto& node) const {
  constexpr std::string_view kWeight = ".weight";
  if (metadata(node, kRewriter).find(kFoldedBatchNorm) == std::string_view::npos || node.input_size() < 2) return {};
  const std::string& weight = node.input(1);
  if (!weight.ends_with(kWeight)) return {};
  std::string owner = weight.substr(0, weight.size() - kWeight.size());
  return ownsParameters(owner) ? owner : std::string();
}

}  // namespace amdahlc::ir::onnx_import
