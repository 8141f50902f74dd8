#include "grammar/lsp/operator_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/domain.h"
#include "ir/onnx_schemas/operators.h"
#include "ir/onnx_schemas/signature.h"
#include "support/plural.h"

namespace amdahlc::lsp {
namespace {

using ir::onnx_schemas::AttributeSignature;
using ir::onnx_schemas::FormalParameter;

std::string wordsOf(const FormalParameter& parameter) {
  switch (parameter.kind) {
    case FormalParameter::Kind::Optional:
      return fmt::format(": {}, optional", parameter.type);
    case FormalParameter::Kind::Variadic:
      return fmt::format(": {}, any number", parameter.type);
    case FormalParameter::Kind::Single:
      break;
  }
  return fmt::format(": {}", parameter.type);
}

std::string wordsOf(const AttributeSignature& attribute) {
  std::string words = attribute.type;
  if (attribute.required) words += ", required";
  if (attribute.defaultText) words += fmt::format(", default {}", *attribute.defaultText);
  return words;
}

void list(std::string_view what, const std::vector<FormalParameter>& parameters, Markup& into) {
  into.paragraph(parameters.empty() ? fmt::format("No {}.", what) : fmt::format("{} {}:", parameters.size(), what));
  for (const FormalParameter& parameter : parameters) into.item(parameter.name, wordsOf(parameter));
}

}  // namespace

std::string describe(const ir::OperatorName& name) {
  return name.domain.empty() ? name.type : name.domain + "::" + name.type;
}

void describeOperator(const ir::OperatorName& name, Markup& into) {
  into.title("operator", describe(name));
  const auto signature = ir::onnx_schemas::operatorSignature(name.domain, name.type);
  if (!signature) {
    into.paragraph(ir::onnx_schemas::isContributed(name.domain, name.type)
                       ? "ONNX Runtime contributes it; ONNX has no schema for it."
                       : "ONNX has no schema for it.");
    return;
  }
  std::string since = fmt::format("{}, since opset {}", ir::describeDomain(name.domain), signature->versions.front());
  if (signature->versions.size() > 1)
    since +=
        fmt::format("; changed in {}", fmt::join(signature->versions.begin() + 1, signature->versions.end(), ", "));
  if (signature->deprecated) since += fmt::format("; deprecated since {}", signature->since);
  into.paragraph(since);
  if (signature->deprecated) return;
  list(signature->inputs.size() == 1 ? "input" : "inputs", signature->inputs, into);
  list(signature->outputs.size() == 1 ? "output" : "outputs", signature->outputs, into);
  if (signature->attributes.empty()) return;
  into.paragraph(plural(signature->attributes.size(), "attribute") + ":");
  for (const AttributeSignature& attribute : signature->attributes)
    into.item(attribute.name, ": " + wordsOf(attribute));
}

std::string describeAttribute(const ir::OperatorName& name, const std::string& attribute) {
  const auto signature = ir::onnx_schemas::operatorSignature(name.domain, name.type);
  if (!signature) return {};
  for (const AttributeSignature& known : signature->attributes)
    if (known.name == attribute) return wordsOf(known);
  return {};
}

}  // namespace amdahlc::lsp
