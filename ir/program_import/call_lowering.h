/// Which lowering fits a call of a framework's operator.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/expression/expression.h"
#include "ir/module.h"
#include "ir/onnx_schemas/operators.h"
#include "ir/rules.h"
#include "ir/type.h"
#include "replay/runtimes/runtime.h"
#include "replay/timeline/timeline.h"
#include "runs/execution_trace/execution_trace.h"

namespace amdahlc::ir {

/// The arguments of a call, as far as the trace tells.
struct CallOperands {
  /// Nothing is known.
  CallOperands() = default;
  CallOperands(const OperatorFacts& facts, const RuntimeAdapter& runtime);
  /// Those of a call in an execution trace, or, of `values`, what it returns. `schema` is the call's declaration.
  CallOperands(const execution_trace::ExecutionTrace& trace, std::span<const execution_trace::Value> values,
               const RuntimeAdapter& runtime, std::string_view schema = {});

  /// Places of tensors among the arguments from `first` on.
  std::vector<size_t> tensorsFrom(size_t first) const;

  bool isKnown = false;
  /// Whether the trace has the values of arguments that are no tensors.
  bool hasValues = false;
  /// The type of each argument that is a tensor, and of each tensor in a list of several; nullopt for others.
  std::vector<std::optional<Type>> arguments;
  /// Parallel to them: the argument is nothing.
  std::vector<bool> isAbsent;
  /// Parallel to them, if there are any: numbers, truth values, texts and lists of these; unknown for others. Texts are
  /// those of the trace.
  std::vector<expression::Value> values;
  /// Parallel to them, by the declaration; empty if there is none.
  std::vector<std::string_view> names;
  /// Of each argument of an execution trace: the tensor; `kNoTensor` for others.
  std::vector<uint32_t> tensors;
  static constexpr uint32_t kNoTensor = 0xffffffffu;

  /// The place of the argument that a parameter stands for, which the call may not have.
  size_t placeOf(const Lowering& lowering, size_t parameter) const;
};

/// The number of parameters in front of `...`, or of all.
size_t parametersBeforeMore(const Lowering& lowering);

/// Gives a constant that is a number, or a list of numbers, its type and its elements. Other values change nothing.
void setElements(const expression::Value& value, TensorConstant& constant);

/// The attributes of an operator of a lowered call.
struct LoweredAttributes {
  std::vector<Attribute> attributes;
  /// Whether these are all that the lowering states, so that others have their defaults. An argument that is nothing
  /// gives none.
  bool areKnown = true;
};

/// The lowerings that apply to a target.
class CallLowerings {
 public:
  /// The rules must outlive it.
  CallLowerings(const RuleSet& rules, const Target& target);

  /// The first one that fits; null if none does. Where nothing is known of the arguments, the one with the fewest
  /// operators, of those the one with the fewest parameters: what the call computes in any case.
  const Lowering* find(std::string_view call, const CallOperands& operands) const;

  /// By operator of a lowering that fits.
  std::vector<LoweredAttributes> attributesOf(const Lowering& lowering, const CallOperands& operands) const;

 private:
  /// In order of declaration. Looked up only.
  std::unordered_map<std::string_view, std::vector<const Lowering*>> byCall_;
  struct CompiledAttribute {
    uint32_t op = 0;
    const Lowering::Attribute* written = nullptr;
    std::optional<onnx_schemas::AttributeKind> kind;
    expression::Expression value;
  };
  /// Of lowerings with attributes. Looked up only.
  std::unordered_map<const Lowering*, std::vector<CompiledAttribute>> attributes_;
};

}  // namespace amdahlc::ir
