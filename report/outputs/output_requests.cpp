#include "report/outputs/output_requests.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/outputs/output_options.h"
#include "support/edit_distance.h"

namespace amdahlc {
namespace {

std::optional<ValuedElement> parseRequest(std::string_view text, SourceRange where, DiagnosticEngine& diagnostics) {
  auto request = parseValuedElement(text, where, {"output", "an output", "a path"}, diagnostics);
  if (!request || !request->value) return request;
  // `summary=full` is the name of an output, and the path follows it.
  const size_t end = std::min(request->value->find('='), request->value->size());
  const std::string name = request->element.name + "=" + request->value->substr(0, end);
  if (findOutput(name) == nullptr) return request;
  request->element.name = name;
  request->value = end < request->value->size() ? std::optional(request->value->substr(end + 1)) : std::nullopt;
  return request;
}

/// A name that is so many edits away from what follows the name of an output is a slip, and no path.
constexpr size_t kMostEdits = 2;

/// The output of which `kind=path` is a misspelt name, as `summary=ful` is; empty for others. A path with a point or a
/// separator is one.
std::string misspelled(std::string_view kind, std::string_view path) {
  if (path.find_first_of("./\\") != path.npos) return {};
  const std::string prefix = fmt::format("{}=", kind);
  for (const Output* one : allOutputs())
    if (one->name.starts_with(prefix) && path != one->name.substr(prefix.size()) &&
        editDistance(path, one->name.substr(prefix.size()), kMostEdits) <= kMostEdits)
      return std::string(one->name);
  return {};
}

/// The options that outputs of this kind take.
std::vector<const PassOption*> optionsOf(const Output& output) {
  static const OutputOptions kDeclared;
  std::vector<const PassOption*> options;
  for (const std::string_view name : output.options) options.push_back(kDeclared.findOption(name));
  return options;
}

}  // namespace

bool checkOutputRequest(std::string_view text, SourceRange where, DiagId emptyPath, DiagnosticEngine& diagnostics) {
  const auto request = parseRequest(text, where, diagnostics);
  if (!request) return false;
  const std::string& kind = request->element.name;
  const Output* output = findOutput(kind);
  if (output == nullptr) {
    std::vector<std::string> known;
    for (const Output* one : allOutputs()) known.emplace_back(one->name);
    diagnostics.error(DiagId::EmitUnknownOutput, where,
                      fmt::format("unknown output `{}`{}", kind, didYouMeanOrKnown(kind, known, "")));
    return false;
  }
  if (const auto absence = output->absenceInBuild != nullptr ? output->absenceInBuild() : std::nullopt) {
    diagnostics.error(DiagId::EmitOutputUnavailable, where,
                      fmt::format("output `{}` cannot be written: {}", kind, describe(*absence)));
    return false;
  }
  std::vector<std::string> seen;
  for (const PipelineParameter& setting : request->element.parameters)
    if (checkedOption(optionsOf(*output), fmt::format("output `{}`", kind), setting, seen, diagnostics) == nullptr)
      return false;
  if (!request->value) return true;
  if (request->value->empty()) {
    diagnostics.error(emptyPath, where,
                      fmt::format("the path of `{}` is empty; leave the `=` out for `-o` or stdout", kind));
    return false;
  }
  const std::string nearest = misspelled(kind, *request->value);
  if (nearest.empty()) return true;
  diagnostics.error(DiagId::EmitUnknownOutput, where,
                    fmt::format("unknown output `{0}={1}`; did you mean `{2}`? `{0}=./{1}` writes the file `{1}`", kind,
                                *request->value, nearest));
  return false;
}

OutputRequest parseOutputRequest(std::string_view text) {
  DiagnosticEngine ignored;
  auto request = parseRequest(text, {}, ignored);
  if (!request) return {};
  return {std::move(request->element.name), std::move(request->value).value_or(""),
          std::move(request->element.parameters)};
}

std::vector<PlannedOutput> plannedOutputs(const PlannedPass& planned) {
  if (planned.info->name != kRenderingPass) return {};
  std::vector<PlannedOutput> outputs;
  const auto add = [&](OutputRequest request, const PipelineParameter* parameter) {
    if (const Output* output = findOutput(request.kind)) outputs.push_back({*output, std::move(request), parameter});
  };
  for (const PipelineParameter& parameter : planned.parameters)
    if (parameter.name == kOutputOption) add(parseOutputRequest(*parameter.value), &parameter);
  if (outputs.empty()) add({std::string(kDefaultOutput), ""}, nullptr);
  return outputs;
}

std::vector<PlannedOutput> plannedOutputs(const Pipeline& pipeline) {
  std::vector<PlannedOutput> outputs;
  for (const PlannedPass& planned : pipeline)
    for (PlannedOutput& output : plannedOutputs(planned)) outputs.push_back(std::move(output));
  return outputs;
}

std::vector<std::string> passesOfOutput(std::string_view text, bool isOfProgram) {
  const Output* output = findOutput(parseOutputRequest(text).kind);
  std::vector<std::string> passes;
  if (output == nullptr) return passes;
  if (!output->pass.empty()) passes.emplace_back(output->pass);
  if (!isOfProgram && !output->passOfModels.empty()) passes.emplace_back(output->passOfModels);
  return passes;
}

}  // namespace amdahlc
