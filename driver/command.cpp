// One run of the command, top to bottom:
//
//   argv, configuration -> invocation -> settings    the request
//   answers without an analysis (-help, -help=passes, -check-rules)
//   analysis -> outputs                              written only after everything succeeded
#include "driver/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/analysis.h"
#include "api/rule_check.h"
#include "driver/console.h"
#include "driver/help.h"
#include "driver/outputs.h"
#include "driver/version.h"
#include "grammar/lsp/server.h"
#include "ir/text.h"
#include "passes/manager/pass_records.h"
#include "passes/manager/verifying.h"
#include "passes/registry/all_passes.h"
#include "support/bytes.h"
#include "support/edit_distance.h"
#include "support/file.h"
#include "support/memory.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/timer.h"

namespace amdahlc::driver {
namespace {

class Command {
 public:
  Command()
      : registry_(allPasses()),
        diagnostics_(
            [this](const Diagnostic& diagnostic) {
              console_.message(render(diagnostic, sources_, console_.colorsErrors()));
            },
            DiagnosticEngine::kMaxShown) {}

  Outcome run(int argc, char** argv) {
    Invocation invocation = readCommandLine(argc, argv, sources_, diagnostics_);
    console_.setColor(colorMode(invocation));
    if (diagnostics_.hasErrors()) return Outcome::RequestFault;
    if (const auto code = answerAboutCommand(invocation)) return *code;
    // Files of options are inputs too. What they say about memory counts for all that is read after them.
    const Occurrence* memory = invocation.find(OptionId::MaxMemory);
    limitMemory(memory != nullptr ? parseBytes(memory->value).value_or(0) : 0);
    if (const Occurrence* config = invocation.find(OptionId::Config)) {
      if (!readOptionFile(config->value, invocation)) return Outcome::InputFault;
      console_.setColor(colorMode(invocation));
    }
    if (const Outcome code = readSettings(invocation, registry_, sources_, diagnostics_, settings_);
        code != Outcome::Done)
      return code;
    limitMemory(settings_.maxMemoryBytes);
    useLargePages();
    settings_.request.shippedFolder = shippedFolder();
    const Job job = jobOf(settings_);
    if (const Outcome code = refuseUnusedOptions(invocation, job); code != Outcome::Done) return code;
    if (job == OnRuleCheck || job == OnRulePrint) return answerAboutRules();
    if (job == OnLanguageServer) return serveEditor();
    return analyze();
  }

 private:
  Outcome refuse(SourceRange range, std::string message, DiagId id = DiagId::OptionConflict) {
    diagnostics_.error(id, range, std::move(message));
    return Outcome::RequestFault;
  }

  bool readOptionFile(const std::string& path, Invocation& invocation) {
    return withinMemory(diagnostics_, FileLocation{path}, "options were read",
                        [&] { return std::optional(readConfiguration(path, invocation, sources_, diagnostics_)); })
        .value_or(false);
  }

  /// An option without effect is an error, because the user expects an effect.
  Outcome refuseUnusedOptions(const Invocation& invocation, Job job) {
    Outcome code = Outcome::Done;
    for (const Occurrence& option : invocation.options) {
      const OptionRow& known = row(option.id);
      if (known.jobs == AtOnce || (known.jobs & job) != 0) continue;
      diagnostics_.error(DiagId::OptionConflict, option.range,
                         fmt::format("`-{}` has no effect on `-{}`", known.name, requestOf(job)));
      code = std::max(code, api::faultAt(sources_, option.range));
    }
    if (job == OnAnalysis && !settings_.dumps.filter.empty() && !settings_.dumps.any())
      return refuse(settings_.filterRanges.front(),
                    "`-filter-print` has no effect; no option dumps the IR, such as `-print-after=`");
    return code;
  }

  // Answers without a model.

  std::optional<Outcome> answerAboutCommand(const Invocation& invocation) {
    if (const Occurrence* help = invocation.find(OptionId::Help)) {
      if (help->value.empty()) return print(helpText());
      std::string text;
      std::vector<std::string> names;
      for (const HelpText& known : helpTexts(registry_)) {
        if (known.name == help->value) text += known.text();
        if (known.isListed) names.push_back(known.name);
      }
      for (const OptionRow& option : optionTable()) names.emplace_back(option.name);
      if (text.empty()) text = searchHelp(help->value, registry_);
      if (!text.empty()) return print(text);
      const std::string hint = didYouMean(help->value, names);
      return refuse(help->range,
                    fmt::format("no help on `{}`{}", help->value, hint.empty() ? "; `-help` lists topics" : hint),
                    DiagId::OptionValue);
    }
    if (invocation.has(OptionId::Version)) return print(versionText());
    return std::nullopt;
  }

  Outcome print(const std::string& text) { return write({{"text", "", text}}, settings_.request); }

  Outcome answerAboutRules() {
    ir::RuleSet rules;
    const Outcome outcome = api::checkRules(settings_.request, registry_, sources_, diagnostics_, rules);
    if (outcome != Outcome::Done) return outcome;
    if (settings_.printRules) return print(ir::printRules(rules));
    const size_t warnings = diagnostics_.warningCount();
    std::string counted = plural(rules.rules.size(), "rule");
    if (!rules.lowerings.empty()) counted += " and " + plural(rules.lowerings.size(), "lowering");
    return print(fmt::format("{} checked, {}\n", counted, warnings == 0 ? "no errors" : plural(warnings, "warning")));
  }

  /// `-lsp`: serves until the editor says `exit` or closes stdin. An input fault if it did not say `shutdown` before,
  /// as the protocol has it.
  Outcome serveEditor() {
    if (settings_.request.model)
      return refuse(settings_.request.model->range, "`-lsp` reads no model; the editor sends the texts of rule files");
    lsp::StdioChannel channel;
    lsp::ServerOptions options;
    options.version = versionNumber();
    options.log = [this](const std::string& line) { console_.message(fmt::format("amdahlc: {}\n", printable(line))); };
    return lsp::serve(channel, options) ? Outcome::Done : Outcome::InputFault;
  }

  // The main job.

  Outcome analyze() {
    const bool runsPasses = !api::isOfTracesAlone(settings_.request);
    IrVerifying irVerifying(diagnostics_);
    AnalysisVerifying analysisVerifying(diagnostics_);
    IrPrinting printing(settings_.dumps, [this](std::string_view text) { dump(text); });
    PassStatistics statistics;
    api::Environment environment = environmentOfAnalysis();
    // The innermost instrumentation is called first after a pass, so that analyses are recomputed from valid IR only.
    if (settings_.verifyEach) environment.instrumentation.push_back(&analysisVerifying);
    if (settings_.verifyEach) environment.instrumentation.push_back(&irVerifying);
    if (settings_.dumps.any()) environment.instrumentation.push_back(&printing);
    if (settings_.stats) environment.instrumentation.push_back(&statistics);
    if (settings_.timePasses) environment.instrumentation.push_back(&times_);
    api::Analysis analysis(settings_.request, sources_, diagnostics_, std::move(environment));

    Outcome outcome = analysis.plan();
    if (outcome != Outcome::Done) return outcome;
    if (settings_.printPipeline) return print(printPipeline(analysis.pipeline()) + "\n");
    outcome = analysis.checkPlan();
    if (outcome == Outcome::Done) outcome = checkOutputs(analysis);
    if (outcome == Outcome::Done) outcome = analysis.readInputs();
    if (outcome != Outcome::Done) return outcome;
    // Dumps, times and counters are most useful if a pass failed.
    const auto reportFailure = [&] {
      console_.endProgress();
      if (!runsPasses) return;
      writeDumps(dumps_, settings_, inputFiles(analysis.request(), sources_), diagnostics_);
      if (settings_.timePasses) console_.message(times_.report());
      if (settings_.stats) console_.message(statistics.report());
    };
    try {
      outcome = analysis.runPasses();
    } catch (...) {
      reportFailure();
      throw;
    }
    if (outcome != Outcome::Done) {
      reportFailure();
      return outcome;
    }
    warnOfNames(printing.notFound(), analysis.module());
    outcome = finish(analysis);
    if (settings_.stats) console_.message(statistics.report());
    end(outcome == Outcome::Done ? analysis.checkGates() : outcome);
  }

  /// Ends the process while the analysis and its module are there: the system takes their memory back at once, and to
  /// free it piece by piece is a good part of a short run. What is written is written by then.
  [[noreturn]] void end(Outcome outcome) {
    console_.endProgress();
    std::exit(static_cast<int>(outcome));
  }

  api::Environment environmentOfAnalysis() {
    api::Environment environment;
    const bool isTerminal = settings_.output.empty() && console_.columns() > 0;
    environment.style = {isTerminal ? console_.columns() : kColumnsOfAPipe,
                         console_.colorsOutput() && settings_.output.empty()};
    environment.dump = [this](std::string_view text) { dump(text); };
    environment.debugLine = [this](std::string_view line) { console_.message(std::string(line) + "\n"); };
    environment.progress = [this](std::string_view what, double fraction) { console_.progress(what, fraction); };
    environment.phaseDone = [this](const char* phase, int64_t ns) { times_.addPhase(phase, ns); };
    return environment;
  }

  void dump(std::string_view text) { settings_.printTo.empty() ? console_.message(text) : void(dumps_ += text); }

  /// Whether all outputs can be written where they go.
  Outcome checkOutputs(const api::Analysis& analysis) {
    const std::vector<Destination> destinations = plannedDestinations(analysis, settings_);
    const auto isUnnamed = [](const Destination& destination) { return destination.unnamed; };
    if (!settings_.output.empty() && std::ranges::none_of(destinations, isUnnamed))
      diagnostics_.warning(DiagId::OptionConflict, settings_.outputRange,
                           "`-o` is not used; every output has a path of its own");
    return checkDestinations(destinations, inputFiles(analysis.request(), sources_), diagnostics_);
  }

  /// Warns of names of `-filter-print` that nothing has.
  void warnOfNames(const std::vector<std::string>& notFound, const ir::Module& module) {
    if (notFound.empty()) return;
    std::vector<std::string> known;
    for (const ir::OpId op : module.ops.ids()) known.push_back(module.displayName(op));
    for (const std::string& name : notFound) {
      const auto& filter = settings_.dumps.filter;
      const size_t which = static_cast<size_t>(std::ranges::find(filter, name) - filter.begin());
      diagnostics_.warning(DiagId::OptionConflict, settings_.filterRanges[which],
                           fmt::format("`{}` is no node, and no rule or label of a kernel in any dump{}", name,
                                       didYouMean(name, known)));
    }
  }

  Outcome finish(api::Analysis& analysis) {
    console_.endProgress();
    const api::Request& request = analysis.request();
    const std::string& input = request.model ? request.model->path : request.traces.front().paths.front();
    const Stopwatch watch;
    const auto written = withinMemory(diagnostics_, FileLocation{inputName(input)}, "outputs were written", [&] {
      // On a terminal the outputs would be written into the line.
      if (!console_.outputIsTerminal()) console_.progress("write outputs", -1);
      return std::optional(write(analysis.artifacts(), request));
    });
    console_.endProgress();
    times_.addPhase("write outputs", watch.elapsedNs());
    if (settings_.timePasses) console_.message(times_.report());
    return written.value_or(Outcome::InputFault);
  }

  Outcome write(const std::vector<Artifact>& artifacts, const api::Request& request) {
    return writeOutputs(artifacts, dumps_, settings_, inputFiles(request, sources_), diagnostics_);
  }

  Console console_;
  SourceManager sources_;
  const PassRegistry& registry_;
  DiagnosticEngine diagnostics_;
  Settings settings_;
  PassTimes times_;
  std::string dumps_;
};

}  // namespace

Outcome runCommand(int argc, char** argv) { return Command().run(argc, argv); }

}  // namespace amdahlc::driver
