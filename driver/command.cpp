// One run of the command, top to bottom:
//
//   argv, configuration -> invocation -> settings        the request
//   answers that need no model (-help, -help=passes, -check-rules, a trace alone)
//   model -> pipeline -> traces, rules                   all inputs are opened and checked before the first pass
//   passes -> outputs                                   written only after everything succeeded
#include "driver/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <type_traits>

#include "driver/command_line.h"
#include "driver/configuration.h"
#include "driver/console.h"
#include "driver/gates.h"
#include "driver/hardware_file.h"
#include "driver/held_runs.h"
#include "driver/help.h"
#include "driver/inputs.h"
#include "driver/language_server.h"
#include "driver/outputs.h"
#include "driver/planning.h"
#include "driver/rank_reader.h"
#include "driver/rule_check.h"
#include "driver/version.h"
#include "ir/onnx_import/onnx_import.h"
#include "ir/operator_set.h"
#include "ir/text.h"
#include "passes/manager/pass_manager.h"
#include "passes/manager/pass_statistics.h"
#include "passes/manager/pass_times.h"
#include "passes/manager/verifying.h"
#include "passes/registry/all_passes.h"
#include "support/edit_distance.h"
#include "support/file.h"
#include "support/memory.h"
#include "support/plural.h"
#include "timeline/report.h"

namespace amdahlc::driver {
namespace {

// Kernels in the report of a trace alone; the others are counted.
constexpr size_t kMaxKernelRows = 60;

class Command {
 public:
  Command()
      : registry_(allPasses()),
        diagnostics_(
            [this](const Diagnostic& diagnostic) {
              console_.message(render(diagnostic, sources_, console_.colorsErrors()));
            },
            DiagnosticEngine::kMaxShown) {}

  ExitCode run(int argc, char** argv) {
    Invocation invocation = readCommandLine(argc, argv, sources_, diagnostics_);
    console_.setColor(colorMode(invocation));
    if (diagnostics_.hasErrors()) return ExitCode::CommandLineFault;
    if (const auto code = answerAboutCommand(invocation)) return *code;
    // ONNX drops a schema that finds no memory, and goes on without it.
    if (!invocation.inputs.empty()) ir::registerOnnxSchemas();
    // Files of options are inputs too. What they say about memory counts for all that is read after them.
    const Occurrence* memory = invocation.find(OptionId::MaxMemory);
    limitMemory(memory != nullptr ? parseBytes(memory->value).value_or(0) : 0);
    if (const Occurrence* config = invocation.find(OptionId::Config)) {
      if (!readOptionFile(config->value, invocation)) return ExitCode::InputFault;
      console_.setColor(colorMode(invocation));
    }
    if (const ExitCode code = readSettings(invocation, registry_, sources_, diagnostics_, settings_);
        code != ExitCode::Done)
      return code;
    limitMemory(settings_.maxMemoryBytes);
    if (settings_.inputs.size() > 1) {
      diagnostics_.error(DiagId::OptionConflict, settings_.inputs[1].range,
                         fmt::format("{} models are given; one is read", settings_.inputs.size()));
      return ExitCode::CommandLineFault;
    }
    const Job job = jobOf(settings_);
    if (const ExitCode code = refuseUnusedOptions(invocation, job); code != ExitCode::Done) return code;
    if (job == OnRuleCheck || job == OnRulePrint) return answerAboutRules();
    if (job == OnLanguageServer) return serveEditor(settings_, console_, diagnostics_);
    if (job == OnTrace) return runWithoutModel();
    return runOnModel();
  }

 private:
  bool readOptionFile(const std::string& path, Invocation& invocation) {
    return withinMemory(diagnostics_, FileLocation{path}, "options were read",
                        [&] { return std::optional(readConfiguration(path, invocation, sources_, diagnostics_)); })
        .value_or(false);
  }

  /// Unknown kinds are reported when the settings are read.
  bool needsModelFor(const std::string& output) const {
    const OutputKind* kind = findOutputKind(registry_.outputKinds(), parseOutputRequest(output).kind);
    return kind != nullptr && !kind->needsNoModel();
  }

  /// An option without effect is an error, because the user expects an effect.
  ExitCode refuseUnusedOptions(const Invocation& invocation, Job job) {
    ExitCode code = ExitCode::Done;
    for (const Occurrence& option : invocation.options) {
      const OptionRow& known = row(option.id);
      const bool needsModel = option.id == OptionId::Emit && job == OnTrace && needsModelFor(option.value);
      if (known.jobs == AtOnce || ((known.jobs & job) != 0 && !needsModel)) continue;
      diagnostics_.error(DiagId::OptionConflict, option.range,
                         job == OnTrace ? fmt::format("`-{}{}` needs a model; none is given", known.name,
                                                      needsModel ? "=" + parseOutputRequest(option.value).kind : "")
                                        : fmt::format("`-{}` has no effect on `-{}`", known.name, requestOf(job)));
      code = std::max(code, option.fromFile ? ExitCode::InputFault : ExitCode::CommandLineFault);
    }
    return code;
  }

  // Answers without a model.

  std::optional<ExitCode> answerAboutCommand(const Invocation& invocation) {
    if (const Occurrence* help = invocation.find(OptionId::Help)) {
      if (help->value.empty()) return print(helpText());
      std::string text;
      std::vector<std::string> names;
      for (const HelpText& known : helpTexts(registry_)) {
        if (known.name == help->value) text += known.text();
        if (known.isListed) names.push_back(known.name);
      }
      if (!text.empty()) return print(text);
      const std::string hint = didYouMean(help->value, names);
      diagnostics_.error(DiagId::OptionValue, help->range,
                         fmt::format("no help on `{}`{}", help->value,
                                     hint.empty() ? "; `-help` lists topics, `-help=general` other names" : hint));
      return ExitCode::CommandLineFault;
    }
    if (invocation.has(OptionId::Version)) return print(versionText());
    return std::nullopt;
  }

  ExitCode print(const std::string& text) {
    return writeOutputs({{"text", "", text}}, "", settings_, sources_, diagnostics_);
  }

  ExitCode answerAboutRules() {
    if (settings_.traces.empty()) warnUnusedSelection(settings_, diagnostics_);
    std::optional<ir::Module> module;
    if (!settings_.inputs.empty()) {
      module = loadModel(settings_.inputs.front(), settings_, sources_, diagnostics_);
      if (!module) return ExitCode::InputFault;
    }
    std::vector<Diagnostic> found;
    std::set<BufferId> shipped;
    DiagnosticEngine collector([&](const Diagnostic& diagnostic) { found.push_back(diagnostic); });
    const bool sumUp = settings_.checkRules && (module || !settings_.traces.empty());
    DiagnosticEngine& engine = sumUp ? collector : diagnostics_;
    const auto rules = loadRuleSet(settings_, module ? &*module : nullptr, sources_, engine, &shipped);
    if (!rules) {
      for (const Diagnostic& diagnostic : found) diagnostics_.report(diagnostic);
      return ExitCode::InputFault;
    }
    if (settings_.printRules) return print(ir::printRules(*rules));
    const auto timelines = loadTraces(settings_.traces, settings_, diagnostics_);
    for (size_t i = 0; timelines && i < timelines->size(); ++i)
      for (const PassInfo& info : registry_.passes())
        if (const RuleCheck check = registry_.declarations(info).ruleCheck())
          check(*rules, (*timelines)[i].timeline, engine);
    reportFound(found, shipped, diagnostics_);
    if (!timelines) return ExitCode::InputFault;
    const size_t warnings = diagnostics_.warningCount();
    return print(fmt::format("{} checked, {}\n", plural(rules->rules.size(), "rule"),
                             warnings == 0 ? "no errors" : plural(warnings, "warning")));
  }

  /// A trace alone: its totals, or the outputs that need no model.
  ExitCode runWithoutModel() {
    if (settings_.traces.empty()) {
      diagnostics_.error(DiagId::OptionConflict, {},
                         "no input; give a model (.onnx, .onnxtxt, .air), a trace with `-trace=`, or see `-help`");
      return ExitCode::CommandLineFault;
    }
    std::vector<OutputRequest> requests;
    for (const EmitArgument& argument : settings_.emits) requests.push_back(parseOutputRequest(argument.output));
    if (requests.empty() && settings_.ranks) requests.push_back({std::string(kRanksOutput), ""});
    if (const ExitCode code = checkTraceOutputs(requests, settings_, registry_, diagnostics_); code != ExitCode::Done)
      return code;
    std::vector<Destination> destinations;
    for (const OutputRequest& request : requests)
      destinations.push_back({request.kind, destinationOf(request.path, settings_)});
    if (requests.empty()) destinations.push_back({"totals", destinationOf("", settings_)});
    const ExitCode code = checkDestinations(destinations, inputFiles(settings_, sources_), diagnostics_);
    if (code != ExitCode::Done) return code;
    if (!readRanks()) return ExitCode::InputFault;
    std::vector<LoadedTrace> traces;
    const auto isOfRun = [&](const OutputRequest& request) { return kindOf(request).writeTimeline != nullptr; };
    if (requests.empty() || std::any_of(requests.begin(), requests.end(), isOfRun)) {
      auto loaded = timed("read traces", [&] { return loadTraces(settings_.traces, settings_, diagnostics_); });
      if (!loaded) return ExitCode::InputFault;
      traces = std::move(*loaded);
    }
    std::vector<const Timeline*> timelines;
    for (const LoadedTrace& trace : traces) timelines.push_back(&trace.timeline);
    if (requests.empty()) return finish({{"totals", "", totalsOf(timelines)}});
    std::vector<Artifact> artifacts;
    for (const OutputRequest& request : requests) {
      const OutputKind& kind = kindOf(request);
      if (kind.writeRanks) {
        artifacts.push_back({kind.name, request.path, kind.writeRanks(ranks_->comparison, textStyle())});
        continue;
      }
      auto rendered = renderTimelines(kind, request.path, timelines, diagnostics_);
      if (!rendered) return ExitCode::InputFault;
      std::move(rendered->begin(), rendered->end(), std::back_inserter(artifacts));
    }
    return finish(std::move(artifacts));
  }

  const OutputKind& kindOf(const OutputRequest& request) const {
    return *findOutputKind(registry_.outputKinds(), request.kind);
  }

  TextStyle textStyle() const {
    const bool isTerminal = settings_.output.empty() && console_.columns() > 0;
    return {isTerminal ? console_.columns() : kColumnsOfAPipe, console_.colorsOutput() && settings_.output.empty()};
  }

  std::string totalsOf(const std::vector<const Timeline*>& timelines) {
    const size_t width = textStyle().columns;
    std::string text;
    for (const Timeline* timeline : timelines)
      text += (text.empty() ? "" : "\n") +
              formatTimelineReport(*timeline, timelineTotals(*timeline), width, kMaxKernelRows);
    return text;
  }

  // The main job.

  ExitCode runOnModel() {
    // An error in the pipeline text is reported before a large model is read. The default pipeline is known only after
    // that.
    ExitCode code = ExitCode::Done;
    PassInputs given{PassInput::Rules};
    if (!settings_.traces.empty()) given.insert({PassInput::Trace, PassInput::HostEvents});
    if (!settings_.scenarios.empty()) given.insert(PassInput::Speedups);
    // A run, and so a target, may name its device.
    if (!settings_.hardware.empty() || !settings_.traces.empty() || !settings_.target.device.empty())
      given.insert(PassInput::Hardware);
    auto pipeline = planPipeline(settings_, given, registry_, settings_.inputs.empty(), sources_, diagnostics_, code);
    if (!pipeline) return code;
    ir::Module module;
    if (!settings_.inputs.empty()) {
      auto loaded =
          timed("read model", [&] { return loadModel(settings_.inputs.front(), settings_, sources_, diagnostics_); });
      if (!loaded) return ExitCode::InputFault;
      module = std::move(*loaded);
      if (!module.timelines.empty()) given.insert({PassInput::Trace, PassInput::Hardware});
      if (!module.scenarios.empty()) given.insert(PassInput::Speedups);
      pipeline = planPipeline(settings_, given, registry_, true, sources_, diagnostics_, code);
      if (!pipeline) return code;
    }
    if (settings_.printPipeline) return print(printPipeline(*pipeline) + "\n");
    const LostFacets lost = facetsLostIn(module);
    ir::FacetSet present = module.facets();
    present.erase(lost.facets);
    // Rules given with IR text replace its grouping.
    if (!settings_.rules.empty()) {
      regrouped_ = true;
      module.forgetGrouping();
    }
    if (code = checkPlan(*pipeline, settings_, given, present, lost, registry_, sources_, diagnostics_);
        code != ExitCode::Done)
      return code;
    noteTracesNotGiven(module, *pipeline, settings_, given, registry_, diagnostics_);
    if (!settings_.baseline.empty()) {
      baseline_ = loadBaseline(settings_, diagnostics_);
      if (!baseline_) return ExitCode::InputFault;
    }
    if (!addTraces(module) || !addRules(module, *pipeline)) return ExitCode::InputFault;
    if (needsInput(*pipeline, PassInput::Speedups)) addScenarios(module);
    if (needsInput(*pipeline, PassInput::Hardware) &&
        !timed("read hardware", [&] { return addHardware(settings_, module, sources_, diagnostics_); }))
      return ExitCode::InputFault;
    return runPasses(*pipeline, module);
  }

  /// The facets of IR text that other inputs invalidate, and those that one of its runs lacks: with `-rules=`, its
  /// grouping and all derived facets; with a run that is not bound, or a trace that the text does not contain, all
  /// facets about runs.
  LostFacets facetsLostIn(const ir::Module& module) const {
    if (!settings_.rules.empty() && module.has(ir::Facet::Fused)) {
      return {module.lostWithGrouping(), "`-rules=` drops the grouping of the IR text and all facts derived from it",
              "leave out `-rules=`"};
    }
    for (const Timeline& run : module.timelines) {
      if (module.coverOfRun(run.label) != nullptr) continue;
      return {ir::facetsOfRuns(), fmt::format("the IR text has no facts about run `{}`", run.label), ""};
    }
    for (const TraceArgument& trace : settings_.traces) {
      if (module.findTimeline(trace.label) != nullptr) continue;
      return {module.lostWithNewRun(), fmt::format("the IR text has no facts about run `{}`", trace.label), ""};
    }
    return {};
  }

  bool readRanks() {
    if (!settings_.ranks) return true;
    ranks_ = timed("read traces of ranks", [&] {
      return loadRanks(settings_, diagnostics_,
                       [this](double fraction) { console_.progress("read traces of ranks", fraction); });
    });
    if (ranks_) settings_.traces.back().paths = {ranks_->path};
    return ranks_.has_value();
  }

  bool addTraces(ir::Module& module) {
    if (!readRanks()) return false;
    auto timelines = timed("read traces", [&] { return loadTraces(settings_.traces, settings_, diagnostics_); });
    if (!timelines) return false;
    for (LoadedTrace& trace : *timelines) {
      Timeline& timeline = trace.timeline;
      if (Timeline* held = module.findTimeline(timeline.label)) {
        if (!giveHostEvents(*held, std::move(timeline), regrouped_, trace.range, diagnostics_)) return false;
        continue;
      }
      module.addRun(std::move(timeline));
    }
    module.target = merged(settings_.target, module.target);
    if (module.timelines.size() == 1)
      module.timelines.front().target = merged(settings_.target, module.timelines.front().target);
    if (module.target.empty() && !module.timelines.empty()) module.target = module.timelines.front().target;
    return true;
  }

  /// Rules named by the command, or the default library if a pass that reads rules will run on a module without rules.
  bool addRules(ir::Module& module, const Pipeline& pipeline) {
    const ir::RuleSet& old = module.rules;
    const bool carried =
        !old.rules.empty() || !old.views.empty() || !ir::isEmpty(old.hidden) || module.has(ir::Facet::Fused);
    const bool read = needsInput(pipeline, PassInput::Rules);
    if (settings_.rules.empty() && (carried || !read)) {
      if (carried && read && !haveRulesForRuns(module, diagnostics_)) return false;
      if (settings_.disabledRules.empty()) return true;
      diagnostics_.error(DiagId::OptionConflict, settings_.disabledRules.front().range,
                         carried
                             ? "`-disable-rule` has no effect on the rules in IR text; give `-rules=` to group it again"
                             : "`-disable-rule` has no effect; no pass of the pipeline reads rules");
      return false;
    }
    auto rules = timed("read rules", [&] { return loadRuleSet(settings_, &module, sources_, diagnostics_); });
    if (!rules) return false;
    module.rules = std::move(*rules);
    return true;
  }

  /// A requested scenario replaces one of the same name in IR text.
  void addScenarios(ir::Module& module) {
    // Predictions exist for all scenarios, in their order.
    if (!settings_.scenarios.empty()) module.retract(ir::Facet::Scenarios);
    for (ir::Scenario& scenario : settings_.scenarios) {
      std::erase_if(module.scenarios, [&](const ir::Scenario& old) { return old.name == scenario.name; });
      module.scenarios.push_back(scenario);
    }
  }

  ExitCode runPasses(Pipeline& pipeline, ir::Module& module) {
    const auto dump = [this](std::string_view text) {
      settings_.printTo.empty() ? console_.message(text) : void(dumps_ += text);
    };
    PassEnvironment environment;
    environment.remarks = settings_.remarks;
    environment.debugOnly = settings_.debugOnly;
    environment.debugLine = [this](std::string_view line) { console_.message(std::string(line) + "\n"); };
    environment.dump = dump;
    std::string explanation;
    const bool explains = explainsOnly(settings_);
    if (explains) environment.explain = [&](std::string_view text) { explanation += text; };
    environment.progress = [this](std::string_view what, double fraction) { console_.progress(what, fraction); };
    environment.color = console_.colorsOutput() && settings_.output.empty();
    environment.terminalColumns = console_.columns();
    environment.baseline = baseline();
    environment.ranks = ranks_ ? &ranks_->comparison : nullptr;

    PassManager manager(std::move(environment));
    IrVerifying irVerifying(diagnostics_);
    AnalysisVerifying analysisVerifying(diagnostics_);
    IrPrinting printing(settings_.dumps, dump);
    PassStatistics statistics;
    // The innermost instrumentation is called first after a pass, so that analyses are recomputed from valid IR only.
    if (settings_.verifyEach) manager.add(analysisVerifying);
    if (settings_.verifyEach) manager.add(irVerifying);
    if (settings_.dumps.any()) manager.add(printing);
    if (settings_.stats) manager.add(statistics);
    if (settings_.timePasses) manager.add(times_);
    std::vector<Artifact> artifacts;
    // Dumps, times and counters are most useful if a pass failed.
    const auto reportFailure = [&] {
      console_.clearProgress();
      writeDumps(dumps_, settings_, sources_, diagnostics_);
      if (settings_.timePasses) console_.message(times_.report());
      if (settings_.stats) console_.message(statistics.report());
    };
    AnalysisManager analyses(module);
    bool succeeded = false;
    try {
      succeeded = manager.run(pipeline, module, analyses, diagnostics_, artifacts);
    } catch (...) {
      reportFailure();
      throw;
    }
    if (!succeeded) {
      reportFailure();
      return ExitCode::InputFault;
    }
    warnOfNames(printing.notFound(), module);
    if (explains) {
      artifacts = {{std::string(kExplanation), "", std::move(explanation)}};
    } else if (!rendersOutputs(pipeline)) {
      artifacts =
          *renderOutput(*findOutputKind(registry_.outputKinds(), kIrOutput), "", {module, analyses, {}}, diagnostics_);
    }
    const ExitCode code = finish(std::move(artifacts));
    if (settings_.stats) console_.message(statistics.report());
    if (code != ExitCode::Done || explains) return code;
    return checkGates(settings_, module, analyses, baseline(), registry_, diagnostics_);
  }

  /// Warns of names of `-filter-print` that nothing has.
  void warnOfNames(const std::vector<std::string>& notFound, const ir::Module& module) {
    if (notFound.empty()) return;
    std::vector<std::string> known;
    for (const ir::OpId op : module.ops.ids()) known.push_back(module.displayName(op));
    for (const std::string& name : notFound) {
      const auto& filter = settings_.dumps.filter;
      const size_t which = static_cast<size_t>(std::find(filter.begin(), filter.end(), name) - filter.begin());
      diagnostics_.warning(DiagId::OptionConflict, settings_.filterRanges[which],
                           fmt::format("`{}` is no node, and no rule or label of a kernel in any dump{}", name,
                                       didYouMean(name, known)));
    }
  }

  ExitCode finish(std::vector<Artifact> artifacts) {
    console_.clearProgress();
    const std::string& input =
        settings_.inputs.empty() ? settings_.traces.front().paths.front() : settings_.inputs.front().path;
    const auto written = withinMemory(diagnostics_, FileLocation{inputName(input)}, "outputs were written", [&] {
      if (settings_.csvSafe) guardTables(artifacts, registry_);
      return std::optional(
          timed("write outputs", [&] { return writeOutputs(artifacts, dumps_, settings_, sources_, diagnostics_); }));
    });
    const ExitCode code = written.value_or(ExitCode::InputFault);
    if (settings_.timePasses) console_.message(times_.report());
    return code;
  }

  /// Runs `work` under a name for the progress line and `-time-passes`.
  template <typename Work>
  std::invoke_result_t<Work> timed(const char* phase, Work work) {
    console_.progress(phase, -1);
    const Stopwatch watch;
    auto result = work();
    times_.addPhase(phase, watch.elapsedNs());
    return result;
  }

  Console console_;
  SourceManager sources_;
  const PassRegistry& registry_;
  DiagnosticEngine diagnostics_;
  Settings settings_;
  PassTimes times_;
  const comparison::Baseline* baseline() const { return baseline_ ? &*baseline_ : nullptr; }

  std::string dumps_;
  std::optional<comparison::Baseline> baseline_;
  std::optional<LoadedRanks> ranks_;
  /// `-rules=` replaced the grouping of IR text.
  bool regrouped_ = false;
};

}  // namespace

ExitCode runCommand(int argc, char** argv) { return Command().run(argc, argv); }

}  // namespace amdahlc::driver
