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
constexpr std::string_view kStopsAfterExplanation = "has no effect; the command stops after the explanation";

/// What a request lacks for an output, and how to give it. It is known before any input is read: what an input lacks is
/// an `Absence`.
std::string cannotExistWithout(const Output& output, std::string_view lack) {
  return fmt::format("output `{}` cannot exist without {}", output.name, lack);
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
      return explains(argument) && argument.pass == planned.info;
    });
  });
  if (last != pipeline.rend()) pipeline.erase(last.base(), pipeline.end());
  std::erase_if(pipeline, [](const PlannedPass& planned) { return !plannedOutputs(planned).empty(); });
  return true;
}

/// Checks that all of a request has an effect in a pipeline, and that what it asks for can exist.
class PlanCheck {
 public:
  PlanCheck(const Pipeline& pipeline, const Request& request, const PassInputs& given, const LostFacets& lost,
            const PassRegistry& registry, DiagnosticEngine& diagnostics)
      : pipeline_(pipeline),
        request_(request),
        given_(given),
        lost_(lost),
        registry_(registry),
        diagnostics_(diagnostics) {}

  /// Of the errors so far.
  Outcome outcome() const { return outcome_; }

  void checkNeeds(ir::FacetSet present) {
    const bool facets =
        checkFacets(pipeline_, present, lost_, registry_, diagnostics_, given_.contains(PassInput::Trace));
    if (!checkInputs(pipeline_, given_, diagnostics_) || !facets) outcome_ = std::max(outcome_, Outcome::InputFault);
  }

  /// Reports outputs that cannot exist.
  void checkOutputs(ir::FacetSet present) {
    std::set<const PassInfo*> ran;
    for (const PlannedPass& planned : pipeline_) {
      if (const auto facet = planned.pass->establishes()) present.insert(*facet);
      ran.insert(planned.info);
      for (const PlannedOutput& output : plannedOutputs(planned)) {
        if (!isRendered(output, request_)) continue;
        const SourceRange range = output.parameter ? output.parameter->valueRange : planned.range;
        checkOutput(output.output, output.request.path, range, present, ran);
      }
    }
  }

  /// Reports options of passes without effect: those that set an option of a pass that does not run, and gates that
  /// read facts which will not exist.
  void checkPassArguments(ir::FacetSet present) {
    for (const PlannedPass& planned : pipeline_)
      if (const auto facet = planned.pass->establishes()) present.insert(*facet);
    if (!request_.baseline.empty() && !present.contains(ir::Facet::Timed))
      refuse(request_.baselineRange, explainsOnly(request_)
                                         ? fmt::format("`-baseline` {}", kStopsAfterExplanation)
                                         : fmt::format("`-baseline` has nothing to compare without the {}",
                                                       howToEstablish(ir::Facet::Timed, present)));
    for (const PassArgument& argument : request_.passArguments) {
      const CommandOption& option = *argument.option;
      const auto& gate = option.gate;
      const bool runs = contains(pipeline_, argument.pass->name);
      const auto needs = gate ? std::optional(gate->needs) : option.needs;
      if (gate && comparesWithBaseline(*gate) && request_.baseline.empty())
        refuse(argument.range, fmt::format("`-{}` has nothing to compare with; give a report of an earlier run with "
                                           "`-baseline=`",
                                           option.name));
      else if (explainsOnly(request_) && !option.explains && (gate || !runs))
        refuse(argument.range, fmt::format("`-{}` {}", option.name, kStopsAfterExplanation));
      else if (needs && !present.contains(*needs))
        refuse(argument.range, fmt::format("`-{}` has {} without the {}", option.name,
                                           gate ? "nothing to check" : "no effect", howToEstablish(*needs, present)));
      else if (!needs && !runs)
        refuse(argument.range,
               fmt::format("`-{}` has no effect without the {}", option.name, howToRun(*argument.pass)));
    }
  }

  /// Reports names of passes that do not run, because the options with them have no effect.
  void checkNamedPasses() {
    for (const NamedPass& named : request_.namedPasses)
      if (!contains(pipeline_, named.pass))
        refuse({}, fmt::format("`-{}={}` names a pass that does not run; the pipeline is `{}`", named.option,
                               named.pass, printPipeline(pipeline_)));
    for (const RemarkArgument& argument : request_.remarkArguments) {
      const auto bit = static_cast<uint8_t>(1u << static_cast<unsigned>(argument.kind));
      if (std::ranges::none_of(pipeline_, [&](const PlannedPass& planned) {
            return (request_.remarks.wanted(planned.info->name) & bit) != 0;
          }))
        refuse(argument.range, fmt::format("`{}` matches no pass that runs; the pipeline is `{}`", argument.pattern,
                                           printPipeline(pipeline_)));
    }
  }

  /// Warns of given inputs that no pass of the pipeline needs.
  void warnUnusedInputs() {
    std::vector<std::pair<PassInput, SourceRange>> inputs;
    if (!request_.traces.empty()) inputs.emplace_back(PassInput::Trace, request_.traces.front().range);
    if (!request_.scenarios.empty())
      inputs.emplace_back(PassInput::Speedups, request_.scenarios.front().changes.front().range);
    if (!request_.hardware.empty()) inputs.emplace_back(PassInput::Hardware, request_.hardwareRange);
    const auto writesTraces = [](const Output& output) { return output.needsNoModel() || output.absenceOf != nullptr; };
    for (const auto& [input, range] : inputs) {
      // A trace also names the target, which chooses the rules that `-explain-rule` is about.
      if (needsInput(pipeline_, input) ||
          (input == PassInput::Trace && (hasOutput(writesTraces) || explainsOnly(request_))))
        continue;
      const PassInfo* user = registry_.needing(input);
      std::string why = fmt::format("the pipeline lacks `{}`", user->name);
      for (const PassInput other : registry_.declarations(*user).neededInputs())
        if (!given_.contains(other)) why = fmt::format("`{}` also needs {}", user->name, textOf(other).needed);
      diagnostics_.warning(DiagId::OptionConflict, range, fmt::format("{}; {}", textOf(input).unused, why));
    }
  }

  /// Refuses the parts of the request that mean something of a model only. A front end asks for them by the options of
  /// these names.
  void refusePartsOfModels() {
    const Request& r = request_;
    const auto needModel = [&](std::string_view option, const Location& range) {
      refuse(range, fmt::format("`-{}` needs a model; none is given", option));
    };
    if (!r.dims.empty()) needModel("dim", r.dimsRange);
    if (!r.target.empty()) needModel("target", r.targetRange);
    if (!r.hardware.empty()) needModel("hardware", r.hardwareRange);
    if (!r.rules.empty()) needModel("rules", r.rules.front().range);
    if (!r.disabledRules.empty()) needModel("disable-rule", r.disabledRules.front().range);
    if (!r.scenarios.empty()) needModel("what-if", r.scenarios.front().range);
    if (!r.baseline.empty()) needModel("baseline", r.baselineRange);
    for (const PassArgument& argument : r.passArguments) needModel(argument.option->name, argument.range);
  }

  void checkOptionsOfTraces() {
    if (request_.ranks && request_.traces.size() > 1)
      refuse(request_.traces.front().range, "a trace beside those of ranks needs a model; none is given");
    checkCsvSafe();
    if (request_.rank && !hasOutput(&Output::needsTraceAlone))
      refuse(request_.rankRange, "`-rank` has no effect without a model; the comparison is of all ranks");
  }

  /// Refuses an option that changes outputs of some kinds, if there is none of them.
  void checkOptionsOfOutputs() {
    const bool isCompared = std::ranges::any_of(request_.passArguments, [](const PassArgument& argument) {
      return argument.option->gate && comparesWithBaseline(*argument.option->gate);
    });
    if (!request_.baseline.empty() && !isCompared)
      requireOutput(request_.baselineRange, "baseline", "compared with it",
                    [](const Output& output) { return output.baseline != Output::BaselineUse::None; });
    checkCsvSafe();
    for (const PlannedPass& planned : pipeline_)
      if (const std::vector<PlannedOutput> outputs = plannedOutputs(planned); !outputs.empty())
        for (const PassOption& option : planned.pass->options()) checkOptionInText(planned, outputs, option);
    for (const PassArgument& argument : request_.passArguments)
      if (const auto takers = outputsChangedBy(argument); !takers.empty())
        requireOutput(argument.range, argument.option->name, fmt::format("`{}`", fmt::join(takers, "`, `")),
                      [&](const Output& output) { return isAmong(takers, output.name); });
  }

 private:
  static bool isAmong(const std::vector<std::string_view>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  }

  bool hasOutput(const std::function<bool(const Output&)>& test) const {
    const std::vector<PlannedOutput> outputs = plannedOutputs(pipeline_);
    return std::ranges::any_of(outputs, [&](const PlannedOutput& planned) { return test(planned.output); });
  }

  void refuse(Location where, const std::string& message, DiagId id = DiagId::OptionConflict,
              Outcome outcome = Outcome::RequestFault) {
    diagnostics_.error(id, std::move(where), message);
    outcome_ = std::max(outcome_, outcome);
  }

  void checkOutput(const Output& output, const std::string& path, SourceRange range, ir::FacetSet present,
                   const std::set<const PassInfo*>& ran) {
    if (!request_.model && !output.needsNoModel())
      return refuse(range, fmt::format("`-emit={}` needs a model; none is given", output.name));
    if (output.baseline == Output::BaselineUse::Needed && request_.baseline.empty())
      return refuse(range, cannotExistWithout(output, "a report of an earlier run; give one with `-baseline=`"),
                    DiagId::EmitOutputUnavailable);
    if (output.isFolder && (path.empty() || path == "-"))
      return refuse(range,
                    fmt::format("output `{}` has several files; give it a folder, as in `-emit={}=folder`", output.name,
                                output.name),
                    DiagId::OutputConflict);
    if (output.needsRanks() && !request_.ranks)
      return refuse(range, cannotExistWithout(output, kTracesOfRanks), DiagId::EmitOutputUnavailable);
    const bool lacksTrace = output.needsTraceAlone() && !given_.contains(PassInput::Trace);
    const PassInfo* shown = output.needsItsPass() ? registry_.find(output.pass) : nullptr;
    const bool lacksPass = shown != nullptr && !ran.contains(shown);
    if (!lacksTrace && !lacksPass && (!output.needs || present.contains(*output.needs))) return;
    std::string pass = lacksPass ? howToRun(*shown, present) : "";
    if (pass.empty() && output.needs) pass = howToEstablish(*output.needs, present);
    const PassInputText& trace = textOf(PassInput::Trace);
    const std::string lack = lacksTrace ? fmt::format("{}; {}", trace.needed, trace.hint) : "the " + pass;
    // An output of the request is a fault of the request, one in the pipeline text is one of an input.
    const bool isOfRequest = std::ranges::any_of(
        request_.emits, [&](const EmitArgument& argument) { return argument.range.buffer == range.buffer; });
    refuse(range, cannotExistWithout(output, lack), DiagId::EmitOutputUnavailable,
           isOfRequest ? Outcome::RequestFault : Outcome::InputFault);
  }

  void requireOutput(SourceRange range, const std::string& option, const std::string& needed,
                     const std::function<bool(const Output&)>& isNeeded) {
    if (!hasOutput(isNeeded)) refuse(range, fmt::format("`-{}` has no effect; no output is {}", option, needed));
  }

  void checkCsvSafe() {
    if (request_.csvSafe) requireOutput(*request_.csvSafe, "csv-safe", "CSV", &Output::isCsv);
  }

  /// An option of outputs that pipeline text sets.
  void checkOptionInText(const PlannedPass& planned, const std::vector<PlannedOutput>& outputs,
                         const PassOption& option) {
    const std::vector<std::string_view> takers = outputsTaking(option.name);
    if (takers.empty() || !option.place) return;
    const auto isOfCommand = [&](const PassArgument& one) { return one.range.buffer == option.place->buffer; };
    if (std::ranges::any_of(request_.passArguments, isOfCommand)) return;
    if (std::ranges::none_of(outputs, [&](const PlannedOutput& one) { return isAmong(takers, one.output.name); }))
      refuse(*option.place,
             fmt::format("`{}` has no effect; no output of pass `{}` is `{}`", option.name, planned.info->name,
                         fmt::join(takers, "`, `")),
             DiagId::OptionConflict, Outcome::InputFault);
  }

  /// ``pass `trace-bind`, which needs a trace; give one with `-trace=` ``; empty if the pass has its inputs.
  std::string lackOfInput(const PassInfo& pass) const {
    for (const PassInput input : registry_.declarations(pass).neededInputs())
      if (!given_.contains(input))
        return fmt::format("pass `{}`, which needs {}; {}", pass.name, textOf(input).needed, textOf(input).hint);
    return {};
  }

  /// The same, or ``pass `trace-bind`; add it to `-passes=` ``.
  std::string howToRun(const PassInfo& pass) const {
    const std::string lack = lackOfInput(pass);
    return lack.empty() ? fmt::format("pass `{}`; add it to `-passes=`", pass.name) : lack;
  }

  /// The same of a pass that builds on others: if one of these lacks an input, the pass alone would not help.
  std::string howToRun(const PassInfo& pass, ir::FacetSet present) const {
    for (const ir::Facet required : registry_.declarations(pass).requiredFacets())
      if (const PassInfo* before = present.contains(required) ? nullptr : registry_.establishing(required))
        if (std::string lack = lackOfInput(*before); !lack.empty()) return lack;
    return howToRun(pass);
  }

  /// `` `trace-bind`, which needs a trace; give one with `-trace=` ``, or another way to enable the output.
  std::string howToEstablish(ir::Facet facet, ir::FacetSet present) const {
    const PassInfo* source = registry_.establishing(facet);
    if (!source) return fmt::format("facet `{}`", ir::name(facet));
    if (!lost_.facets.contains(facet)) return howToRun(*source, present);
    return fmt::format("pass `{}`; {}", source->name, howToRestore(facet, present, lost_, registry_, "to `-passes=`"));
  }

  const Pipeline& pipeline_;
  const Request& request_;
  const PassInputs& given_;
  const LostFacets& lost_;
  const PassRegistry& registry_;
  DiagnosticEngine& diagnostics_;
  Outcome outcome_ = Outcome::Done;
};

}  // namespace

bool explainsOnly(const Request& request) {
  return std::ranges::any_of(request.passArguments,
                             [](const PassArgument& argument) { return argument.option->explains; });
}

Outcome checkOutputs(const Pipeline& pipeline, const Request& request, const PassInputs& given, ir::FacetSet present,
                     const PassRegistry& registry, DiagnosticEngine& diagnostics) {
  const LostFacets none;
  PlanCheck check(pipeline, request, given, none, registry, diagnostics);
  check.checkOutputs(present);
  return check.outcome();
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

void warnUnusedSelection(const Request& request, DiagnosticEngine& diagnostics) {
  for (const auto& [name, range] : request.selectionOptions)
    diagnostics.warning(DiagId::OptionConflict, range,
                        fmt::format("`-{}` is not used; it chooses parts of a trace, and none is given", name));
}

bool contains(const Pipeline& pipeline, std::string_view pass) {
  return std::ranges::any_of(pipeline, [&](const PlannedPass& planned) { return planned.info->name == pass; });
}

bool isRendered(const PlannedOutput& output, const Request& request) {
  return request.model || output.parameter != nullptr;
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
  } else if (!request.passes && std::ranges::all_of(request.passArguments, [&](const PassArgument& argument) {
               return sources.name(argument.range.buffer).starts_with('<');
             }))
    outcome = Outcome::RequestFault;
  return pipeline;
}

Outcome checkPlan(const Pipeline& pipeline, const Request& request, const PassInputs& given, ir::FacetSet present,
                  const LostFacets& lost, const PassRegistry& registry, DiagnosticEngine& diagnostics) {
  PlanCheck check(pipeline, request, given, lost, registry, diagnostics);
  if (!request.model) {
    check.refusePartsOfModels();
    check.checkOutputs(present);
    check.checkOptionsOfTraces();
    return check.outcome();
  }
  check.checkNeeds(present);
  check.checkOutputs(present);
  check.checkPassArguments(present);
  check.checkNamedPasses();
  if (check.outcome() != Outcome::Done) return check.outcome();
  check.warnUnusedInputs();
  if (request.traces.empty()) warnUnusedSelection(request, diagnostics);
  check.checkOptionsOfOutputs();
  return check.outcome();
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
