#include "api/planning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "report/measured_runs.h"
#include "report/outputs/output_options.h"
#include "report/outputs/output_requests.h"
#include "support/edit_distance.h"

namespace amdahlc::api {
namespace {

constexpr std::string_view kDefault = "default";
constexpr std::string_view kStopsAfterExplanation = "has no effect; the command stops after the explanation";

/// Why an output of ranks cannot exist, as a sentence for users.
std::string whyNoRanks(const Output& output) {
  return fmt::format(
      "output `{}` cannot exist without traces of several ranks; give a folder, a pattern, or `-trace=rank0=file "
      "-trace=rank1=file`",
      output.name);
}

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

/// The outputs that an option of the command changes, because it sets an option of theirs.
std::vector<std::string_view> outputsChangedBy(const PassArgument& argument) {
  if (argument.pass->name != kRenderingPass) return {};
  return outputsTaking(argument.option->sets);
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
      if (std::find(passes.begin(), passes.end(), passOfParameter(parameter)) == passes.end())
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
      const auto old = std::find_if(element.parameters.begin(), element.parameters.end(),
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

/// ``pass `trace-bind`, which needs a trace; give one with `-trace=` ``; empty if the pass has its inputs.
std::string lackOfInput(const PassInfo& pass, const PassInputs& given, const PassRegistry& registry) {
  for (const PassInput input : registry.declarations(pass).neededInputs())
    if (!given.contains(input))
      return fmt::format("pass `{}`, which needs {}; {}", pass.name, textOf(input).needed, textOf(input).hint);
  return {};
}

/// The same, or ``pass `trace-bind`; add it to `-passes=` ``.
std::string howToRun(const PassInfo& pass, const PassInputs& given, const PassRegistry& registry) {
  const std::string lack = lackOfInput(pass, given, registry);
  return lack.empty() ? fmt::format("pass `{}`; add it to `-passes=`", pass.name) : lack;
}

/// The same of a pass that builds on others: if one of these lacks an input, the pass alone would not help.
std::string howToRun(const PassInfo& pass, const PassInputs& given, ir::FacetSet present,
                     const PassRegistry& registry) {
  for (const ir::Facet required : registry.declarations(pass).requiredFacets())
    if (const PassInfo* before = present.contains(required) ? nullptr : registry.establishing(required))
      if (std::string lack = lackOfInput(*before, given, registry); !lack.empty()) return lack;
  return howToRun(pass, given, registry);
}

/// `` `trace-bind`, which needs a trace; give one with `-trace=` ``, or another way to enable the output.
std::string howToEstablish(ir::Facet facet, const PassInputs& given, ir::FacetSet present, const LostFacets& lost,
                           const PassRegistry& registry) {
  const PassInfo* source = registry.establishing(facet);
  if (!source) return fmt::format("facet `{}`", ir::name(facet));
  if (lost.facets.contains(facet))
    return fmt::format("pass `{}`; {}", source->name, howToRestore(facet, present, lost, registry, "to `-passes=`"));
  return howToRun(*source, given, present, registry);
}

/// Reports options of passes without effect: those that set an option of a pass that does not run, and gates that read
/// facts which will not exist.
Outcome checkPassArguments(const Pipeline& pipeline, const Request& request, const PassInputs& given,
                           ir::FacetSet present, const LostFacets& lost, const PassRegistry& registry,
                           DiagnosticEngine& diagnostics) {
  for (const PlannedPass& planned : pipeline)
    for (const ir::Facet facet : planned.pass->establishes()) present.insert(facet);
  Outcome code = Outcome::Done;
  if (!request.baseline.empty() && !present.contains(ir::Facet::Timed)) {
    diagnostics.error(DiagId::OptionConflict, request.baselineRange,
                      explainsOnly(request)
                          ? fmt::format("`-baseline` {}", kStopsAfterExplanation)
                          : fmt::format("`-baseline` has nothing to compare without the {}",
                                        howToEstablish(ir::Facet::Timed, given, present, lost, registry)));
    code = Outcome::RequestFault;
  }
  for (const PassArgument& argument : request.passArguments) {
    const auto& gate = argument.option->gate;
    if (gate && comparesWithBaseline(*gate) && request.baseline.empty()) {
      diagnostics.error(DiagId::OptionConflict, argument.range,
                        fmt::format("`-{}` has nothing to compare with; give a report of an earlier run with "
                                    "`-baseline=`",
                                    argument.option->name));
      code = Outcome::RequestFault;
      continue;
    }
    if (explainsOnly(request) && !argument.option->explains && (gate || !contains(pipeline, argument.pass->name))) {
      diagnostics.error(DiagId::OptionConflict, argument.range,
                        fmt::format("`-{}` {}", argument.option->name, kStopsAfterExplanation));
      code = Outcome::RequestFault;
      continue;
    }
    const auto needs = gate ? std::optional(gate->needs) : argument.option->needs;
    if (needs ? present.contains(*needs) : contains(pipeline, argument.pass->name)) continue;
    diagnostics.error(DiagId::OptionConflict, argument.range,
                      needs ? fmt::format("`-{}` has {} without the {}", argument.option->name,
                                          gate ? "nothing to check" : "no effect",
                                          howToEstablish(*needs, given, present, lost, registry))
                            : fmt::format("`-{}` has no effect without the {}", argument.option->name,
                                          howToRun(*argument.pass, given, registry)));
    code = Outcome::RequestFault;
  }
  return code;
}

/// If an option asks for an explanation, leaves out the passes behind the last that explains something, and those that
/// render outputs. Reports an output that is asked for as well, and returns false.
bool endWithExplanations(Pipeline& pipeline, const Request& request, DiagnosticEngine& diagnostics) {
  const auto explains = [](const PassArgument& argument) { return argument.option->explains; };
  const auto option = std::find_if(request.passArguments.begin(), request.passArguments.end(), explains);
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
    return std::any_of(request.passArguments.begin(), request.passArguments.end(), [&](const PassArgument& argument) {
      return explains(argument) && argument.pass == planned.info;
    });
  });
  if (last != pipeline.rend()) pipeline.erase(last.base(), pipeline.end());
  std::erase_if(pipeline, [](const PlannedPass& planned) { return !plannedOutputs(planned).empty(); });
  return true;
}

/// Whether an output has the events of traces.
bool writesTraces(const Pipeline& pipeline) {
  const std::vector<PlannedOutput> outputs = plannedOutputs(pipeline);
  return std::any_of(outputs.begin(), outputs.end(), [](const PlannedOutput& planned) {
    return planned.output.needsNoModel() || planned.output.whyNot != nullptr;
  });
}

/// Warns of given inputs that no pass of the pipeline needs.
void warnUnusedInputs(const Pipeline& pipeline, const Request& request, const PassInputs& given,
                      const PassRegistry& registry, DiagnosticEngine& diagnostics) {
  std::vector<std::pair<PassInput, SourceRange>> inputs;
  if (!request.traces.empty()) inputs.emplace_back(PassInput::Trace, request.traces.front().range);
  if (!request.scenarios.empty())
    inputs.emplace_back(PassInput::Speedups, request.scenarios.front().changes.front().range);
  if (!request.hardware.empty()) inputs.emplace_back(PassInput::Hardware, request.hardwareRange);
  for (const auto& [input, range] : inputs) {
    // A trace also names the target, which chooses the rules that `-explain-rule` is about.
    if (needsInput(pipeline, input) || (input == PassInput::Trace && (writesTraces(pipeline) || explainsOnly(request))))
      continue;
    const PassInfo* user = registry.needing(input);
    std::string why = fmt::format("the pipeline lacks `{}`", user->name);
    for (const PassInput other : registry.declarations(*user).neededInputs())
      if (!given.contains(other)) why = fmt::format("`{}` also needs {}", user->name, textOf(other).needed);
    diagnostics.warning(DiagId::OptionConflict, range, fmt::format("{}; {}", textOf(input).unused, why));
  }
}

/// Reports names of passes that do not run, because the options with them have no effect.
Outcome checkNamedPasses(const Pipeline& pipeline, const Request& request, DiagnosticEngine& diagnostics) {
  Outcome code = Outcome::Done;
  for (const NamedPass& named : request.namedPasses) {
    if (contains(pipeline, named.pass)) continue;
    diagnostics.error(DiagId::OptionConflict, {},
                      fmt::format("`-{}={}` names a pass that does not run; the pipeline is `{}`", named.option,
                                  named.pass, printPipeline(pipeline)));
    code = Outcome::RequestFault;
  }
  for (const RemarkArgument& argument : request.remarkArguments) {
    const auto bit = static_cast<uint8_t>(1u << static_cast<unsigned>(argument.kind));
    if (std::any_of(pipeline.begin(), pipeline.end(), [&](const PlannedPass& planned) {
          return (request.remarks.wanted(planned.info->name) & bit) != 0;
        }))
      continue;
    diagnostics.error(
        DiagId::OptionConflict, argument.range,
        fmt::format("`{}` matches no pass that runs; the pipeline is `{}`", argument.pattern, printPipeline(pipeline)));
    code = Outcome::RequestFault;
  }
  return code;
}

/// Refuses an option that changes outputs of some kinds, if there is none of them.
Outcome checkOptionsOfOutputs(const Pipeline& pipeline, const Request& request, DiagnosticEngine& diagnostics) {
  Outcome code = Outcome::Done;
  const auto check = [&](SourceRange range, const std::string& option, const std::string& needed,
                         const std::function<bool(const Output&)>& isNeeded) {
    for (const PlannedOutput& planned : plannedOutputs(pipeline))
      if (isNeeded(planned.output)) return;
    diagnostics.error(DiagId::OptionConflict, range,
                      fmt::format("`-{}` has no effect; no output is {}", option, needed));
    code = Outcome::RequestFault;
  };
  const bool isCompared =
      std::any_of(request.passArguments.begin(), request.passArguments.end(), [](const PassArgument& argument) {
        return argument.option->gate && comparesWithBaseline(*argument.option->gate);
      });
  if (!request.baseline.empty() && !isCompared)
    check(request.baselineRange, "baseline", "compared with it",
          [](const Output& output) { return output.baseline != Output::BaselineUse::None; });
  if (request.csvSafe) check(*request.csvSafe, "csv-safe", "CSV", [](const Output& output) { return output.isCsv; });
  for (const PlannedPass& planned : pipeline) {
    const std::vector<PlannedOutput> outputs = plannedOutputs(planned);
    if (outputs.empty()) continue;
    for (const PassOption& option : planned.pass->options()) {
      const std::vector<std::string_view> takers = outputsTaking(option.name);
      const auto isOfCommand = [&](const PassArgument& one) { return one.range.buffer == option.place->buffer; };
      const auto takes = [&](const PlannedOutput& one) {
        return std::find(takers.begin(), takers.end(), one.output.name) != takers.end();
      };
      if (takers.empty() || !option.place ||
          std::any_of(request.passArguments.begin(), request.passArguments.end(), isOfCommand) ||
          std::any_of(outputs.begin(), outputs.end(), takes))
        continue;
      diagnostics.error(DiagId::OptionConflict, *option.place,
                        fmt::format("`{}` has no effect; no output of pass `{}` is `{}`", option.name,
                                    planned.info->name, fmt::join(takers, "`, `")));
      code = std::max(code, Outcome::InputFault);
    }
  }
  for (const PassArgument& argument : request.passArguments)
    if (const auto takers = outputsChangedBy(argument); !takers.empty())
      check(argument.range, argument.option->name, fmt::format("`{}`", fmt::join(takers, "`, `")),
            [&](const Output& output) { return std::find(takers.begin(), takers.end(), output.name) != takers.end(); });
  return code;
}

}  // namespace

bool explainsOnly(const Request& request) {
  return std::any_of(request.passArguments.begin(), request.passArguments.end(),
                     [](const PassArgument& argument) { return argument.option->explains; });
}

Outcome checkOutputs(const Pipeline& pipeline, const Request& request, const PassInputs& given, ir::FacetSet present,
                     const LostFacets& lost, const PassRegistry& registry, DiagnosticEngine& diagnostics) {
  Outcome code = Outcome::Done;
  std::set<const PassInfo*> ran;
  for (const PlannedPass& planned : pipeline) {
    for (const ir::Facet facet : planned.pass->establishes()) present.insert(facet);
    ran.insert(planned.info);
    for (const auto& [output, asked, parameter] : plannedOutputs(planned)) {
      const SourceRange range = parameter ? parameter->valueRange : planned.range;
      const auto refuse = [&](DiagId id, const std::string& why) {
        diagnostics.error(id, range, why);
        code = Outcome::RequestFault;
      };
      if (output.baseline == Output::BaselineUse::Needed && request.baseline.empty()) {
        refuse(DiagId::EmitOutputUnavailable,
               fmt::format("output `{}` cannot exist without a report of an earlier run; give one with `-baseline=`",
                           output.name));
        continue;
      }
      if (output.isFolder && (asked.path.empty() || asked.path == "-")) {
        refuse(DiagId::OutputConflict,
               fmt::format("output `{}` has several files; give it a folder, as in `-emit={}=folder`", output.name,
                           output.name));
        continue;
      }
      if (output.needsRanks() && !request.ranks) {
        refuse(DiagId::EmitOutputUnavailable, whyNoRanks(output));
        continue;
      }
      const bool lacksTrace = output.needsTraceAlone() && !given.contains(PassInput::Trace);
      const PassInfo* shown = output.needsItsPass() ? registry.find(output.pass) : nullptr;
      const bool lacksPass = shown != nullptr && !ran.contains(shown);
      if (!lacksTrace && !lacksPass && (!output.needs || present.contains(*output.needs))) continue;
      std::string pass = lacksPass ? howToRun(*shown, given, present, registry) : "";
      if (pass.empty() && output.needs) pass = howToEstablish(*output.needs, given, present, lost, registry);
      const PassInputText& trace = textOf(PassInput::Trace);
      const std::string lack = lacksTrace ? fmt::format("{}; {}", trace.needed, trace.hint) : "the " + pass;
      diagnostics.error(DiagId::EmitOutputUnavailable, range,
                        fmt::format("output `{}` cannot exist without {}", output.name, lack));
      const bool fromOption =
          std::any_of(request.emits.begin(), request.emits.end(),
                      [&](const EmitArgument& argument) { return argument.range.buffer == range.buffer; });
      code = std::max(code, fromOption ? Outcome::RequestFault : Outcome::InputFault);
    }
  }
  return code;
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

Outcome checkTraceOutputs(const Request& request, DiagnosticEngine& diagnostics) {
  const size_t errorsBefore = diagnostics.errorCount();
  bool hasTable = false, hasRun = false;
  for (const EmitArgument& argument : request.emits) {
    if (!checkOutputRequest(argument.output, argument.range, DiagId::PipelineOptionValue, diagnostics)) continue;
    const Output& output = *findOutput(parseOutputRequest(argument.output).kind);
    hasTable |= output.isCsv;
    hasRun |= output.needsTraceAlone();
    if (output.needsRanks() && !request.ranks)
      diagnostics.error(DiagId::EmitOutputUnavailable, argument.range, whyNoRanks(output));
  }
  if (request.ranks && request.traces.size() > 1)
    diagnostics.error(DiagId::OptionConflict, request.traces.front().range,
                      "a trace beside those of ranks needs a model; none is given");
  if (request.csvSafe && !hasTable)
    diagnostics.error(DiagId::OptionConflict, *request.csvSafe, "`-csv-safe` has no effect; no output is CSV");
  if (request.rank && !hasRun)
    diagnostics.error(DiagId::OptionConflict, request.rankRange,
                      "`-rank` has no effect without a model; the comparison is of all ranks");
  return diagnostics.errorCount() == errorsBefore ? Outcome::Done : Outcome::RequestFault;
}

void warnUnusedSelection(const Request& request, DiagnosticEngine& diagnostics) {
  for (const auto& [name, range] : request.selectionOptions)
    diagnostics.warning(DiagId::OptionConflict, range,
                        fmt::format("`-{}` is not used; it chooses parts of a trace, and none is given", name));
}

bool contains(const Pipeline& pipeline, std::string_view pass) {
  return std::any_of(pipeline.begin(), pipeline.end(),
                     [&](const PlannedPass& planned) { return planned.info->name == pass; });
}

std::optional<Pipeline> planPipeline(const Request& request, const PassInputs& given, const PassRegistry& registry,
                                     bool isFinal, SourceManager& sources, DiagnosticEngine& diagnostics,
                                     Outcome& outcome) {
  outcome = Outcome::InputFault;
  const BufferId buffer = sources.add("<pipeline>", request.passes.value_or(std::string(kDefault)));
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
  for (const EmitArgument& argument : request.emits) askedFor.insert(passOfOutput(argument.output));
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
  } else if (!request.passes &&
             std::all_of(request.passArguments.begin(), request.passArguments.end(), [&](const PassArgument& argument) {
               return sources.name(argument.range.buffer).starts_with('<');
             }))
    outcome = Outcome::RequestFault;
  return pipeline;
}

Outcome checkPlan(const Pipeline& pipeline, const Request& request, const PassInputs& given, ir::FacetSet present,
                  const LostFacets& lost, const PassRegistry& registry, DiagnosticEngine& diagnostics) {
  const bool facets = checkFacets(pipeline, present, lost, registry, diagnostics, given.contains(PassInput::Trace));
  const bool inputs = checkInputs(pipeline, given, diagnostics);
  Outcome code = facets && inputs ? Outcome::Done : Outcome::InputFault;
  code = std::max(code, checkOutputs(pipeline, request, given, present, lost, registry, diagnostics));
  code = std::max(code, checkPassArguments(pipeline, request, given, present, lost, registry, diagnostics));
  code = std::max(code, checkNamedPasses(pipeline, request, diagnostics));
  if (code != Outcome::Done) return code;
  warnUnusedInputs(pipeline, request, given, registry, diagnostics);
  if (request.traces.empty()) warnUnusedSelection(request, diagnostics);
  return checkOptionsOfOutputs(pipeline, request, diagnostics);
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
