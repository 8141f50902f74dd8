#include "grammar/lsp/operator_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/domain.h"
#include "ir/onnx_schemas/operators.h"
#include "support/plural.h"

namespace amdahlc::lsp {
namespace {

using ir::onnx_schemas::SchemaPart;

void list(std::string_view what, const std::vector<SchemaPart>& parts, Markup& into) {
  into.paragraph(parts.empty() ? fmt::format("No {}.", what) : fmt::format("{} {}:", parts.size(), what));
  for (const SchemaPart& part : parts) into.item(part.name, ": " + part.words);
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
  const std::vector<int64_t> versions = ir::onnx_schemas::operatorSchema(name.domain, name.type)->versions;
  std::string since = fmt::format("{}, since opset {}", ir::describeDomain(name.domain), versions.front());
  if (versions.size() > 1)
    since += fmt::format("; changed in {}", fmt::join(versions.begin() + 1, versions.end(), ", "));
  if (signature->deprecated) since += fmt::format("; deprecated since {}", signature->since);
  into.paragraph(since);
  if (signature->deprecated) return;
  list(signature->inputs.size() == 1 ? "input" : "inputs", signature->inputs, into);
  list(signature->outputs.size() == 1 ? "output" : "outputs", signature->outputs, into);
  if (signature->attributes.empty()) return;
  into.paragraph(plural(signature->attributes.size(), "attribute") + ":");
  for (const SchemaPart& attribute : signature->attributes) into.item(attribute.name, ": " + attribute.words);
}

std::string describeAttribute(const ir::OperatorName& name, const std::string& attribute) {
  const auto signature = ir::onnx_schemas::operatorSignature(name.domain, name.type);
  if (!signature) return {};
  for (const SchemaPart& known : signature->attributes)
    if (known.name == attribute) return known.words;
  return {};
}

}  // namespace amdahlc::lsp
