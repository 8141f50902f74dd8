/// Types of the results of single operators of a module, by the schemas of the import: for shapes other than those that
/// the model was imported with.
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

 private:
  const Module& module_;
  std::unique_ptr<onnx_import::ImportSchemas> schemas_;
};

}  // namespace amdahlc::ir
