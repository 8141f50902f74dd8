// What the metadata of a program says, which `ir/onnx_export` wrote (docs/programs.md).

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "ir/domain.h"
#include "ir/onnx_import/steps.h"
#include "ir/onnx_schemas/operators.h"
#include "ir/onnx_schemas/program_keys.h"
#include "support/printable.h"
#include "support/sort_unique.h"

namespace amdahlc::ir::onnx_import {

using namespace onnx_schemas;

namespace {

template <typename Message>
std::string_view metadata(const Message& message, std::string_view key) {
  for (const auto& entry : message.metadata_props())
    if (entry.key() == key) return entry.value();
  return {};
}

template <typename Number>
std::optional<Number> numberOf(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

class ProgramReader {
 public:
  ProgramReader(const onnx::ModelProto& model, const std::string& file, Module& module, DiagnosticEngine& diagnostics)
      : model_(model), graph_(model.graph()), file_(file), module_(module), diagnostics_(diagnostics) {}

  bool read() {
    if (!readHeader()) return false;
    readConstants();
    for (const auto& entry : graph_.metadata_props()) readClass(entry.key(), entry.value());
    std::erase_if(module_.opsets, [](const auto& opset) { return newestOpset(opset.first) == 0; });
    int index = 0;
    for (const OpId op : module_.graphs[kMainGraph].order)
      if (!readNode(graph_.node(index++), op)) return false;
    return true;
  }

 private:
  bool fail(const std::string& node, const std::string& what) {
    diagnostics_.error(DiagId::OnnxInvalid, OnnxLocation{file_, printable(graph_.name()), printable(node), ""},
                       printable(what));
    return false;
  }

  bool readHeader() {
    const std::string_view frontEnd = metadata(model_, kProgramKey);
    const auto* found = std::ranges::find(kFrontEnds, frontEnd);
    if (found == std::end(kFrontEnds) || found == std::begin(kFrontEnds))
      return fail("", fmt::format("`{}` is `{}`, not `{}` or `{}`", kProgramKey, frontEnd, name(FrontEnd::Trace),
                                  name(FrontEnd::ExecutionTrace)));
    module_.frontEnd = static_cast<FrontEnd>(found - std::begin(kFrontEnds));
    const std::string_view edges = metadata(model_, kDataEdgesKey);
    const auto number = numberOf<int64_t>(edges);
    if (!number || *number < 0) return fail("", fmt::format("`{}` is `{}`, not a number", kDataEdgesKey, edges));
    module_.dataEdges = *number;
    module_.target = {std::string(metadata(model_, kRuntimeKey)), std::string(metadata(model_, kVendorKey)),
                      std::string(metadata(model_, kArchKey)), std::string(metadata(model_, kDeviceKey))};
    return true;
  }

  void readConstants() {
    std::unordered_set<std::string_view> names;
    for (const auto& input : graph_.input())
      if (!metadata(input, kConstantKey).empty()) names.insert(input.name());
    std::erase_if(module_.graphs[kMainGraph].inputs, [&](ValueId id) {
      Value& value = module_.values[id];
      if (!names.contains(module_.text(value.name))) return false;
      value.kind = Value::Kind::Constant;
      value.constant = TensorConstant{value.type, std::nullopt, std::nullopt};
      return true;
    });
  }

  void readClass(std::string_view key, std::string_view moduleClass) {
    if (!key.starts_with(kClassKey)) return;
    key.remove_prefix(std::string_view(kClassKey).size());
    if (const ScopeId scope = module_.findScope(key); !scope.isNone() && scope != kRootScope)
      module_.scopes.setClass(scope, module_.strings.intern(moduleClass));
  }

  bool readNode(const onnx::NodeProto& node, OpId id) {
    Op& op = module_.ops[id];
    const std::string_view number = metadata(node, kIdKey);
    const auto own = numberOf<uint32_t>(number);
    if (!own || !ops_.emplace(*own, id).second)
      return fail(node.name(), fmt::format("`{}` is `{}`, not a number that no other node has", kIdKey, number));
    if (op.sourceCall.empty() || op.sourceTarget.empty() || !op.regions.empty())
      return fail(node.name(), op.regions.empty()
                                   ? fmt::format("a node of a program has `{}` and `{}`", kCallKey, kOperatorKey)
                                   : "a node of a program has no bodies");
    const std::string_view domain = module_.text(op.domain);
    if (domain == kLoweredDomain)
      op.domain = {};
    else if (const std::string within = fmt::format("{}.", kLoweredDomain); domain.starts_with(within))
      op.domain = module_.strings.intern(ownDomain(domain.substr(within.size())));
    for (std::string_view after = metadata(node, kAfterKey); !after.empty();) {
      const std::string_view one = after.substr(0, after.find(','));
      after.remove_prefix(std::min(one.size() + 1, after.size()));
      const auto before = numberOf<uint32_t>(one);
      const auto known = before ? ops_.find(*before) : ops_.end();
      if (known == ops_.end() || known->second == id)
        return fail(node.name(),
                    fmt::format("no node before it has the `{}` `{}` of its `{}`", kIdKey, one, kAfterKey));
      op.controlPredecessors.push_back(known->second);
    }
    sortUnique(op.controlPredecessors);
    return true;
  }

  const onnx::ModelProto& model_;
  const onnx::GraphProto& graph_;
  const std::string& file_;
  Module& module_;
  DiagnosticEngine& diagnostics_;
  /// By id in the file.
  std::unordered_map<uint32_t, OpId> ops_;
};

}  // namespace

bool isProgram(const onnx::ModelProto& model) { return !metadata(model, kProgramKey).empty(); }

bool readProgram(const onnx::ModelProto& model, const std::string& file, Module& module,
                 DiagnosticEngine& diagnostics) {
  return ProgramReader(model, file, module, diagnostics).read();
}

}  // namespace amdahlc::ir::onnx_import
