#include "passes/roofline/operator_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/domain.h"
#include "ir/known_values.h"
#include "passes/roofline/operator_rows.h"

namespace amdahlc {
namespace {

Amount elementCount(const ir::Type& type) {
  if (!type.isStatic()) return Amount::unknown();
  const auto count = type.elementCount();
  return count ? Amount(*count) : Amount::tooLarge();
}

Amount dimension(const ir::Type& type, int64_t axis) {
  if (!type.isTensor() || !type.ranked) return Amount::unknown();
  const auto rank = static_cast<int64_t>(type.dims.size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return Amount::unknown();
  return type.dims[static_cast<size_t>(axis)].isNumber() ? Amount(type.dims[static_cast<size_t>(axis)].value)
                                                         : Amount::unknown();
}

auto nameOf(const OperatorRow& row) { return std::pair(row.domain, row.type); }

/// Null without a row.
const OperatorRow* operatorRow(std::string_view domain, std::string_view type) {
  const std::vector<OperatorRow>& rows = operatorRows();
  for (const std::string_view where : {domain, std::string_view("*")}) {
    const std::pair name(where, type);
    const auto row = std::ranges::lower_bound(rows, name, {}, nameOf);
    if (row != rows.end() && nameOf(*row) == name) return &*row;
  }
  return nullptr;
}

}  // namespace

Absence absenceOf(Amount amount, const ir::Module& module, ir::OpId op, ir::ValueId value) {
  using enum Absence::Reason;
  if (amount.isTooLarge()) return {LargeWork, {module.displayName(op)}};
  const std::string name(value.isNone() ? std::string_view() : module.text(module.values[value].name));
  return name.empty() ? Absence{NoShapeOfOperator, {module.displayName(op)}} : Absence{NoShape, {name}};
}

bool add(FlopsByType& to, const FlopsByType& from) {
  bool fits = true;
  for (const auto& [type, flops] : from) {
    const Amount sum = Amount(to[type]) + Amount(flops);
    fits &= sum.isKnown();
    if (sum.isKnown()) to[type] = *sum;
  }
  return fits;
}

OperatorWork::OperatorWork(const ir::Module& module, ir::OpId op, const RunShapes& shapes)
    : module_(module),
      id_(op),
      op_(module.ops[op]),
      shapes_(shapes),
      reads_(op_.inputs.size()),
      writes_(op_.outputs.size()) {}

template <typename AmountOf>
Amount OperatorWork::of(ir::ValueId value, const AmountOf& amountOf) {
  const Amount amount = value.isNone() ? Amount::unknown() : amountOf(value);
  if (!amount.isKnown()) unknown(absenceOf(amount, module_, id_, value));
  return amount;
}

Amount OperatorWork::elementsOf(ir::ValueId value) {
  return of(value, [&](ir::ValueId known) { return elementCount(shapes_.type(known)); });
}

Amount OperatorWork::bytesOf(ir::ValueId value) {
  return of(value, [&](ir::ValueId known) { return shapes_.bytes(known); });
}

Amount OperatorWork::dimOf(ir::ValueId value, int64_t axis) {
  return of(value, [&](ir::ValueId known) { return dimension(shapes_.type(known), axis); });
}

int64_t OperatorWork::rank(size_t at) {
  const ir::Type* found = has(at) ? &shapes_.type(operand(at)) : nullptr;
  if (found != nullptr && found->isTensor() && found->ranked) return static_cast<int64_t>(found->dims.size());
  unknown(absenceOf(Amount::unknown(), module_, id_, operand(at)));
  return 0;
}

ir::ElementType OperatorWork::elementOf(ir::ValueId value) const {
  return value.isNone() ? ir::ElementType::Undefined : module_.values[value].type.element;
}

std::optional<std::vector<int64_t>> OperatorWork::constantIntegers(size_t operand) const {
  if (!has(operand)) return std::nullopt;
  const ir::ConstantView constant = ir::constantOf(module_, op_.inputs[operand]);
  if (!constant.ints) return std::nullopt;
  return std::vector<int64_t>(constant.ints->begin(), constant.ints->end());
}

std::optional<int64_t> OperatorWork::onlyElement(size_t operand, std::optional<int64_t> missing) {
  if (missing && !has(operand)) return missing;
  const auto all = constantIntegers(operand);
  if (all && all->size() == 1) return all->front();
  unknownElements(operand);
  return std::nullopt;
}

ir::ElementType OperatorWork::inRun(ir::ElementType type, bool isMatrix) const {
  const ir::ElementType run = shapes_.computes(id_);
  // Where weights are packed, only products are done in their type; of 4 bits, in that of the other operand.
  const bool isPacked = !ir::isFloatingPoint(run);
  if (run == ir::ElementType::Undefined || !ir::isFloatingPoint(type)) return type;
  return isPacked && (!isMatrix || ir::bitWidth(run) < 8) ? type : run;
}

void OperatorWork::matrix(Amount flops, size_t typed) { add(matrix_, inRun(element(typed), true), flops); }

void OperatorWork::vector(Amount flops) {
  ir::ElementType type = element(0);
  // The condition of `Where` is not what it computes with.
  if (type == ir::ElementType::Undefined || (type == ir::ElementType::Bool && resultElement() != type))
    type = resultElement();
  add(vector_, inRun(type, false), flops);
}

void OperatorWork::add(FlopsByType& to, ir::ElementType type, Amount flops) {
  if (!flops.isKnown()) return unknown(absenceOf(flops, module_, id_));
  if (*flops == 0) return;
  if (type == ir::ElementType::Undefined)
    return unknown(absenceOf(Amount::unknown(), module_, id_, has(0) ? operand(0) : result(0)));
  if (!amdahlc::add(to, {{type, *flops}})) unknown({Absence::Reason::LargeWork, {name()}});
}

void OperatorWork::reads(size_t operand, Amount bytes) {
  if (operand < reads_.size()) reads_[operand] = bytes;
}

void OperatorWork::writes(size_t result, Amount bytes) {
  if (result < writes_.size()) writes_[result] = bytes;
}

void OperatorWork::movesNothing() {
  readsNothing();
  writes_.assign(writes_.size(), Amount(0));
}

void OperatorWork::renames() {
  renames_ = true;
  movesNothing();
}

void OperatorWork::isNoDeviceWork() {
  onDevice_ = false;
  movesNothing();
}

void OperatorWork::unknown(Absence reason) {
  if (!reason_) reason_ = std::move(reason);
}

void OperatorWork::unknownOperator() {
  const std::string domain(module_.text(op_.domain)), type(module_.text(op_.type));
  unknown({Absence::Reason::NoOperatorRow, {domain.empty() ? type : domain + "::" + type}});
}

void OperatorWork::unknownForm() {
  unknown({Absence::Reason::OtherForm, {std::string(module_.text(op_.type)), name()}});
}

void OperatorWork::unknownElements(size_t operand) {
  const std::string_view value = module_.text(module_.values[op_.inputs[operand]].name);
  unknown({Absence::Reason::NoElements, {name(), std::string(value)}});
}

const std::vector<OperatorRow>& operatorRows() {
  static const std::vector<OperatorRow> rows = [] {
    std::vector<OperatorRow> all;
    for (const auto family :
         {elementwiseRows(), movementRows(), reductionRows(), productRows(), attentionRows(), transformRows()})
      for (OperatorRow row : family)
        for (std::string_view types = row.type; !types.empty();) {
          row.type = types.substr(0, types.find(' '));
          types.remove_prefix(std::min(types.size(), row.type.size() + 1));
          all.push_back(row);
        }
    std::ranges::sort(all, {}, nameOf);
    return all;
  }();
  return rows;
}

OperatorWork workOf(const ir::Module& module, ir::OpId op, const RunShapes& shapes) {
  OperatorWork work(module, op, shapes);
  const ir::Op& of = module.ops[op];
  if (const OperatorRow* row = operatorRow(module.text(of.domain), module.text(of.type)))
    row->work(work);
  else
    work.unknownOperator();
  return work;
}

std::string operatorTable() {
  // Operators that do the same are one line.
  std::vector<std::pair<std::pair<std::string_view, std::string_view>, std::string>> lines;
  for (const OperatorRow& row : operatorRows()) {
    const std::pair key(row.flops, row.bytes);
    const std::string name =
        row.domain.empty() ? fmt::format("`{}`", row.type) : fmt::format("`{}::{}`", row.domain, row.type);
    const auto known = std::ranges::find(lines, key, [](const auto& line) { return line.first; });
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
