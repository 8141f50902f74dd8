#include "passes/roofline/operator_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/constants.h"
#include "ir/domain.h"
#include "passes/roofline/operator_rows.h"

namespace amdahlc {
namespace {

Amount elementsOf(const ir::Type& type) {
  if (!type.isTensor() || !type.isStatic()) return Amount::unknown();
  Amount count = 1;
  for (const ir::Dim& dim : type.dims) count = count * Amount(dim.value);
  return count;
}

Amount dimOf(const ir::Type& type, int64_t axis) {
  if (!type.isTensor() || !type.ranked) return Amount::unknown();
  const auto rank = static_cast<int64_t>(type.dims.size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return Amount::unknown();
  return type.dims[static_cast<size_t>(axis)].isNumber() ? Amount(type.dims[static_cast<size_t>(axis)].value)
                                                         : Amount::unknown();
}

template <typename T>
const T* valueOf(const ir::Op& op, std::string_view attribute) {
  const ir::Attribute* found = op.attribute(attribute);
  return found != nullptr ? std::get_if<T>(&found->value) : nullptr;
}

bool isLess(const OperatorRow& row, const std::pair<std::string_view, std::string_view>& name) {
  return std::pair(row.domain, row.type) < name;
}

}  // namespace

Amount bytesOf(const ir::Value& value) {
  if (value.byteSize) return Amount(*value.byteSize);
  if (!value.type.isStatic()) return Amount::unknown();
  const int64_t bits = ir::bitWidth(value.type.element);
  if (bits == 0 || value.type.kind != ir::Type::Kind::Tensor) return Amount::unknown();
  const Amount elements = elementsOf(value.type);
  // Elements below a byte are packed.
  return bits % 8 == 0 ? elements * Amount(bits / 8) : (elements * Amount(bits) + Amount(7)) / Amount(8);
}

std::string sentence(const ir::Module& module, const UnknownWork& unknown) {
  if (unknown.op.isNone()) return "the work does not fit 64 bits";
  const ir::Op& op = module.ops[unknown.op];
  const std::string_view value =
      unknown.value.isNone() ? std::string_view() : module.text(module.values[unknown.value].name);
  const std::string_view type = module.text(op.type);
  switch (unknown.kind) {
    case UnknownWork::Kind::NoRow:
      return module.text(op.domain).empty() ? fmt::format("operator `{}` has no row", type)
                                            : fmt::format("operator `{}::{}` has no row", module.text(op.domain), type);
    case UnknownWork::Kind::Shape:
      return value.empty() ? fmt::format("a shape of `{}` is not known", module.displayName(unknown.op))
                           : fmt::format("the shape of `{}` is not known", value);
    case UnknownWork::Kind::Elements:
      return fmt::format("the work of `{}` depends on the elements of `{}`", module.displayName(unknown.op), value);
    case UnknownWork::Kind::Form:
      return fmt::format("the row of operator `{}` does not cover the form of `{}`", type,
                         module.displayName(unknown.op));
    case UnknownWork::Kind::TooLarge:
      return fmt::format("the work of `{}` does not fit 64 bits", module.displayName(unknown.op));
  }
  return {};
}

OperatorWork::OperatorWork(const ir::Module& module, ir::OpId op)
    : module_(module), id_(op), op_(module.ops[op]), reads_(op_.inputs.size()), writes_(op_.outputs.size()) {}

Amount OperatorWork::known(Amount amount, ir::ValueId value) {
  if (!amount.isKnown()) unknown(amount.isTooLarge() ? UnknownWork::Kind::TooLarge : UnknownWork::Kind::Shape, value);
  return amount;
}

const ir::Type* OperatorWork::type(ir::ValueId value) const {
  return value.isNone() ? nullptr : &module_.values[value].type;
}

Amount OperatorWork::elements(size_t operand) {
  if (!has(operand)) return known(Amount::unknown(), {});
  return known(elementsOf(*type(op_.inputs[operand])), op_.inputs[operand]);
}

Amount OperatorWork::resultElements(size_t result) {
  if (!hasResult(result)) return known(Amount::unknown(), {});
  return known(elementsOf(*type(op_.outputs[result])), op_.outputs[result]);
}

Amount OperatorWork::bytes(size_t operand) {
  if (!has(operand)) return known(Amount::unknown(), {});
  return known(bytesOf(module_.values[op_.inputs[operand]]), op_.inputs[operand]);
}

Amount OperatorWork::resultBytes(size_t result) {
  if (!hasResult(result)) return known(Amount::unknown(), {});
  return known(bytesOf(module_.values[op_.outputs[result]]), op_.outputs[result]);
}

Amount OperatorWork::dim(size_t operand, int64_t axis) {
  if (!has(operand)) return known(Amount::unknown(), {});
  return known(dimOf(*type(op_.inputs[operand]), axis), op_.inputs[operand]);
}

Amount OperatorWork::resultDim(size_t result, int64_t axis) {
  if (!hasResult(result)) return known(Amount::unknown(), {});
  return known(dimOf(*type(op_.outputs[result]), axis), op_.outputs[result]);
}

int64_t OperatorWork::rank(size_t operand) {
  const ir::Type* found = has(operand) ? type(op_.inputs[operand]) : nullptr;
  if (found != nullptr && found->isTensor() && found->ranked) return static_cast<int64_t>(found->dims.size());
  unknown(UnknownWork::Kind::Shape, has(operand) ? op_.inputs[operand] : ir::ValueId());
  return 0;
}

ir::ElementType OperatorWork::element(size_t operand) const {
  return has(operand) ? type(op_.inputs[operand])->element : ir::ElementType::Undefined;
}

ir::ElementType OperatorWork::resultElement(size_t result) const {
  return hasResult(result) ? type(op_.outputs[result])->element : ir::ElementType::Undefined;
}

int64_t OperatorWork::integer(std::string_view attribute, int64_t missing) const {
  const auto* value = valueOf<int64_t>(op_, attribute);
  return value != nullptr ? *value : missing;
}

std::optional<std::vector<int64_t>> OperatorWork::integers(std::string_view attribute) const {
  const auto* value = valueOf<std::vector<int64_t>>(op_, attribute);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

double OperatorWork::number(std::string_view attribute, double missing) const {
  const auto* value = valueOf<double>(op_, attribute);
  return value != nullptr ? *value : missing;
}

std::string_view OperatorWork::text(std::string_view attribute, std::string_view missing) const {
  const auto* value = valueOf<std::string>(op_, attribute);
  return value != nullptr ? std::string_view(*value) : missing;
}

std::optional<std::vector<int64_t>> OperatorWork::constantIntegers(size_t operand) const {
  if (!has(operand)) return std::nullopt;
  const ir::ConstantView constant = ir::constantOf(module_, op_.inputs[operand]);
  if (constant.kind == ir::ConstantView::Kind::Tensor && constant.tensor != nullptr && constant.tensor->ints)
    return constant.tensor->ints;
  if (constant.kind != ir::ConstantView::Kind::Integers) return std::nullopt;
  return std::vector<int64_t>(constant.ints.begin(), constant.ints.end());
}

void OperatorWork::matrix(Amount flops, size_t typed) { add(matrix_, element(typed), flops); }

void OperatorWork::vector(Amount flops) {
  ir::ElementType type = element(0);
  // The condition of `Where` is not what it computes with.
  if (type == ir::ElementType::Undefined || (type == ir::ElementType::Bool && resultElement() != type))
    type = resultElement();
  add(vector_, type, flops);
}

void OperatorWork::add(FlopsByType& to, ir::ElementType type, Amount flops) {
  if (!flops.isKnown()) {
    return unknown(flops.isTooLarge() ? UnknownWork::Kind::TooLarge : UnknownWork::Kind::Shape);
  }
  if (*flops == 0) return;
  if (type == ir::ElementType::Undefined)
    return unknown(UnknownWork::Kind::Shape, has(0) ? op_.inputs[0] : hasResult(0) ? op_.outputs[0] : ir::ValueId());
  const Amount sum = Amount(to[type]) + flops;
  if (sum.isKnown())
    to[type] = *sum;
  else
    unknown(UnknownWork::Kind::TooLarge);
}

void OperatorWork::reads(size_t operand, Amount bytes) {
  if (operand < reads_.size()) reads_[operand] = bytes;
}

void OperatorWork::readsNothing() {
  for (std::optional<Amount>& bytes : reads_) bytes = Amount(0);
}

void OperatorWork::writes(size_t result, Amount bytes) {
  if (result < writes_.size()) writes_[result] = bytes;
}

void OperatorWork::writesNothing() {
  for (std::optional<Amount>& bytes : writes_) bytes = Amount(0);
}

void OperatorWork::renames() {
  renames_ = true;
  readsNothing();
  writesNothing();
}

void OperatorWork::isNoDeviceWork() {
  onDevice_ = false;
  readsNothing();
  writesNothing();
}

void OperatorWork::unknown(UnknownWork::Kind kind, ir::ValueId value) {
  if (!reason_) reason_ = UnknownWork{kind, id_, value};
}

const std::vector<OperatorRow>& operatorRows() {
  static const std::vector<OperatorRow> rows = [] {
    std::vector<OperatorRow> all;
    for (const auto family :
         {elementwiseRows(), activationRows(), movementRows(), normalizationRows(), reductionRows(), productRows(),
          quantizedRows(), convolutionRows(), attentionRows(), recurrentRows(), transformRows()})
      all.insert(all.end(), family.begin(), family.end());
    std::sort(all.begin(), all.end(), [](const OperatorRow& a, const OperatorRow& b) {
      return std::pair(a.domain, a.type) < std::pair(b.domain, b.type);
    });
    return all;
  }();
  return rows;
}

const OperatorRow* operatorRow(std::string_view domain, std::string_view type) {
  const std::vector<OperatorRow>& rows = operatorRows();
  for (const std::string_view where : {domain, std::string_view("*")}) {
    const auto row = std::lower_bound(rows.begin(), rows.end(), std::pair(where, type), isLess);
    if (row != rows.end() && row->domain == where && row->type == type) return &*row;
  }
  return nullptr;
}

std::string operatorTable() {
  // Operators that do the same are one line.
  std::vector<std::pair<std::pair<std::string_view, std::string_view>, std::string>> lines;
  for (const OperatorRow& row : operatorRows()) {
    const std::pair key(row.flops, row.bytes);
    const std::string name =
        row.domain.empty() ? fmt::format("`{}`", row.type) : fmt::format("`{}::{}`", row.domain, row.type);
    const auto known = std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == key; });
    if (known == lines.end())
      lines.emplace_back(key, name);
    else
      known->second += ", " + name;
  }
  std::string text = "| operators | operations | bytes, if not all operands and results |\n|--|--|--|\n";
  for (const auto& [key, names] : lines) text += fmt::format("| {} | {} | {} |\n", names, key.first, key.second);
  return text;
}

}  // namespace amdahlc
