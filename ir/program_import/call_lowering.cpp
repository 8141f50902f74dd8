#include "ir/program_import/call_lowering.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ir/applicability.h"

namespace amdahlc::ir {

namespace {

/// nullopt for what is no tensor.
std::optional<Type> tensorType(std::span<const int64_t> dims, std::string_view written, const RuntimeAdapter& runtime) {
  const auto element = elementTypeFromName(runtime.elementType(written));
  // The dimensions of a number, a text or a list of numbers are empty, and so are those of a tensor of one element.
  if (!element && dims.empty()) return std::nullopt;
  std::vector<Dim> shape;
  for (const int64_t dim : dims) shape.push_back(Dim::of(dim));
  return Type::tensor(element.value_or(ElementType::Undefined), std::move(shape));
}

bool fits(const Lowering::Parameter& parameter, const CallOperands& operands, size_t place) {
  using Kind = Lowering::Parameter::Kind;
  if (parameter.kind == Kind::Any) return true;
  if (place >= operands.arguments.size() || operands.isAbsent[place]) return parameter.optional;
  return parameter.kind == Kind::Constant || operands.arguments[place].has_value();
}

bool fits(const Lowering& lowering, const CallOperands& operands) {
  const size_t parameters = lowering.parameters.size();
  for (size_t i = 0; i < parameters; ++i)
    if (!fits(lowering.parameters[i], operands, i)) return false;
  return lowering.moreTensors || operands.tensorsFrom(parameters).empty();
}

}  // namespace

CallOperands::CallOperands(const OperatorFacts& facts, const RuntimeAdapter& runtime)
    : isKnown(!facts.inputDims.empty() || !facts.inputTypes.empty()) {
  for (size_t i = 0; i < std::max(facts.inputDims.size(), facts.inputTypes.size()); ++i) {
    const std::string_view type = i < facts.inputTypes.size() ? std::string_view(facts.inputTypes[i]) : "";
    arguments.push_back(tensorType(
        i < facts.inputDims.size() ? std::span(facts.inputDims[i]) : std::span<const int64_t>(), type, runtime));
    isAbsent.push_back(!arguments.back() && type.empty());
  }
}

CallOperands::CallOperands(const execution_trace::ExecutionTrace& trace, std::span<const execution_trace::Value> values,
                           const RuntimeAdapter& runtime)
    : isKnown(true) {
  const auto add = [&](const execution_trace::Value& value) {
    const execution_trace::Tensor& tensor = trace.tensors[static_cast<size_t>(value.number)];
    const bool isRanked = tensor.sizes != execution_trace::kNoSizes;
    const auto sizes = isRanked ? trace.sizes[tensor.sizes] : std::span<const int64_t>();
    const auto element = elementTypeFromName(runtime.elementType(trace.text(tensor.type)));
    std::vector<Dim> shape;
    for (const int64_t size : sizes) shape.push_back(Dim::of(size));
    Type type = Type::tensor(element.value_or(ElementType::Undefined), std::move(shape));
    type.ranked = isRanked;
    arguments.emplace_back(std::move(type));
    isAbsent.push_back(false);
    tensors.push_back(static_cast<uint32_t>(value.number));
  };
  for (size_t at = 0; at < values.size(); at = execution_trace::behind(values, at)) {
    const size_t end = execution_trace::behind(values, at), before = arguments.size();
    for (size_t inner = at; inner < end; ++inner)
      if (values[inner].kind == execution_trace::ValueKind::Tensor) add(values[inner]);
    if (arguments.size() > before) continue;
    arguments.emplace_back();
    isAbsent.push_back(values[at].kind == execution_trace::ValueKind::None);
    tensors.push_back(kNoTensor);
  }
}

std::vector<size_t> CallOperands::tensorsFrom(size_t first) const {
  std::vector<size_t> places;
  for (size_t place = first; place < arguments.size(); ++place)
    if (arguments[place]) places.push_back(place);
  return places;
}

CallLowerings::CallLowerings(const RuleSet& rules, const Target& target) {
  for (const Lowering& lowering : rules.lowerings) {
    if (!applies(lowering.where, target)) continue;
    for (const std::string& call : lowering.calls) byCall_[call].push_back(&lowering);
  }
}

const Lowering* CallLowerings::find(std::string_view call, const CallOperands& operands) const {
  const auto found = byCall_.find(call);
  if (found == byCall_.end()) return nullptr;
  const std::vector<const Lowering*>& lowerings = found->second;
  if (!operands.isKnown) {
    const Lowering* least = *std::ranges::min_element(
        lowerings, {}, [](const Lowering* one) { return std::pair(one->ops.size(), one->parameters.size()); });
    // An operator of any number of tensors means nothing without them.
    return least->moreTensors && least->parameters.empty() ? nullptr : least;
  }
  const auto first = std::ranges::find_if(lowerings, [&](const Lowering* one) { return fits(*one, operands); });
  return first == lowerings.end() ? nullptr : *first;
}

}  // namespace amdahlc::ir
