/// The leaves over which expressions are evaluated. Conditions of `where`, attribute tests, tests of constants and
/// kernel tests are one language over different leaves: those of a match, or those of a launch.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ir/expression/value.h"
#include "ir/module.h"
#include "ir/operator_graph.h"
#include "replay/timeline/timeline.h"

namespace amdahlc::expression {

/// Attributes with the defaults of ONNX's schemas. Each default is read once.
class SchemaDefaults {
 public:
  explicit SchemaDefaults(const ir::Module& module) : module_(module) {}
  /// The attribute of `op`, or its default; nullptr if it has neither. The pointer is valid as long as this object and
  /// the module.
  const ir::AttributeValue* attribute(ir::OpId op, std::string_view name);

 private:
  struct Entry {
    Symbol domain, type;
    std::string name;
    std::optional<ir::AttributeValue> value;
  };
  const ir::Module& module_;
  // Only the attributes that rules test, so that a linear search is fast enough.
  std::list<Entry> entries_;
};

struct Leaves;

/// A pattern value without a value of the module, because another alternative was matched.
inline constexpr ir::ValueId kUnboundValue{ir::kNoIndex - 1};

/// A match, complete or under construction. All that is referred to outlives it.
struct MatchLeaves {
  const ir::Module& module;
  const ir::OperatorGraph& graph;
  SchemaDefaults& defaults;
  /// By pattern value the value to which it is bound: `kUnboundValue`, or `kNone` for an omitted operand.
  std::span<const ir::ValueId> bound;
  /// In an attribute test, the operator with the attributes; otherwise `kNone`.
  ir::OpId testedOp;
  /// In a test of a constant, the constant `it`; otherwise `kNone`.
  ir::ValueId testedConstant = ir::kNone;
  /// The element of that constant under test.
  double testedElement = 0;
  /// Texts for as long as the leaves live, because values do not own theirs.
  mutable std::list<std::string> texts = {};

  Leaves leaves() const;
};

/// An attribute of `op` or its default; unknown if there is neither, or if it is not a number, a string or a list of
/// them.
Value attributeValue(const MatchLeaves& leaves, ir::OpId op, std::string_view name);

/// A device event with the recorded facts of its launch. Facts that are -1 were not recorded and are unknown.
struct LaunchLeaves {
  std::string_view kernelName;
  EventKind kind = EventKind::Kernel;
  LaunchFacts facts;
};

/// The arguments of a call that a lowering fits, by its parameters.
struct CallLeaves {
  /// Numbers, truth values, texts and lists; unknown where the trace does not tell, for nothing, and for tensors.
  std::span<const Value> values;
  /// Of tensors: the number of dimensions; nullopt for others, and where it is not known.
  std::span<const std::optional<size_t>> ranks;
  /// Of all arguments, the names by the declaration of the operator, and their values. Empty if it is not known.
  std::span<const std::string_view> names;
  std::span<const Value> named;
};

/// One of them. Leaves of the other kinds are unknown.
struct Leaves {
  const MatchLeaves* match = nullptr;
  const LaunchLeaves* launch = nullptr;
  const CallLeaves* call = nullptr;
};
inline Leaves MatchLeaves::leaves() const { return {.match = this}; }

}  // namespace amdahlc::expression
