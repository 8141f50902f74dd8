#include "api/plan_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "api/planning.h"
#include "api/trace_files.h"
#include "report/measured_runs.h"
#include "report/outputs/output_options.h"

namespace amdahlc::api {
namespace {

constexpr std::string_view kStopsAfterExplanation = "has no effect; the command stops after the explanation";

/// What a request lacks for an output, and how to give it. It is known before any input is read: what an input lacks is
/// an `Absence`.
std::string cannotExistWithout(const Output& output, std::string_view lack) {
  return fmt::format("output `{}` cannot exist without {}", output.name, lack);
}

/// Checks that all of a request has an effect in a pipeline, and that what it asks for can exist.
class PlanCheck {
 public:
  PlanCheck(const Pipeline& pipeline, const Request& request, const PassInputs& given, const LostFacets& lost,
            const PassRegistry& registry, const SourceManager& sources, DiagnosticEngine& diagnostics)
      : pipeline_(pipeline),
        request_(request),
        given_(given),
        lost_(lost),
        registry_(registry),
        sources_(sources),
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
    for (const NamedPass& named : namedPasses())
      if (!contains(pipeline_, named.pass))
        refuse({}, fmt::format("`-{}={}` names a pass that does not run; the pipeline is `{}`", named.option,
                               named.pass, printPipeline(pipeline_)));
    for (const RemarkArgument& argument : request_.remarks) {
      RemarkFilter filter;
      filter.enable(argument.kind, argument.pattern);
      if (std::ranges::none_of(pipeline_,
                               [&](const PlannedPass& planned) { return filter.wanted(planned.info->name) != 0; }))
        refuse(argument.range, fmt::format("`{}` matches no pass that runs; the pipeline is `{}`", argument.pattern,
                                           printPipeline(pipeline_)));
    }
  }

  /// Warns of given inputs that no pass of the pipeline needs.
  void warnUnusedInputs() {
    std::vector<std::pair<PassInput, SourceRange>> inputs;
    // Without a model the trace is the graph.
    if (request_.model && !request_.traces.empty())
      inputs.emplace_back(PassInput::Trace, request_.traces.front().range);
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

  /// The shapes of a recorded run are those that it had.
  void refuseDimensionsWithoutModel() {
    if (!request_.model && !request_.dims.empty())
      refuse(request_.dims.front().range, "`-dim` needs a model; none is given");
  }

  void checkOptionsOfTraces() {
    if (request_.rank && !hasOutput(&Output::needsTraceAlone))
      refuse(request_.rankRange, "`-rank` has no effect on the comparison of all ranks; `-emit=summary` is of one");
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
  std::vector<NamedPass> namedPasses() const {
    std::vector<NamedPass> names = request_.namedPasses;
    for (const std::string& pass : request_.debugOnly) names.push_back({"debug-only", pass});
    return names;
  }

  static bool isAmong(const std::vector<std::string_view>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  }

  bool hasOutput(const std::function<bool(const Output&)>& test) const {
    const std::vector<PlannedOutput> outputs = plannedOutputs(pipeline_);
    return std::ranges::any_of(outputs, [&](const PlannedOutput& planned) { return test(planned.output); });
  }

  void refuse(Location where, const std::string& message, DiagId id = DiagId::OptionConflict) {
    outcome_ = std::max(outcome_, faultAt(sources_, where));
    diagnostics_.error(id, std::move(where), message);
  }

  void checkOutput(const Output& output, const std::string& path, SourceRange range, ir::FacetSet present,
                   const std::set<const PassInfo*>& ran) {
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
    const bool lacksProgram = output.needsProgram() && !given_.contains(PassInput::Program);
    const bool lacksTrace = output.needsTraceAlone() && !given_.contains(PassInput::Trace);
    const PassInfo* shown = output.needsItsPass() ? registry_.find(output.pass) : nullptr;
    const bool lacksPass = shown != nullptr && !ran.contains(shown);
    if (!lacksTrace && !lacksProgram && !lacksPass && (!output.needs || present.contains(*output.needs))) return;
    std::string pass = lacksPass ? howToRun(*shown, present) : "";
    if (pass.empty() && output.needs) pass = howToEstablish(*output.needs, present);
    const PassInputText& input = textOf(lacksTrace ? PassInput::Trace : PassInput::Program);
    const std::string lack =
        lacksTrace || lacksProgram ? fmt::format("{}; {}", input.needed, input.hint) : "the " + pass;
    refuse(range, cannotExistWithout(output, lack), DiagId::EmitOutputUnavailable);
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
      refuse(*option.place, fmt::format("`{}` has no effect; no output of pass `{}` is `{}`", option.name,
                                        planned.info->name, fmt::join(takers, "`, `")));
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
  const SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  Outcome outcome_ = Outcome::Done;
};

}  // namespace

Outcome checkOutputs(const Pipeline& pipeline, const Request& request, const PassInputs& given, ir::FacetSet present,
                     const PassRegistry& registry, const SourceManager& sources, DiagnosticEngine& diagnostics) {
  const LostFacets none;
  PlanCheck check(pipeline, request, given, none, registry, sources, diagnostics);
  check.checkOutputs(present);
  return check.outcome();
}

void warnUnusedSelection(const Request& request, DiagnosticEngine& diagnostics) {
  for (const auto& [name, range] : request.selectionOptions)
    diagnostics.warning(DiagId::OptionConflict, range,
                        fmt::format("`-{}` is not used; it chooses parts of a trace, and none is given", name));
}

Outcome checkPlan(const Pipeline& pipeline, const Request& request, const PassInputs& given, ir::FacetSet present,
                  const LostFacets& lost, const PassRegistry& registry, const SourceManager& sources,
                  DiagnosticEngine& diagnostics) {
  PlanCheck check(pipeline, request, given, lost, registry, sources, diagnostics);
  if (isOfTracesAlone(request)) {
    check.checkOutputs(present);
    check.checkOptionsOfTraces();
    if (check.outcome() == Outcome::Done) check.checkOptionsOfOutputs();
    return check.outcome();
  }
  check.refuseDimensionsWithoutModel();
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

}  // namespace amdahlc::api
