#include "driver/planning.h"

#include <fmt/format.h>

#include <algorithm>

#include "driver/outputs.h"
#include "passes/emit/emit_pass.h"
#include "support/edit_distance.h"

namespace amdahlc::driver {
namespace {

constexpr std::string_view kDefault = "default";

/// All passes that have something to work on (definitions: "Pipeline").
std::vector<std::string> defaultPasses(const Given& given) {
  std::vector<std::string> passes = {"simplify", "fuse"};
  if (given.trace) passes.insert(passes.end(), {"trace-bind", "timing", "critical-path"});
  if (given.trace && given.scenario) passes.push_back("speedup-rewrite");
  passes.push_back("emit");
  return passes;
}

/// Hands the outputs of `-emit` to the last `emit`, which is appended where there is none.
void addOutputs(std::vector<PipelineElement>& elements, const Settings& settings) {
  if (settings.emits.empty()) return;
  auto emit = std::find_if(elements.rbegin(), elements.rend(),
                           [](const PipelineElement& element) { return element.name == "emit"; });
  if (emit == elements.rend()) {
    elements.push_back({"emit", settings.emits.front().range, {}});
    emit = elements.rbegin();
  }
  for (const EmitArgument& argument : settings.emits)
    emit->parameters.push_back({"output", argument.output, argument.range, argument.range});
}

/// Outputs of the pipeline that cannot exist. One asked for by `-emit` is the command line's fault, one in the pipeline text is the text's.
ExitCode checkOutputs(const Pipeline& pipeline, const Settings& settings, const ir::Module& module,
                      const PassRegistry& registry, DiagnosticEngine& diagnostics) {
  ExitCode code = ExitCode::Done;
  std::vector<std::string> kinds;
  for (const EmitPass::Kind& kind : EmitPass::kinds()) kinds.emplace_back(kind.name);
  ir::FacetSet present = module.facets();
  for (const PlannedPass& planned : pipeline) {
    for (const ir::Facet facet : planned.pass->establishes()) present.insert(facet);
    if (planned.info->name != "emit") continue;
    for (const PipelineParameter& parameter : planned.parameters) {
      if (!parameter.value) continue;
      const std::string name = splitOutput(*parameter.value).first;
      const bool fromOption = std::any_of(
          settings.emits.begin(), settings.emits.end(),
          [&](const EmitArgument& argument) { return argument.range.buffer == parameter.valueRange.buffer; });
      const auto kind = std::find_if(EmitPass::kinds().begin(), EmitPass::kinds().end(),
                                     [&](const EmitPass::Kind& one) { return one.name == name; });
      if (kind == EmitPass::kinds().end()) {
        diagnostics.error(DiagId::EmitUnknownOutput, parameter.valueRange,
                          fmt::format("unknown output `{}`{}", name, didYouMean(name, kinds)));
      } else if (kind->needs && !present.contains(*kind->needs)) {
        const PassInfo* source = registry.establishing(*kind->needs);
        diagnostics.error(
            DiagId::EmitOutputUnavailable, parameter.valueRange,
            fmt::format("output `{}` cannot be made without the pass `{}`{}", name,
                        source ? source->name : ir::name(*kind->needs),
                        *kind->needs == ir::Facet::Bound && settings.traces.empty() ? "; give a trace with `-trace=`"
                                                                                    : "; add it to `-passes=`"));
      } else {
        continue;
      }
      code = std::max(code, fromOption ? ExitCode::CommandLineFault : ExitCode::InputFault);
    }
  }
  return code;
}

/// Options that name passes which do not run would do nothing, silently.
ExitCode checkNamedPasses(const Pipeline& pipeline, const Settings& settings, DiagnosticEngine& diagnostics) {
  ExitCode code = ExitCode::Done;
  const std::pair<std::string_view, const std::vector<std::string>*> lists[] = {
      {"print-before", &settings.dumps.before},
      {"print-after", &settings.dumps.after},
      {"debug-only", &settings.debugOnly}};
  for (const auto& [option, names] : lists) {
    for (const std::string& name : *names) {
      if (contains(pipeline, name)) continue;
      diagnostics.error(DiagId::OptionConflict, {},
                        fmt::format("`-{}={}` names a pass that does not run; the pipeline is `{}`", option, name,
                                    printPipeline(pipeline)));
      code = ExitCode::CommandLineFault;
    }
  }
  for (const RemarkArgument& argument : settings.remarkArguments) {
    const auto bit = static_cast<uint8_t>(1u << static_cast<unsigned>(argument.kind));
    if (std::any_of(pipeline.begin(), pipeline.end(), [&](const PlannedPass& planned) {
          return (settings.remarks.wanted(planned.info->name) & bit) != 0;
        }))
      continue;
    diagnostics.error(
        DiagId::OptionConflict, argument.range,
        fmt::format("`{}` matches no pass that runs; the pipeline is `{}`", argument.pattern, printPipeline(pipeline)));
    code = ExitCode::CommandLineFault;
  }
  return code;
}

void warnUnusedOutput(const Pipeline& pipeline, const Settings& settings, DiagnosticEngine& diagnostics) {
  if (settings.output.empty()) return;
  for (const Destination& destination : plannedDestinations(pipeline, settings))
    if (destination.unnamed) return;
  diagnostics.warning(DiagId::OptionConflict, settings.outputRange,
                      "`-o` is not used; every output has a path of its own");
}

}  // namespace

void warnUnusedSteps(const Settings& settings, DiagnosticEngine& diagnostics) {
  if (settings.stepsRange)
    diagnostics.warning(DiagId::OptionConflict, *settings.stepsRange,
                        "`-steps` is not used; it chooses iterations of a trace, and none is given");
}

bool contains(const Pipeline& pipeline, std::string_view pass) {
  return std::any_of(pipeline.begin(), pipeline.end(),
                     [&](const PlannedPass& planned) { return planned.info->name == pass; });
}

std::optional<Pipeline> planPipeline(const Settings& settings, const Given& given, const PassRegistry& registry,
                                     SourceManager& sources, DiagnosticEngine& diagnostics, ExitCode& exitCode) {
  exitCode = ExitCode::InputFault;
  const BufferId buffer = sources.add("<pipeline>", settings.passes.value_or(std::string(kDefault)));
  auto elements = parsePipeline(buffer, sources, diagnostics);
  if (!elements) return std::nullopt;
  for (const PipelineElement& element : *elements) {
    if (element.name != kDefault || element.parameters.empty()) continue;
    diagnostics.error(DiagId::PipelineUnknownOption, element.parameters.front().nameRange,
                      "`default` stands for several passes and has no options");
    return std::nullopt;
  }
  std::vector<PipelineElement> expanded = expandAlias(*elements, kDefault, defaultPasses(given));
  addOutputs(expanded, settings);
  auto pipeline = buildPipeline(expanded, registry, {std::string(kDefault)}, diagnostics);
  if (pipeline) exitCode = ExitCode::Done;
  return pipeline;
}

ExitCode checkPlan(const Pipeline& pipeline, const Settings& settings, const Given& given, const ir::Module& module,
                   const PassRegistry& registry, DiagnosticEngine& diagnostics) {
  ExitCode code = checkFacets(pipeline, module, registry, diagnostics) ? ExitCode::Done : ExitCode::InputFault;
  for (const PlannedPass& planned : pipeline) {
    std::string_view missing;
    if (planned.info->name == "trace-bind" && !given.trace) missing = "a trace; give one with `-trace=`";
    if (planned.info->name == "speedup-rewrite" && !given.scenario)
      missing = "a planned speed-up; give one with `-speedup=` or `-speedups=`";
    if (missing.empty()) continue;
    diagnostics.error(DiagId::PipelineMissingFacet, planned.range,
                      fmt::format("pass `{}` needs {}", planned.info->name, missing));
    code = std::max(code, ExitCode::InputFault);
  }
  code = std::max(code, checkOutputs(pipeline, settings, module, registry, diagnostics));
  code = std::max(code, checkNamedPasses(pipeline, settings, diagnostics));
  if (code != ExitCode::Done) return code;
  if (!settings.traces.empty() && !contains(pipeline, "trace-bind"))
    diagnostics.warning(DiagId::OptionConflict, settings.traces.front().range,
                        "the trace is not used; the pipeline lacks `trace-bind`");
  if (!settings.scenarios.empty() && !contains(pipeline, "speedup-rewrite"))
    diagnostics.warning(DiagId::OptionConflict, settings.scenarios.front().requests.front().range,
                        fmt::format("the planned speed-ups are not used; {}",
                                    given.trace ? "the pipeline lacks `speedup-rewrite`" : "they need a trace"));
  if (settings.traces.empty()) warnUnusedSteps(settings, diagnostics);
  warnUnusedOutput(pipeline, settings, diagnostics);
  return checkDestinations(plannedDestinations(pipeline, settings), diagnostics);
}

}  // namespace amdahlc::driver
