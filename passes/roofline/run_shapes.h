/// The analysis `run-shapes`: the shapes and element types that the values of the model had in a run. All that counts
/// bytes and operations asks it, and not the model, which may have been exported for other inputs.
///
/// The calls that run kernels state the dimensions and types of their operands. If these are those of the model, so are
/// all shapes. Otherwise the dimensions of the inputs are solved from the operands, other shapes are inferred from them
/// (shape_propagation.h), and these must be among the operands again: what is not is unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "passes/manager/analysis.h"
#include "passes/roofline/amount.h"

namespace amdahlc {

/// Where shapes are from.
enum class ShapeSource : uint8_t {
  /// The trace has none, or there is no trace.
  Model,
  /// The run.
  Run,
  /// The run, but for some that could not be solved.
  Mixed,
};
/// In the order of the enumerators.
inline constexpr std::string_view kShapeSources[] = {"model", "run", "mixed"};

class RunShapes {
 public:
  static constexpr const char* kName = "run-shapes";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound};
  /// Those of the model.
  explicit RunShapes(const ir::Module& module) : module_(&module) {}
  RunShapes(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

  ShapeSource source() const { return source_; }
  const ir::Type& type(ir::ValueId value) const { return types_ ? (*types_)[value] : module_->values[value].type; }
  /// Unknown where the shape or the element type is.
  Amount bytes(ir::ValueId value) const;
  /// The type in which an operator computes what the model computes in the type of its only floating-point operands or
  /// results; Undefined if that is the model's, or is not known.
  ir::ElementType computes(ir::OpId op) const {
    return computes_.contains(op) ? computes_[op] : ir::ElementType::Undefined;
  }

  /// Inputs of the model with numbers of other dimensions in the run.
  std::vector<ir::ValueId> otherInputs() const;

  friend bool operator==(const RunShapes& a, const RunShapes& b) {
    return a.source_ == b.source_ && a.types_ == b.types_ && a.computes_ == b.computes_;
  }

 private:
  const ir::Module* module_;
  ShapeSource source_ = ShapeSource::Model;
  /// nullopt: those of the model.
  std::optional<IdVector<ir::ValueId, ir::Type>> types_;
  /// Empty if it is the model's of all operators.
  IdVector<ir::OpId, ir::ElementType> computes_;
};

/// The type in which the call computes that launched the event, as the model's types are named; empty where the trace
/// does not tell.
std::string_view computedType(const Timeline& timeline, EventIndex event);

}  // namespace amdahlc
