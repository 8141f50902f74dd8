// From a request to a result, top to bottom:
//
//   model -> pipeline              all of the request is checked before a large input is read
//   baseline, ranks, traces, rules, scenarios, hardware -> module
//   passes -> outputs
#include "api/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "api/change_text.h"
#include "api/inputs.h"
#include "api/plan_check.h"
#include "api/planning.h"
#include "api/trace_files.h"
#include "ir/program_import/program_import.h"
#include "ir/text.h"
#include "passes/advise/rank_waits.h"
#include "passes/manager/pass_manager.h"
#include "passes/registry/all_passes.h"
#include "passes/trace_bind/bind_by_calls.h"
#include "replay/timeline/guessed_iterations.h"
#include "runs/program/traced_calls.h"
#include "support/printable.h"
#include "support/statistics.h"
#include "support/timer.h"

namespace amdahlc::api {
namespace {

// What stands in the place of outputs if an option asks a pass to explain something.
constexpr std::string_view kExplanation = "explanation";

/// The facets of IR text that other inputs invalidate, and those that one of its runs lacks: with `-rules=`, its
/// grouping and all derived facets; with a run that is not bound, or a trace that the text does not contain, all
/// facets about runs.
LostFacets facetsLostIn(const ir::Module& module, const Request& request) {
  if (!request.rules.empty() && module.has(ir::Facet::Fused)) {
    return {module.lostWithGrouping(), "`-rules=` drops the grouping of the IR text and all facts derived from it",
            "leave out `-rules=`"};
  }
  for (const Timeline& run : module.timelines) {
    if (module.coverOfRun(run.label) != nullptr) continue;
    return {ir::FacetStore::kStored, fmt::format("the IR text has no facts about run `{}`", run.label), ""};
  }
  for (const TraceArgument& trace : request.traces) {
    if (module.findTimeline(trace.label) != nullptr) continue;
    return {module.lostWithNewRun(), fmt::format("the IR text has no facts about run `{}`", trace.label), ""};
  }
  return {};
}

/// What the comparison says of one of its ranks; nothing without wall time of all, or with one rank.
RankWaits::Options waitsOf(const ranks::RankComparison& all, int64_t number) {
  RankWaits::Options waits;
  const auto own = std::ranges::find(all.ranks, number, &ranks::ComparedRank::number);
  const bool isDivided =
      std::ranges::all_of(all.ranks, [](const ranks::ComparedRank& one) { return one.wall && one.breakdown; });
  if (own == all.ranks.end() || !isDivided || all.ranks.size() < 2 || all.steps.empty() || !own->wait) return waits;
  waits.rank = number;
  if (all.straggler) waits.straggler = all.straggler->rank;
  waits.wallNs = own->wall->meanNs;
  waits.waitNs = own->wait->meanNs;
  waits.exposedWaitNs = own->exposedWait ? own->exposedWait->meanNs : 0;
  waits.communicationNs = own->breakdown->communication.meanNs;
  waits.exposedCommunicationNs = own->breakdown->exposedCommunication.meanNs;
  waits.computationNs = own->breakdown->computation.meanNs;
  std::vector<int64_t> times;
  for (const ranks::ComparedRank& one : all.ranks) times.push_back(one.breakdown->computation.meanNs);
  waits.meanComputationNs = roundedMean(times);
  return waits;
}

}  // namespace

Messages::Messages() : diagnostics([this](const Diagnostic& diagnostic) { list.push_back(diagnostic); }) {
  sources.add("<request>", "");
}

std::string Messages::text() const {
  std::string text;
  for (const Diagnostic& diagnostic : list) text += render(diagnostic, sources, false);
  return text;
}

Analysis::Analysis(Request request, SourceManager& sources, DiagnosticEngine& diagnostics, Environment environment)
    : request_(std::move(request)),
      sources_(sources),
      diagnostics_(diagnostics),
      environment_(std::move(environment)),
      registry_(allPasses()) {
  const auto ignore = [](std::string_view) {};
  if (!environment_.dump) environment_.dump = ignore;
  if (!environment_.debugLine) environment_.debugLine = ignore;
  environment_.progress = [tell = std::move(environment_.progress), now = std::string(), part = 0.0](
                              std::string_view what, double fraction) mutable {
    // Several runs may be worked on one after the other under one name.
    part = what == now ? std::max(part, fraction) : fraction;
    now = what;
    if (tell) tell(what, part);
  };
  if (!environment_.phaseDone) environment_.phaseDone = [](const char*, int64_t) {};
}

Outcome Analysis::run() {
  for (Outcome (Analysis::*step)() :
       {&Analysis::plan, &Analysis::checkPlan, &Analysis::readInputs, &Analysis::runPasses, &Analysis::checkGates})
    if (const Outcome outcome = (this->*step)(); outcome != Outcome::Done) return outcome;
  return Outcome::Done;
}

template <typename Work>
auto Analysis::timed(const char* phase, Work work) -> decltype(work()) {
  environment_.progress(phase, -1);
  const Stopwatch watch;
  auto result = work();
  environment_.phaseDone(phase, watch.elapsedNs());
  return result;
}

Outcome Analysis::plan() {
  if (const Outcome sound = checkValues(request_, sources_, diagnostics_); sound != Outcome::Done) return sound;
  if (!completeTraces(request_, diagnostics_)) return Outcome::RequestFault;
  // Of several ranks without a model, their comparison is the output.
  if (isOfTracesAlone(request_) && request_.emits.empty() && request_.ranks)
    request_.emits.push_back({std::string(kRanksOutput.name), request_.ranks->range});
  given_ = {PassInput::Rules};
  if (!request_.traces.empty()) given_.insert({PassInput::Trace, PassInput::HostEvents});
  if (!request_.scenarios.empty()) given_.insert(PassInput::Speedups);
  // A run, and so a target, may name its device.
  if (!request_.hardware.empty() || !request_.traces.empty() || !request_.target.device.empty())
    given_.insert(PassInput::Hardware);
  if (!request_.model) given_.insert(PassInput::Program);
  // An error in the pipeline text is reported before a large model is read. The default pipeline is known only after
  // that.
  Outcome outcome = Outcome::Done;
  auto pipeline = planPipeline(request_, given_, registry_, !request_.model, sources_, diagnostics_, outcome);
  if (!pipeline) return outcome;
  if (request_.model) {
    auto loaded = timed("read model", [&] { return loadModel(request_, sources_, diagnostics_); });
    if (!loaded) return Outcome::InputFault;
    module_ = std::move(*loaded);
    if (!module_.timelines.empty()) given_.insert({PassInput::Trace, PassInput::Hardware});
    if (!module_.scenarios.empty()) given_.insert(PassInput::Speedups);
    if (module_.isRecorded()) given_.insert(PassInput::Program);
    pipeline = planPipeline(request_, given_, registry_, true, sources_, diagnostics_, outcome);
    if (!pipeline) return outcome;
  }
  pipeline_ = std::move(*pipeline);
  return Outcome::Done;
}

std::string_view Analysis::insteadOfOutputs() const {
  const auto isOne = [&](const PlannedOutput& planned) { return isRendered(planned, request_); };
  if (std::ranges::any_of(amdahlc::plannedOutputs(pipeline_), isOne)) return {};
  return explainsOnly(request_) ? kExplanation : kIrOutput.name;
}

std::vector<OutputRequest> Analysis::plannedOutputs() const {
  if (const std::string_view other = insteadOfOutputs(); !other.empty()) return {{std::string(other), ""}};
  std::vector<OutputRequest> outputs;
  for (const PlannedOutput& planned : amdahlc::plannedOutputs(pipeline_))
    if (isRendered(planned, request_)) outputs.push_back(planned.request);
  return outputs;
}

Outcome Analysis::checkPlan() {
  if (!request_.model && request_.traces.empty()) {
    diagnostics_.error(DiagId::OptionConflict, {},
                       "no input; give a trace, as in `amdahlc trace.json`, a model, or both; `-help` lists options");
    return Outcome::RequestFault;
  }
  const LostFacets lost = facetsLostIn(module_, request_);
  ir::FacetSet present = module_.facets();
  present.erase(lost.facets);
  // Rules given with IR text replace its grouping.
  if (!request_.rules.empty()) {
    regrouped_ = true;
    module_.forgetGrouping();
  }
  return api::checkPlan(pipeline_, request_, given_, present, lost, registry_, sources_, diagnostics_);
}

Outcome Analysis::readInputs() {
  if (isOfTracesAlone(request_)) return readInputsOfTraces();
  noteTracesNotGiven(module_, pipeline_, request_, given_, registry_, diagnostics_);
  if (!request_.baseline.empty()) {
    baseline_ = loadBaseline(request_, diagnostics_);
    if (!baseline_) return Outcome::InputFault;
  }
  if (!addTraces() || !addRules()) return Outcome::InputFault;
  if (!request_.model && !makeProgram()) return Outcome::InputFault;
  if (needsInput(pipeline_, PassInput::Speedups)) addScenarios();
  if (needsInput(pipeline_, PassInput::Hardware) &&
      !timed("read hardware", [&] { return addHardware(request_, module_, sources_, diagnostics_); }))
    return Outcome::InputFault;
  return Outcome::Done;
}

bool Analysis::readRanks() {
  if (!request_.ranks) return true;
  constexpr const char* kPhase = "read traces of ranks";
  auto loaded = timed(kPhase, [&] {
    return loadRanks(request_, diagnostics_, [this](double done) { environment_.progress(kPhase, done); });
  });
  if (!loaded) return false;
  TraceArgument& bound = request_.traces.back();
  bound.paths = std::move(loaded->paths);
  bound.rank = loaded->rank;
  bound.executionTraces = std::move(loaded->executionTraces);
  ranks_ = std::move(loaded->comparison);
  rank_ = loaded->rank;
  return true;
}

bool Analysis::addTraces() {
  if (!readRanks()) return false;
  auto traces = timed("read traces", [&] { return loadTraces(request_, diagnostics_, environment_.progress); });
  if (!traces) return false;
  for (LoadedTrace& trace : *traces) {
    if (trace.executionTrace && request_.model) {
      if (!program::addTracedFacts(trace.timeline, *trace.executionTrace, diagnostics_)) return false;
    } else if (trace.executionTrace) {
      executionTraces_.emplace(trace.timeline.label, std::move(*trace.executionTrace));
    }
    if (trace.timeline.captured && request_.model && !module_.isRecorded()) {
      diagnostics_.error(DiagId::OptionConflict, trace.range,
                         "a capture tells the calls of a run without a model; leave out one of them");
      return false;
    }
    if (Timeline* held = module_.findTimeline(trace.timeline.label)) {
      if (!giveHostEvents(*held, std::move(trace.timeline), regrouped_, trace.range, diagnostics_)) return false;
      continue;
    }
    module_.addRun(std::move(trace.timeline));
  }
  module_.target = merged(request_.target, module_.target);
  if (module_.timelines.size() == 1)
    module_.timelines.front().target = merged(request_.target, module_.timelines.front().target);
  if (module_.target.empty() && !module_.timelines.empty()) module_.target = module_.timelines.front().target;
  return true;
}

/// Makes the graph of the runs, which is that of their programs.
bool Analysis::makeProgram() {
  std::vector<ir::RunProgram> runs;
  for (Timeline& timeline : module_.timelines) {
    if (timeline.host) dropUnconfirmedIterations(timeline);
    runs.push_back({timeline, program::Program(timeline)});
    auto found = executionTraces_.extract(timeline.label);
    if (found.empty()) continue;
    runs.back().data = program::dataOf(timeline, runs.back().program, std::move(found.mapped()), diagnostics_);
    if (!runs.back().data) return false;
  }
  ir::Module program = timed("make program", [&] { return ir::importPrograms(runs, module_.rules); });
  binding::ProgramsOfRuns::Options programs;
  for (ir::RunProgram& run : runs)
    programs.emplace(run.timeline.label, std::make_shared<const program::Program>(std::move(run.program)));
  analyses_.request<binding::ProgramsOfRuns>(std::move(programs));
  program.target = std::move(module_.target);
  program.rules = std::move(module_.rules);
  program.timelines = std::move(module_.timelines);
  module_ = std::move(program);
  return true;
}

/// Requested rules, or the default library if a pass that reads rules will run on a module without rules.
bool Analysis::addRules() {
  const ir::RuleSet& old = module_.rules;
  const bool carried =
      !old.rules.empty() || !old.views.empty() || !ir::isEmpty(old.hidden) || module_.has(ir::Facet::Fused);
  const bool read = needsInput(pipeline_, PassInput::Rules);
  if (request_.rules.empty() && (carried || !read)) {
    if (carried && read && !haveRulesForRuns(module_, diagnostics_)) return false;
    if (request_.disabledRules.empty()) return true;
    diagnostics_.error(DiagId::OptionConflict, request_.disabledRules.front().range,
                       carried
                           ? "`-disable-rule` has no effect on the rules in IR text; give `-rules=` to group it again"
                           : "`-disable-rule` has no effect; no pass of the pipeline reads rules");
    return false;
  }
  auto rules = timed("read rules", [&] { return loadRuleSet(request_, &module_, sources_, diagnostics_); });
  if (!rules) return false;
  module_.rules = std::move(*rules);
  return true;
}

/// A requested scenario replaces one of the same name in IR text.
void Analysis::addScenarios() {
  for (const ir::Scenario& scenario : request_.scenarios) {
    std::erase_if(module_.scenarios, [&](const ir::Scenario& old) { return old.name == scenario.name; });
    module_.scenarios.push_back(scenario);
  }
}

void Analysis::askForRendering() {
  analyses_.request<Rendering>({.style = environment_.style,
                                .baseline = baseline_ ? &*baseline_ : nullptr,
                                .ranks = ranks_ ? &*ranks_ : nullptr,
                                .isCsvSafe = request_.csvSafe.has_value(),
                                .artifacts = &rendered_});
  if (ranks_) analyses_.request<RankWaits>(waitsOf(*ranks_, rank_));
}

std::optional<std::vector<Artifact>> Analysis::runPipeline(Pipeline& pipeline) {
  PassEnvironment environment;
  for (const RemarkArgument& argument : request_.remarks) environment.remarks.enable(argument.kind, argument.pattern);
  environment.debugOnly = request_.debugOnly;
  environment.debugLine = environment_.debugLine;
  environment.dump = environment_.dump;
  std::string explanation;
  const bool explains = explainsOnly(request_);
  if (explains) environment.explain = [&](std::string_view text) { explanation += text; };
  environment.progress = environment_.progress;
  PassManager manager(std::move(environment));
  for (PassInstrumentation* one : environment_.instrumentation) manager.add(*one);
  rendered_.clear();
  askForRendering();
  if (!manager.run(pipeline, module_, analyses_, diagnostics_)) return std::nullopt;
  if (explains) return std::vector<Artifact>{{std::string(kExplanation), "", std::move(explanation)}};
  return std::exchange(rendered_, {});
}

Outcome Analysis::runPasses() {
  if (isOfTracesAlone(request_)) return renderTraces();
  auto artifacts = runPipeline(pipeline_);
  if (!artifacts) return Outcome::InputFault;
  artifacts_ = std::move(*artifacts);
  if (insteadOfOutputs() == kIrOutput.name) artifacts_ = {{std::string(kIrOutput.name), "", ir::print(module_)}};
  return Outcome::Done;
}

std::optional<std::vector<Artifact>> Analysis::render(const std::string& output) {
  const SourceRange range{sources_.add("<output>", output), 0, static_cast<uint32_t>(output.size())};
  auto rendering = planOutput(output, range, pipeline_, registry_, diagnostics_);
  if (!rendering) return std::nullopt;
  // The passes that ran are those that the output may need.
  pipeline_.push_back(std::move(rendering->front()));
  const Outcome outcome =
      checkOutputs(pipeline_, request_, given_, module_.facets(), registry_, sources_, diagnostics_);
  rendering->front() = std::move(pipeline_.back());
  pipeline_.pop_back();
  return outcome == Outcome::Done ? runPipeline(*rendering) : std::nullopt;
}

std::optional<std::string> Analysis::further(const std::string& passes, std::string_view key) {
  const auto elements = parsePipeline(sources_.add(std::string(kPipelineText), passes), sources_, diagnostics_);
  if (!elements) return std::nullopt;
  auto further = buildPipeline(*elements, registry_, {}, diagnostics_);
  if (!further || !checkInputs(*further, given_, diagnostics_) ||
      !checkFacets(*further, module_.facets(), {}, registry_, diagnostics_, !module_.timelines.empty()))
    return std::nullopt;
  return analyses_.temporarily(
      [&] { return runPipeline(*further) ? std::optional(runsWithKey(analyses_.get<Report>(), key)) : std::nullopt; });
}

std::optional<ScenarioPredictions> Analysis::predictions(const std::string& changes) {
  const SourceRange range{sources_.add("<what-if>", changes), 0, static_cast<uint32_t>(changes.size())};
  const auto scenario = readScenario(changes, range, diagnostics_);
  if (!scenario) return std::nullopt;
  ScenarioPredictions found(module_, {&*scenario, 1}, analyses_);
  if (found.runs.empty()) {
    diagnostics_.error(DiagId::OptionConflict, range, "no run has kernel times, from which a scenario is predicted");
    return std::nullopt;
  }
  PassContext context(diagnostics_, analyses_);
  if (!found.tell(module_, context)) return std::nullopt;
  return found;
}

std::optional<std::vector<RunPrediction>> Analysis::predict(const std::string& changes) {
  const auto found = predictions(changes);
  if (!found) return std::nullopt;
  std::vector<RunPrediction> result;
  for (const auto& [cover, run] : found->runs) {
    const std::string& label = module_.cover(cover).traceLabel;
    for (const Prediction& prediction : run.predictions)
      result.push_back({label, ReportedIterations(*module_.findTimeline(label)).count(), prediction});
  }
  return result;
}

std::optional<RowTable> Analysis::predictionRows(const std::string& changes) {
  const auto found = predictions(changes);
  return found ? std::optional(predictionTable(analyses_.get<Report>(), found->runs)) : std::nullopt;
}

std::optional<DeviceEventTable> Analysis::events(const std::string& run) const {
  for (const ir::CoverId id : module_.coverIds())
    if (module_.cover(id).traceLabel == run && module_.cover(id).facets.has(ir::Facet::Bound))
      return eventTable(module_, id);
  return std::nullopt;
}

Outcome Analysis::checkGates() {
  if (isOfTracesAlone(request_) || explainsOnly(request_)) return Outcome::Done;
  const size_t errorsBefore = diagnostics_.errorCount();
  for (const PassArgument& argument : request_.passArguments) {
    const auto& gate = argument.option->gate;
    if (!gate) continue;
    if (module_.has(gate->needs))
      gate->check({module_, analyses_, argument.value, hasPrefix(*argument.option, argument.text)}, diagnostics_);
    else
      diagnostics_.error(DiagId::OptionConflict, argument.range,
                         fmt::format("`-{}` has nothing to check; a pass dropped the facet `{}`", argument.option->name,
                                     ir::name(gate->needs)));
  }
  return diagnostics_.errorCount() == errorsBefore ? Outcome::Done : Outcome::GateFailed;
}

Outcome Analysis::readInputsOfTraces() {
  if (!readRanks()) return Outcome::InputFault;
  const auto isOfRun = [](const OutputRequest& planned) { return findOutput(planned.kind)->needsTraceAlone(); };
  if (std::ranges::none_of(plannedOutputs(), isOfRun)) return Outcome::Done;
  auto traces = timed("read traces", [&] { return loadTraces(request_, diagnostics_, environment_.progress); });
  if (!traces) return Outcome::InputFault;
  for (LoadedTrace& trace : *traces) module_.timelines.push_back(std::move(trace.timeline));
  return Outcome::Done;
}

Outcome Analysis::renderTraces() {
  askForRendering();
  OutputOptions options;
  for (const OutputRequest& planned : plannedOutputs()) {
    auto rendered = amdahlc::render(planned, options, module_, analyses_, diagnostics_);
    if (!rendered) return Outcome::InputFault;
    std::move(rendered->begin(), rendered->end(), std::back_inserter(artifacts_));
  }
  return Outcome::Done;
}

}  // namespace amdahlc::api
