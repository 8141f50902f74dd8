#include "api/planning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "api/trace_files.h"
#include "report/measured_runs.h"
#include "report/outputs/output_options.h"
#include "support/edit_distance.h"

namespace amdahlc::api {
namespace {

constexpr std::string_view kDefault = "default";

/// Adds the outputs of `-emit` to the last pass that renders outputs, which is appended if there is none.
void addOutputs(std::vector<PipelineElement>& elements, const Request& request) {
  if (request.emits.empty()) return;
  auto renderer = std::find_if(elements.rbegin(), elements.rend(),
                               [](const PipelineElement& element) { return element.name == kRenderingPass; });
  if (renderer == elements.rend()) {
    elements.push_back({std::string(kRenderingPass), request.emits.front().range, {}});
    renderer = elements.rbegin();
  }
  for (const EmitArgument& argument : request.emits)
    renderer->parameters.push_back({std::string(kOutputOption), argument.output, argument.range, argument.range});
}

/// Whether a parameter of `default` has the form `PASS.OPTION`, with a pass that `default` may contain. Reports another
/// one; the option itself is checked when it is set.
bool namesOptionOfPass(const PipelineParameter& parameter, const PassRegistry& registry,
                       DiagnosticEngine& diagnostics) {
  std::vector<std::string> names;
  for (const PassInfo& info : registry.passes()) {
    const Pass& pass = registry.declarations(info);
    if (pass.defaultUse() == Pass::DefaultUse::Never) continue;
    if (passOfParameter(parameter) == info.name) return true;
    for (const PassOption& option : pass.options()) names.push_back(info.name + "." + option.name);
  }
  std::string hint = didYouMean(parameter.name, names);
  for (const std::string& name : names)
    if (hint.empty() && name.ends_with("." + parameter.name)) hint = fmt::format("; did you mean `{}`?", name);
  diagnostics.error(DiagId::PipelineUnknownOption, parameter.nameRange,
                    fmt::format("`default` has no option `{}`{}", parameter.name,
                                hint.empty() ? "; it has those of its passes, such as `host.batch-size`" : hint));
  return false;
}

/// Reports options of `default` for a pass that it does not stand for here, and returns false.
bool findPassesOfOptions(const std::vector<PipelineElement>& elements, const std::vector<std::string>& passes,
                         DiagnosticEngine& diagnostics) {
  const size_t errorsBefore = diagnostics.errorCount();
  for (const PipelineElement& element : elements) {
    if (element.name != kDefault) continue;
    for (const PipelineParameter& parameter : element.parameters)
      if (std::ranges::find(passes, passOfParameter(parameter)) == passes.end())
        diagnostics.error(DiagId::PipelineUnknownOption, parameter.nameRange,
                          fmt::format("`{}` has no effect; with these inputs `default` is `{}`", parameter.name,
                                      fmt::join(passes, ",")));
  }
  return diagnostics.errorCount() == errorsBefore;
}

/// Adds the options of the command that set options of passes. False if one sets an option that pipeline text sets.
bool addPassArguments(std::vector<PipelineElement>& elements, const Request& request, DiagnosticEngine& diagnostics) {
  const size_t errorsBefore = diagnostics.errorCount();
  for (const PassArgument& argument : request.passArguments) {
    const CommandOption& option = *argument.option;
    if (option.sets.empty()) continue;
    const bool changesOutputs = !outputsChangedBy(argument).empty();
    // To the first place of the pass: what it did there, it does not do again.
    bool given = false;
    for (PipelineElement& element : elements) {
      // What changes outputs is for all places that write some.
      if (element.name != argument.pass->name || (std::exchange(given, true) && !changesOutputs)) continue;
      const auto old = std::ranges::find_if(element.parameters,
                                            [&](const PipelineParameter& one) { return one.name == option.sets; });
      const bool repeats = !option.maximum && !option.once && !option.argument.empty();
      std::optional<std::string> value;
      if (option.maximum)
        value = std::to_string(argument.value);
      else if (!option.argument.empty())
        value = argument.text;
      if (repeats || old == element.parameters.end()) {
        element.parameters.push_back({option.sets, value, argument.range, argument.range});
        if (hasPrefix(option, argument.text))
          element.parameters.push_back({option.prefixSets, std::nullopt, argument.range, argument.range});
      } else
        diagnostics
            .error(DiagId::OptionConflict, argument.range,
                   fmt::format("`-{}` and the pipeline set the same option of pass `{}`", option.name, element.name))
            .secondary(old->nameRange, "set here");
    }
  }
  return diagnostics.errorCount() == errorsBefore;
}

/// If an option asks for an explanation, leaves out the passes behind the last that explains something, and those that
/// render outputs. Reports an output that is asked for as well, and returns false.
bool endWithExplanations(Pipeline& pipeline, const Request& request, DiagnosticEngine& diagnostics) {
  const auto explains = [](const PassArgument& argument) { return argument.option->explains; };
  const auto option = std::ranges::find_if(request.passArguments, explains);
  if (option == request.passArguments.end()) return true;
  for (const PlannedOutput& output : plannedOutputs(pipeline)) {
    if (output.parameter == nullptr) continue;
    diagnostics
        .error(DiagId::OptionConflict, option->range,
               fmt::format("`-{}` prints an explanation and stops; no output is written", option->option->name))
        .secondary(output.parameter->valueRange, "an output is asked for here");
    return false;
  }
  const auto last = std::find_if(pipeline.rbegin(), pipeline.rend(), [&](const PlannedPass& planned) {
    return std::ranges::any_of(request.passArguments, [&](const PassArgument& argument) {
      return explains(argument) &&
             (argument.pass == planned.info || argument.option->explainsAlso == planned.info->name);
    });
  });
  if (last != pipeline.rend()) pipeline.erase(last.base(), pipeline.end());
  std::erase_if(pipeline, [](const PlannedPass& planned) { return !plannedOutputs(planned).empty(); });
  return true;
}

}  // namespace

std::vector<std::string_view> outputsChangedBy(const PassArgument& argument) {
  if (argument.pass->name != kRenderingPass) return {};
  return outputsTaking(argument.option->sets);
}

std::optional<Pipeline> planOutput(const std::string& output, SourceRange range, const Pipeline& ran,
                                   const PassRegistry& registry, DiagnosticEngine& diagnostics) {
  PipelineElement element{std::string(kRenderingPass), range, {}};
  const auto last = std::find_if(ran.rbegin(), ran.rend(),
                                 [](const PlannedPass& planned) { return planned.info->name == kRenderingPass; });
  if (last != ran.rend()) element.parameters = last->parameters;
  std::erase_if(element.parameters, [](const PipelineParameter& one) { return one.name == kOutputOption; });
  element.parameters.push_back({std::string(kOutputOption), output, range, range});
  return buildPipeline({std::move(element)}, registry, {}, diagnostics);
}

bool contains(const Pipeline& pipeline, std::string_view pass) {
  return std::ranges::any_of(pipeline, [&](const PlannedPass& planned) { return planned.info->name == pass; });
}

bool isRendered(const PlannedOutput& output, const Request& request) {
  return !isOfTracesAlone(request) || output.parameter != nullptr;
}

std::optional<Pipeline> planPipeline(const Request& request, const PassInputs& given, const PassRegistry& registry,
                                     bool isFinal, SourceManager& sources, DiagnosticEngine& diagnostics,
                                     Outcome& outcome) {
  outcome = Outcome::InputFault;
  const BufferId buffer = sources.add(std::string(kPipelineText), request.passes.value_or(std::string(kDefault)));
  auto elements = parsePipeline(buffer, sources, diagnostics);
  if (!elements) return std::nullopt;
  std::set<std::string> askedFor;
  for (const PassArgument& argument : request.passArguments)
    if (argument.option->asksForPass) askedFor.insert(argument.pass->name);
  for (const PipelineElement& element : *elements)
    if (element.name == kDefault)
      for (const PipelineParameter& parameter : element.parameters) {
        if (!namesOptionOfPass(parameter, registry, diagnostics)) return std::nullopt;
        askedFor.emplace(passOfParameter(parameter));
      }
  for (const EmitArgument& argument : request.emits)
    for (std::string& pass : passesOfOutput(argument.output, given.contains(PassInput::Program)))
      askedFor.insert(std::move(pass));
  const std::vector<std::string> passes = defaultPasses(registry, given, askedFor);
  if (isFinal && !findPassesOfOptions(*elements, passes, diagnostics)) return std::nullopt;
  std::vector<PipelineElement> expanded = expandAlias(*elements, kDefault, passes);
  addOutputs(expanded, request);
  if (!addPassArguments(expanded, request, diagnostics)) {
    outcome = Outcome::RequestFault;
    return std::nullopt;
  }
  auto pipeline = buildPipeline(expanded, registry, {std::string(kDefault)}, diagnostics);
  // Without pipeline text, only options can be at fault.
  if (pipeline) {
    const bool ends = endWithExplanations(*pipeline, request, diagnostics);
    outcome = ends ? Outcome::Done : Outcome::RequestFault;
    if (!ends) pipeline.reset();
  } else if (!request.passes && std::ranges::all_of(request.passArguments, [&](const PassArgument& argument) {
               return faultAt(sources, argument.range) == Outcome::RequestFault;
             }))
    outcome = Outcome::RequestFault;
  return pipeline;
}

void noteTracesNotGiven(const ir::Module& module, const Pipeline& pipeline, const Request& request,
                        const PassInputs& given, const PassRegistry& registry, DiagnosticEngine& diagnostics) {
  if (module.timelines.empty() || given.contains(PassInput::HostEvents)) return;
  if (explainsOnly(request) || (request.passes && *request.passes != kDefault)) return;
  PassInputs all = given;
  all.insert(PassInput::HostEvents);
  std::vector<std::string> names;
  for (const std::string& pass : defaultPasses(registry, all))
    if (!contains(pipeline, pass)) names.push_back('`' + pass + '`');
  if (names.empty()) return;
  auto remark = diagnostics.remark(
      DiagId::HostEventsMissing, {},
      fmt::format("left out: {}, which {} {}; {}", fmt::join(names, " and "), names.size() == 1 ? "needs" : "need",
                  textOf(PassInput::HostEvents).needed, textOf(PassInput::HostEvents).hint));
  for (const Timeline& run : module.timelines)
    remark.note(fmt::format("run `{}` is of the trace `{}` (hash {})", run.label, run.file, run.contentHash));
}

}  // namespace amdahlc::api
