/// What ONNX's schemas say of single operators of a module: the types of their results, for shapes other than those
/// that the model was imported with, and whether they are operators of ONNX.
#pragma once

#include <memory>
#include <vector>

#include "ir/known_values.h"
#include "ir/module.h"

namespace amdahlc::ir {

namespace onnx_import {
class ImportSchemas;
}

class OperatorTypes {
 public:
  explicit OperatorTypes(const Module& module);
  ~OperatorTypes();
  OperatorTypes(const OperatorTypes&) = delete;
  OperatorTypes& operator=(const OperatorTypes&) = delete;

  /// The results of an operator, given the types of its operands and what is known of their elements. What cannot be
  /// inferred is an unknown type, or a tensor without a rank. Precondition: the operator has no bodies.
  std::vector<Type> resultsOf(const Op& op, const IdVector<ValueId, Type>& types, const HostValues& elements) const;

  /// Whether ONNX has the operator with what the module states of it: the types of all operands and results are known,
  /// at least up to their ranks, and its schema takes them, demands no attribute that is missing, and tells no other
  /// types of results. False for operators without a schema of ONNX. Precondition: the operator has no bodies.
  bool isStandard(const Op& op, const IdVector<ValueId, Type>& types, const HostValues& elements) const;

 private:
  const Module& module_;
  std::unique_ptr<onnx_import::ImportSchemas> schemas_;
};

}  // namespace amdahlc::ir
