#include "driver/settings.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/change_text.h"
#include "api/option_values.h"
#include "api/trace_files.h"
#include "passes/manager/pipeline.h"
#include "report/outputs/output_requests.h"
#include "support/bytes.h"
#include "support/decimal_time.h"
#include "support/edit_distance.h"
#include "support/limits.h"
#include "support/memory.h"

namespace amdahlc::driver {
namespace {

/// Whether an option names scenarios. What they say is an input, also in the command line.
bool namesScenario(OptionId id) {
  return id == OptionId::WhatIfOption || id == OptionId::Speedup || id == OptionId::Speedups;
}

class SettingsReader {
 public:
  SettingsReader(const Invocation& invocation, const PassRegistry& registry, SourceManager& sources,
                 DiagnosticEngine& diagnostics, Settings& settings)
      : invocation_(invocation),
        registry_(registry),
        sources_(sources),
        diagnostics_(diagnostics),
        settings_(settings) {}

  Outcome read() {
    readInputs();
    for (const api::TraceArgument& trace : invocation_.traces) {
      const size_t errorsBefore = diagnostics_.errorCount();
      api::addTrace(settings_.request, trace, DiagId::OptionValue, diagnostics_);
      if (diagnostics_.errorCount() != errorsBefore) outcome_ = std::max(outcome_, Outcome::RequestFault);
    }
    for (const Occurrence& option : invocation_.options) {
      const size_t errorsBefore = diagnostics_.errorCount();
      readOne(option);
      if (diagnostics_.errorCount() != errorsBefore)
        outcome_ =
            std::max(outcome_, namesScenario(option.id) ? Outcome::InputFault : api::faultAt(sources_, option.range));
    }
    attachExecutionTraces();
    finishScenarios();
    // With those of the options, so that all are shown.
    return std::max(outcome_, api::checkValues(settings_.request, sources_, diagnostics_));
  }

 private:
  void readOne(const Occurrence& option) {
    if (row(option.id).declared) return readPassArgument(option);
    api::Request& request = settings_.request;
    const auto set = [](bool& flag) { flag = true; };
    switch (option.id) {
      case OptionId::Trace:
        return readTrace(option);
      case OptionId::Rank:
        request.rank = readNumber(option, limits::kRankNumber);
        request.rankRange = option.range;
        return;
      case OptionId::Jobs:
        request.jobs = readNumber(option, limits::kRanksOfRun).value_or(0);
        request.jobsRange = option.range;
        if (request.jobs == 0) fault(option, "`-jobs` takes a number from 1");
        return;
      case OptionId::Target:
        request.targetRange = option.range;
        if (auto target = api::readTarget(option.value, option.range, diagnostics_)) request.target = *target;
        return;
      case OptionId::Hardware:
        request.hardwareRange = option.range;
        return readPath(option, request.hardware, "stdin");
      case OptionId::Dim:
        return readDim(option);
      case OptionId::Steps:
        return readSteps(option);
      case OptionId::Stat:
        return readStatistic(option);
      case OptionId::Annotation:
        return readAnnotation(option);
      case OptionId::Window:
        return readWindow(option);
      case OptionId::Device:
        return readDevice(option);
      case OptionId::MaxMemory:
        return readMaxMemory(option);
      case OptionId::Rules:
        return readList(option, request.rules);
      case OptionId::DisableRule:
        return readList(option, request.disabledRules);
      case OptionId::CheckRules:
        return set(request.checkRules);
      case OptionId::PrintRules:
        return set(settings_.printRules);
      case OptionId::Lsp:
        return set(settings_.languageServer);
      case OptionId::PrintPipeline:
        return set(settings_.printPipeline);
      case OptionId::PrintAfterAll:
        return set(settings_.dumps.afterAll);
      case OptionId::PrintChanged:
        return set(settings_.dumps.changed);
      case OptionId::VerifyEach:
        return set(settings_.verifyEach);
      case OptionId::TimePasses:
        return set(settings_.timePasses);
      case OptionId::Stats:
        return set(settings_.stats);
      case OptionId::SuggestRules:
        return readSuggestRules(option);
      case OptionId::Passes:
        request.passes = option.value;
        return;
      case OptionId::WhatIfOption:
      case OptionId::Speedup:
      case OptionId::Speedups:
        return readScenarios(option);
      case OptionId::Emit:
        return readEmit(option);
      case OptionId::Output:
        settings_.outputRange = option.range;
        return readPath(option, settings_.output);
      case OptionId::Baseline:
        request.baselineRange = option.range;
        return readPath(option, request.baseline, "stdin");
      case OptionId::CsvSafe:
        request.csvSafe = option.range;
        return;
      case OptionId::Color:
        return checkChoice(option, {"auto", "always", "never"});
      case OptionId::PrintBefore:
        return readPasses(option, settings_.dumps.before);
      case OptionId::PrintAfter:
        return readPasses(option, settings_.dumps.after);
      case OptionId::FilterPrint:
        settings_.dumps.filter.push_back(option.value);
        settings_.filterRanges.push_back(option.range);
        return;
      case OptionId::PrintTo:
        return readPath(option, settings_.printTo);
      case OptionId::DebugOnly:
        return readPasses(option, request.debugOnly);
      case OptionId::Rpass:
        return request.remarks.push_back({RemarkKind::Passed, option.value, option.range});
      case OptionId::RpassMissed:
        return request.remarks.push_back({RemarkKind::Missed, option.value, option.range});
      case OptionId::RpassAnalysis:
        return request.remarks.push_back({RemarkKind::Analysis, option.value, option.range});
      case OptionId::Config:
      case OptionId::Help:
      case OptionId::Version:
        return;  // answered before any input is read
    }
  }

  void readPassArgument(const Occurrence& option) {
    const CommandOption& declared = *row(option.id).declared;
    if (const auto value = readValue(declared, option.value))
      settings_.request.passArguments.push_back({row(option.id).pass, &declared, *value, option.value, option.range});
    else
      fault(option,
            fmt::format("`{}` does not fit `-{}`; it takes {}", option.value, declared.name, valuesOf(declared)));
  }

  DiagId faultOf(const Occurrence& option) const {
    return api::faultAt(sources_, option.range) == Outcome::InputFault ? DiagId::ConfigValue : DiagId::OptionValue;
  }

  void fault(const Occurrence& option, SourceRange range, const std::string& message) {
    diagnostics_.error(faultOf(option), range, message);
  }

  void fault(const Occurrence& option, const std::string& message) { fault(option, option.range, message); }

  /// Reports a value that is not one of `choices`.
  void checkChoice(const Occurrence& option, const std::vector<std::string>& choices) {
    if (std::ranges::find(choices, option.value) == choices.end())
      fault(option, fmt::format("`-{}` takes {}, not `{}`{}", row(option.id).name, joinChoices(choices), option.value,
                                didYouMean(option.value, choices)));
  }

  void readPath(const Occurrence& option, std::string& path, std::string_view stream = "stdout") {
    if (option.value.empty()) fault(option, fmt::format("`-{}` needs a path; `-` is {}", row(option.id).name, stream));
    path = option.value;
  }

  void readList(const Occurrence& option, std::vector<grammar::RequestedName>& list) {
    for (const api::Piece& piece : api::split(option.value, option.range, ',')) {
      if (piece.text.empty())
        fault(option, piece.range, fmt::format("an empty name in `-{}`", row(option.id).name));
      else
        list.push_back({piece.text, piece.range});
    }
  }

  void readPasses(const Occurrence& option, std::vector<std::string>& list) {
    const std::vector<std::string> names = registry_.names();
    for (const api::Piece& piece : api::split(option.value, option.range, ',')) {
      if (registry_.find(piece.text)) {
        list.push_back(piece.text);
        // Whether those of the request itself run, the plan checks.
        if (&list != &settings_.request.debugOnly)
          settings_.request.namedPasses.push_back({std::string(row(option.id).name), piece.text});
      } else {
        fault(option, piece.range,
              fmt::format("unknown pass `{}` in `-{}`{}", piece.text, row(option.id).name,
                          didYouMean(piece.text, names)));
      }
    }
  }

  /// Files without an option: a model and traces, in any order, told apart by their content.
  void readInputs() {
    std::vector<api::ModelArgument> models;
    for (const api::ModelArgument& input : invocation_.inputs) {
      if (!api::isTrace(input.path)) {
        models.push_back(input);
        continue;
      }
      if (api::isExecutionTrace(input.path)) {
        executionTraces_.push_back(input);
        continue;
      }
      const DiagId fault =
          api::faultAt(sources_, input.range) == Outcome::InputFault ? DiagId::ConfigValue : DiagId::OptionValue;
      const size_t errorsBefore = diagnostics_.errorCount();
      api::addTrace(settings_.request, "", input.path, input.range, fault, diagnostics_);
      if (diagnostics_.errorCount() != errorsBefore) outcome_ = std::max(outcome_, api::faultAt(sources_, input.range));
    }
    // As the shell expands `rank*.json`.
    api::takeRanksByName(settings_.request);
    if (!models.empty()) settings_.request.model = models.front();
    if (models.size() < 2) return;
    diagnostics_.error(
        DiagId::OptionConflict, models[1].range,
        fmt::format("{} models are given; give the one that ran, and the trace of its run", models.size()));
    outcome_ = Outcome::RequestFault;
  }

  /// An execution trace without an option is one of the only run, or of one of its ranks.
  void attachExecutionTraces() {
    std::vector<api::TraceArgument>& traces = settings_.request.traces;
    for (const api::ModelArgument& file : executionTraces_) {
      if (settings_.request.ranks && traces.empty()) {
        settings_.request.ranks->executionTraces.push_back(file.path);
        continue;
      }
      if (traces.size() == 1) {
        traces.front().paths.push_back(file.path);
        continue;
      }
      diagnostics_.error(DiagId::OptionConflict, file.range,
                         traces.empty()
                             ? fmt::format("an execution trace has no times; give the trace of the same run, too, as "
                                           "in `amdahlc run.json {}`",
                                           file.path)
                             : fmt::format("this execution trace is of one of several traces; give it with the trace "
                                           "of its run, as in `-trace=run.json,{}`",
                                           file.path));
      outcome_ = Outcome::RequestFault;
    }
  }

  void readTrace(const Occurrence& option) {
    std::string label, files = option.value;
    // A label has no slash, so that `./a=b.json` stays a path.
    const size_t equals = option.value.find('=');
    if (equals != std::string::npos && option.value.substr(0, equals).find_first_of("/\\") == std::string::npos) {
      label = option.value.substr(0, equals);
      files = option.value.substr(equals + 1);
      if (label.empty()) fault(option, "the label before `=` is empty");
    }
    api::addTrace(settings_.request, std::move(label), files, option.range, faultOf(option), diagnostics_);
  }

  /// A number from 0 to `most`. Reports another text and returns nullopt.
  std::optional<int64_t> readNumber(const Occurrence& option, int64_t most) {
    const auto number = parseWhole(option.value);
    if (number && *number >= 0 && *number <= most) return number;
    fault(option, fmt::format("`-{}` takes a number up to {}, not `{}`", row(option.id).name, most, option.value));
    return std::nullopt;
  }

  void noteSelection(const Occurrence& option) {
    settings_.request.selectionOptions.emplace_back(row(option.id).name, option.range);
  }

  void readSteps(const Occurrence& option) {
    noteSelection(option);
    TraceSelection& selection = settings_.request.selection;
    constexpr std::pair<std::string_view, StepSelection> kWords[] = {
        {"auto", StepSelection::Auto}, {"all", StepSelection::All}, {"whole", StepSelection::Whole}};
    for (const auto& [word, steps] : kWords)
      if (option.value == word) {
        selection.steps = steps;
        return;
      }
    const auto [from, to] = rangeIn(option.value);
    const auto first = parseWhole(from), last = parseWhole(to);
    if (!first || !last || *first < 0 || *last < 0)
      return fault(option, fmt::format("`{}` is neither `auto`, `all`, `whole`, a number nor a range such as `3..5`",
                                       option.value));
    if (*last < *first) return fault(option, fmt::format("the range `{}` is empty", option.value));
    selection.steps = StepSelection::Range;
    selection.firstStep = *first;
    selection.lastStep = *last;
  }

  void readStatistic(const Occurrence& option) {
    noteSelection(option);
    checkChoice(option, {std::begin(kAverageNames), std::end(kAverageNames)});
    settings_.request.selection.average = option.value == name(Average::Mean) ? Average::Mean : Average::Median;
  }

  void readAnnotation(const Occurrence& option) {
    noteSelection(option);
    const re2::RE2 compiled(option.value, re2::RE2::Quiet);
    if (option.value.empty() || !compiled.ok())
      return fault(option, fmt::format("`{}` is not a regular expression{}{}", option.value, compiled.ok() ? "" : ": ",
                                       compiled.error()));
    settings_.request.selection.annotation = option.value;
  }

  void readWindow(const Occurrence& option) {
    noteSelection(option);
    TimeWindow window;
    const size_t dots = option.value.find("..");
    const auto [from, to] = rangeIn(option.value);
    const auto first = from.empty() || from == "0" ? std::optional<int64_t>(0) : parseDuration(from);
    const auto last = to.empty() ? std::optional(window.endNs) : parseDuration(to);
    if (dots == std::string::npos || !first || !last)
      return fault(
          option,
          fmt::format("`{}` is not of the form `start..end` with times such as `10us`, `1.5ms` or `2s`", option.value));
    if (*last <= *first) return fault(option, fmt::format("the window `{}` is empty", option.value));
    settings_.request.selection.window = TimeWindow{*first, *last};
  }

  void readDevice(const Occurrence& option) {
    noteSelection(option);
    if (option.value.empty()) return fault(option, "`-device` needs a device's number or `all`");
    settings_.request.allDevices = option.value == "all";
    if (!settings_.request.allDevices) settings_.request.selection.device = option.value;
  }

  void readMaxMemory(const Occurrence& option) {
    const auto bytes = parseBytes(option.value);
    if (!bytes || *bytes == 0)
      return fault(option, fmt::format("`{}` is not a size such as `512MiB`, `2G` or `800000000`", option.value));
    settings_.maxMemoryBytes = *bytes;
  }

  /// Both parts of `a..b`; twice the text if it has no dots.
  static std::pair<std::string_view, std::string_view> rangeIn(std::string_view text) {
    const size_t dots = text.find("..");
    if (dots == std::string_view::npos) return {text, text};
    return {text.substr(0, dots), text.substr(dots + 2)};
  }

  void readDim(const Occurrence& option) {
    const size_t equals = option.value.rfind('=');
    const std::string name = option.value.substr(0, equals);
    if (equals == std::string::npos || name.empty())
      return fault(option, fmt::format("`{}` is not of the form `name=n`", option.value));
    const std::string_view text = std::string_view(option.value).substr(equals + 1);
    if (const auto size = parseWhole(text))
      settings_.request.dims.push_back({name, *size, option.range});
    else
      fault(option, fmt::format("`{}` is not the size of a dimension; it takes an integer of at least 1", text));
  }

  void readEmit(const Occurrence& option) {
    if (checkOutputRequest(option.value, option.range, faultOf(option), diagnostics_))
      settings_.request.emits.push_back({option.value, option.range});
  }

  void readSuggestRules(const Occurrence& option) {
    std::string output(kSuggestedRulesOutput.name);
    if (!option.value.empty()) output += "=" + option.value;
    settings_.request.emits.push_back({std::move(output), option.range});
  }

  /// Reads an option that names scenarios. Each `-what-if=` is a scenario that is named by its text, or a file of
  /// scenarios (`isScenarioFile`). All `-speedup=` together are the scenario `what-if`, which is the first.
  void readScenarios(const Occurrence& option) {
    if (option.id == OptionId::Speedup) {
      auto change = api::readChange(option.value, option.range, diagnostics_);
      if (!change) return;
      if (together_.changes.empty()) together_.range = option.range;
      together_.changes.push_back(std::move(*change));
    } else if (option.id == OptionId::Speedups || api::isScenarioFile(option.value)) {
      auto read = withinMemory(diagnostics_, FileLocation{option.value}, "speed-ups were read", [&] {
        return api::readScenarioFile(option.value, option.range, sources_, diagnostics_);
      });
      std::ranges::move(read, std::back_inserter(settings_.request.scenarios));
    } else if (auto scenario = api::readScenario(option.value, option.range, diagnostics_)) {
      settings_.request.scenarios.push_back(std::move(*scenario));
    }
  }

  /// Adds the scenario of all `-speedup=`.
  void finishScenarios() {
    if (together_.changes.empty()) return;
    std::vector<ir::Scenario>& scenarios = settings_.request.scenarios;
    scenarios.insert(scenarios.begin(), std::move(together_));
  }

  const Invocation& invocation_;
  const PassRegistry& registry_;
  SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  Settings& settings_;
  ir::Scenario together_{"what-if", {}};
  std::vector<api::ModelArgument> executionTraces_;
  Outcome outcome_ = Outcome::Done;
};

}  // namespace

Job jobOf(const Settings& settings) {
  if (settings.languageServer) return OnLanguageServer;
  if (settings.printRules) return OnRulePrint;
  if (settings.request.checkRules) return OnRuleCheck;
  return OnAnalysis;
}

ColorMode colorMode(const Invocation& invocation) {
  const Occurrence* option = invocation.find(OptionId::Color);
  if (!option) return ColorMode::Auto;
  return option->value == "always" ? ColorMode::Always : option->value == "never" ? ColorMode::Never : ColorMode::Auto;
}

Outcome readSettings(const Invocation& invocation, const PassRegistry& registry, SourceManager& sources,
                     DiagnosticEngine& diagnostics, Settings& settings) {
  return SettingsReader(invocation, registry, sources, diagnostics, settings).read();
}

}  // namespace amdahlc::driver
