/// The types of what lowered calls return, where no execution trace states them.
#pragma once

#include <set>

#include "ir/module.h"
#include "ir/program_import/call_lowering.h"

namespace amdahlc::ir {

class ResultTypes {
 public:
  /// The value is a number of Python.
  void addNumber(ValueId value) { numbers_.insert(value); }
  /// The operator is a part of a lowering; `known` are its attributes.
  void addOperator(OpId op, const Lowering& lowering, const Lowering::Operator& part, const LoweredAttributes& known,
                   const CallOperands& operands);
  /// The result of the operator is written into its first operand.
  void addWrittenInPlace(OpId op) { writtenInPlace_.insert(op); }
  /// Sets the types of results that have none, in the order of the program.
  void infer(Module& module) const;

 private:
  bool isTold(const Module& module, OpId op, SymbolMemo<bool>& hasNoAttributes) const;
  ElementType elementOf(const Module& module, OpId op, ElementType inferred) const;

  std::set<ValueId> numbers_;
  /// Operators of which the trace states all attributes of the lowering, and those of which it states others than a
  /// call can have.
  std::set<OpId> statesAttributes_, lacksAttributes_;
  /// Operators whose call has an argument that may name another element type of the result.
  std::set<OpId> mayConvert_;
  std::set<OpId> writtenInPlace_;
};

}  // namespace amdahlc::ir
