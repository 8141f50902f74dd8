/// The work of one operator: what it computes, and how much of its operands and results it needs. The tables
/// (operator_rows.h) have a row for each type of operator.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "passes/roofline/amount.h"
#include "passes/roofline/run_shapes.h"
#include "support/absence.h"

namespace amdahlc {

/// Operations by the type that they are done in. A multiply-add is two.
using FlopsByType = std::map<ir::ElementType, int64_t>;
/// Adds the operations of another work. Those of a type whose sum does not fit 64 bits are left out; then it is false.
bool add(FlopsByType& to, const FlopsByType& from);

/// What a row reads about its operator, and where it writes what it finds out. The first fact that is missing makes the
/// work unknown; what a row computes from it afterwards does not matter.
class OperatorWork {
 public:
  OperatorWork(const ir::Module& module, ir::OpId op, const RunShapes& shapes);

  // Facts. Axes may be negative, from the last one.
  size_t operands() const { return op_.inputs.size(); }
  size_t results() const { return op_.outputs.size(); }
  bool has(size_t at) const { return !operand(at).isNone(); }
  bool hasResult(size_t at) const { return !result(at).isNone(); }
  Amount elements(size_t at) { return elementsOf(operand(at)); }
  Amount resultElements(size_t at = 0) { return elementsOf(result(at)); }
  Amount bytes(size_t at) { return bytesOf(operand(at)); }
  Amount resultBytes(size_t at = 0) { return bytesOf(result(at)); }
  /// Of each element.
  Amount elementBytes(size_t at) { return bytes(at) / larger(elements(at), 1); }
  Amount dim(size_t at, int64_t axis) { return dimOf(operand(at), axis); }
  Amount resultDim(size_t at, int64_t axis) { return dimOf(result(at), axis); }
  /// 0 where it is not known, which makes the work unknown.
  int64_t rank(size_t at);
  ir::ElementType element(size_t at) const { return elementOf(operand(at)); }
  ir::ElementType resultElement(size_t at = 0) const { return elementOf(result(at)); }
  int64_t integer(std::string_view attribute, int64_t missing) const { return valueOr<int64_t>(attribute, missing); }
  std::optional<std::vector<int64_t>> integers(std::string_view attribute) const {
    return valueOr<std::vector<int64_t>>(attribute, std::optional<std::vector<int64_t>>());
  }
  double number(std::string_view attribute, double missing) const { return valueOr<double>(attribute, missing); }
  std::string_view text(std::string_view attribute, std::string_view missing) const {
    return valueOr<std::string>(attribute, missing);
  }
  bool hasAttribute(std::string_view attribute) const { return op_.attribute(attribute) != nullptr; }
  /// Integers that are known before the run; nullopt for others.
  std::optional<std::vector<int64_t>> constantIntegers(size_t operand) const;
  /// Of an operand with one; nullopt, and the work is unknown, if that is not known before the run. `missing` is the
  /// element of an operand that is left out.
  std::optional<int64_t> onlyElement(size_t operand, std::optional<int64_t> missing = std::nullopt);
  int64_t opset() const { return module_.opset(module_.text(op_.domain)); }

  // Findings.
  /// Work of units that multiply matrices, in the type of the operand `typed`, or in that of the run.
  void matrix(Amount flops, size_t typed = 0);
  /// Other work, in the type of the first operand, or else of the result.
  void vector(Amount flops);
  /// How much of an operand is needed; without a call all of it.
  void reads(size_t operand, Amount bytes);
  void readsNothing() { reads_.assign(reads_.size(), Amount(0)); }
  /// How much of a result is written; without a call all of it.
  void writes(size_t result, Amount bytes);
  /// The first result is another name of an operand: nothing is read or written.
  void renames();
  /// What the operator does is on the host, or is the work of other kernels: nothing is read or written.
  void isNoDeviceWork();
  /// No row is for its type; its row does not cover this form of it; the work depends on the elements of an operand.
  void unknownOperator();
  void unknownForm();
  void unknownElements(size_t operand);

  // For those who sum it up.
  bool onlyRenames() const { return renames_; }
  bool isOnDevice() const { return onDevice_; }
  const std::optional<Absence>& reason() const { return reason_; }
  const FlopsByType& matrixFlops() const { return matrix_; }
  const FlopsByType& vectorFlops() const { return vector_; }
  /// nullopt: all of it.
  std::optional<Amount> readOf(size_t operand) const { return reads_[operand]; }
  std::optional<Amount> writtenOf(size_t result) const { return writes_[result]; }

 private:
  /// None if it is left out.
  ir::ValueId operand(size_t at) const { return at < op_.inputs.size() ? op_.inputs[at] : ir::ValueId(); }
  ir::ValueId result(size_t at) const { return at < op_.outputs.size() ? op_.outputs[at] : ir::ValueId(); }
  /// The value of an attribute of the type `T`.
  template <typename T, typename Result>
  Result valueOr(std::string_view attribute, Result missing) const {
    const ir::Attribute* found = op_.attribute(attribute);
    const T* value = found != nullptr ? std::get_if<T>(&found->value) : nullptr;
    return value != nullptr ? Result(*value) : std::move(missing);
  }
  /// An amount of a value; one that is not known makes the work unknown.
  template <typename AmountOf>
  Amount of(ir::ValueId value, const AmountOf& amountOf);
  /// The type in which the run computes what has this type in the model.
  ir::ElementType inRun(ir::ElementType type, bool isMatrix) const;
  Amount elementsOf(ir::ValueId value);
  Amount bytesOf(ir::ValueId value);
  Amount dimOf(ir::ValueId value, int64_t axis);
  ir::ElementType elementOf(ir::ValueId value) const;
  std::string name() const { return module_.displayName(id_); }
  void movesNothing();
  void unknown(Absence reason);
  void add(FlopsByType& to, ir::ElementType type, Amount flops);

  const ir::Module& module_;
  ir::OpId id_;
  const ir::Op& op_;
  const RunShapes& shapes_;
  std::optional<Absence> reason_;
  FlopsByType matrix_, vector_;
  bool renames_ = false, onDevice_ = true;
  std::vector<std::optional<Amount>> reads_, writes_;
};

/// Why an amount of an operator's value is not known: its shape or its element type is not, or it is too large. Without
/// a value it is of any.
Absence absenceOf(Amount amount, const ir::Module& module, ir::OpId op, ir::ValueId value = {});

/// A row of a table: operators that have the same work by the same formula.
struct OperatorRow {
  /// Empty for ONNX's own; `*` for any.
  std::string_view domain;
  /// One type; in the tables by family several, with blanks between them.
  std::string_view type;
  void (*work)(OperatorWork&);
  /// For users: its operations and its bytes, where these are not all operands and results.
  std::string_view flops;
  std::string_view bytes = {};
};

/// By the row of the operator.
OperatorWork workOf(const ir::Module& module, ir::OpId op, const RunShapes& shapes);

/// All rows, by domain and type.
const std::vector<OperatorRow>& operatorRows();

/// The table of the page of the pass.
std::string operatorTable();

}  // namespace amdahlc
