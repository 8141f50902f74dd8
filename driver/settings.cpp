#include "driver/settings.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include "api/option_pieces.h"
#include "api/target_option.h"
#include "api/trace_files.h"
#include "driver/scenario_options.h"
#include "passes/manager/pipeline.h"
#include "report/outputs/output_requests.h"
#include "support/decimal_time.h"
#include "support/edit_distance.h"
#include "support/limits.h"
#include "support/memory.h"

namespace amdahlc::driver {
namespace {

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
    if (!invocation_.inputs.empty())
      settings_.request.model = {invocation_.inputs.front().path, invocation_.inputs.front().range};
    for (const Occurrence& option : invocation_.options) {
      const size_t errorsBefore = diagnostics_.errorCount();
      bool textual = option.fromFile;
      readOne(option, textual);
      if (diagnostics_.errorCount() == errorsBefore) continue;
      outcome_ = std::max(outcome_, textual ? Outcome::InputFault : Outcome::RequestFault);
    }
    outcome_ = std::max(outcome_, scenarios_.finish(settings_.request.scenarios));
    return outcome_;
  }

 private:
  /// `inputFault` is set if an error would be in the text or file that the option names, not in the command line.
  void readOne(const Occurrence& option, bool& inputFault) {
    if (row(option.id).declared) return readPassArgument(option);
    switch (option.id) {
      case OptionId::Trace:
        return readTrace(option);
      case OptionId::Rank:
        settings_.request.rank = readNumber(option, limits::kRankNumber);
        settings_.request.rankRange = option.range;
        return;
      case OptionId::Jobs:
        settings_.request.jobs = readNumber(option, limits::kRanksOfRun).value_or(0);
        settings_.request.jobsRange = option.range;
        if (settings_.request.jobs == 0) fault(option, option.range, "`-jobs` takes a number from 1");
        return;
      case OptionId::Target:
        return readTargetOption(option);
      case OptionId::Hardware:
        settings_.request.hardwareRange = option.range;
        return readPath(option, settings_.request.hardware, "stdin");
      case OptionId::Dim:
        return readDim(option);
      case OptionId::Steps:
        return readSteps(option);
      case OptionId::Annotation:
        return readAnnotation(option);
      case OptionId::Window:
        return readWindow(option);
      case OptionId::Device:
        return readDevice(option);
      case OptionId::MaxMemory:
        return readMaxMemory(option);
      case OptionId::Rules:
        return readList(option, settings_.request.rules);
      case OptionId::DisableRule:
        return readList(option, settings_.request.disabledRules);
      case OptionId::CheckRules:
        settings_.request.checkRules = true;
        return;
      case OptionId::PrintRules:
        settings_.printRules = true;
        return;
      case OptionId::SuggestRules:
        return readSuggestRules(option);
      case OptionId::Lsp:
        settings_.languageServer = true;
        return;
      case OptionId::Passes:
        settings_.request.passes = option.value;
        return;
      case OptionId::PrintPipeline:
        settings_.printPipeline = true;
        return;
      case OptionId::WhatIfOption:
      case OptionId::Speedup:
      case OptionId::Speedups:
        inputFault = true;
        return scenarios_.read(option);
      case OptionId::Emit:
        return readEmit(option);
      case OptionId::Output:
        settings_.outputRange = option.range;
        return readPath(option, settings_.output);
      case OptionId::Baseline:
        settings_.request.baselineRange = option.range;
        return readPath(option, settings_.request.baseline, "stdin");
      case OptionId::CsvSafe:
        settings_.request.csvSafe = option.range;
        return;
      case OptionId::Color:
        settings_.color = static_cast<ColorMode>(choice(option, {"auto", "always", "never"}));
        return;
      case OptionId::PrintBefore:
        return readPasses(option, settings_.dumps.before);
      case OptionId::PrintAfter:
        return readPasses(option, settings_.dumps.after);
      case OptionId::PrintAfterAll:
        settings_.dumps.afterAll = true;
        return;
      case OptionId::PrintChanged:
        settings_.dumps.changed = true;
        return;
      case OptionId::FilterPrint:
        settings_.dumps.filter.push_back(option.value);
        settings_.filterRanges.push_back(option.range);
        return;
      case OptionId::PrintTo:
        return readPath(option, settings_.printTo);
      case OptionId::VerifyEach:
        settings_.verifyEach = true;
        return;
      case OptionId::TimePasses:
        settings_.timePasses = true;
        return;
      case OptionId::Stats:
        settings_.stats = true;
        return;
      case OptionId::DebugOnly:
        return readPasses(option, settings_.request.debugOnly);
      case OptionId::Rpass:
        return readRegex(option, RemarkKind::Passed);
      case OptionId::RpassMissed:
        return readRegex(option, RemarkKind::Missed);
      case OptionId::RpassAnalysis:
        return readRegex(option, RemarkKind::Analysis);
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
      fault(option, option.range,
            fmt::format("`{}` does not fit `-{}`; it takes {}", option.value, declared.name, valuesOf(declared)));
  }

  static DiagId faultOf(const Occurrence& option) {
    return option.fromFile ? DiagId::ConfigValue : DiagId::OptionValue;
  }

  void fault(const Occurrence& option, SourceRange range, const std::string& message) {
    diagnostics_.error(faultOf(option), range, message);
  }

  /// Index of the value in `choices`. Reports an unknown value and returns 0.
  size_t choice(const Occurrence& option, const std::vector<std::string>& choices) {
    const auto found = std::find(choices.begin(), choices.end(), option.value);
    if (found != choices.end()) return static_cast<size_t>(found - choices.begin());
    std::string listed;
    for (const std::string& one : choices)
      listed += fmt::format("{}`{}`", listed.empty() ? "" : one == choices.back() ? " or " : ", ", one);
    fault(option, option.range,
          fmt::format("`-{}` takes {}, not `{}`{}", row(option.id).name, listed, option.value,
                      didYouMean(option.value, choices)));
    return 0;
  }

  void readPath(const Occurrence& option, std::string& path, std::string_view stream = "stdout") {
    if (option.value.empty())
      fault(option, option.range, fmt::format("`-{}` needs a path; `-` is {}", row(option.id).name, stream));
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
        settings_.request.namedPasses.push_back({std::string(row(option.id).name), piece.text});
      } else {
        fault(option, piece.range,
              fmt::format("unknown pass `{}` in `-{}`{}", piece.text, row(option.id).name,
                          didYouMean(piece.text, names)));
      }
    }
  }

  void readRegex(const Occurrence& option, RemarkKind kind) {
    if (auto error = settings_.request.remarks.enable(kind, option.value))
      fault(option, option.range,
            fmt::format("`-{}` takes a regular expression; this one is invalid: {}", row(option.id).name, *error));
    settings_.request.remarkArguments.push_back({kind, option.value, option.range});
  }

  void readTrace(const Occurrence& option) {
    std::string label, files = option.value;
    // A label has no slash, so that `./a=b.json` stays a path.
    const size_t equals = option.value.find('=');
    if (equals != std::string::npos && option.value.substr(0, equals).find_first_of("/\\") == std::string::npos) {
      label = option.value.substr(0, equals);
      files = option.value.substr(equals + 1);
      if (label.empty())
        fault(option, option.range, "the label before `=` is empty");
      else if (!isRunLabel(label))
        fault(option, option.range, "the label before `=` has control characters");
    }
    api::addTrace(settings_.request, std::move(label), files, option.range, faultOf(option), diagnostics_);
  }

  /// A number from 0 to `most`. Reports another text and returns nullopt.
  std::optional<int64_t> readNumber(const Occurrence& option, int64_t most) {
    int64_t number = -1;
    const char* const end = option.value.data() + option.value.size();
    const auto [read, error] = std::from_chars(option.value.data(), end, number);
    if (error == std::errc() && read == end && number >= 0 && number <= most) return number;
    fault(option, option.range,
          fmt::format("`-{}` takes a number up to {}, not `{}`", row(option.id).name, most, option.value));
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
    const auto number = [](std::string_view text) -> std::optional<int64_t> {
      int64_t value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (text.empty() || value < 0 || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
      return value;
    };
    const auto [from, to] = rangeIn(option.value);
    const auto first = number(from);
    const auto last = number(to);
    if (!first || !last)
      return fault(
          option, option.range,
          fmt::format("`{}` is neither `auto`, `all`, `whole`, a number nor a range such as `3..5`", option.value));
    if (*last < *first) return fault(option, option.range, fmt::format("the range `{}` is empty", option.value));
    selection.steps = StepSelection::Range;
    selection.firstStep = *first;
    selection.lastStep = *last;
  }

  void readAnnotation(const Occurrence& option) {
    noteSelection(option);
    const re2::RE2 compiled(option.value, re2::RE2::Quiet);
    if (option.value.empty() || !compiled.ok())
      return fault(option, option.range,
                   fmt::format("`{}` is not a regular expression{}{}", option.value, compiled.ok() ? "" : ": ",
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
          option, option.range,
          fmt::format("`{}` is not of the form `start..end` with times such as `10us`, `1.5ms` or `2s`", option.value));
    if (*last <= *first) return fault(option, option.range, fmt::format("the window `{}` is empty", option.value));
    settings_.request.selection.window = TimeWindow{*first, *last};
  }

  void readDevice(const Occurrence& option) {
    noteSelection(option);
    if (option.value.empty()) return fault(option, option.range, "`-device` needs a device's number or `all`");
    settings_.request.allDevices = option.value == "all";
    if (!settings_.request.allDevices) settings_.request.selection.device = option.value;
  }

  void readMaxMemory(const Occurrence& option) {
    const auto bytes = parseBytes(option.value);
    if (!bytes || *bytes == 0)
      return fault(option, option.range,
                   fmt::format("`{}` is not a size such as `512MiB`, `2G` or `800000000`", option.value));
    settings_.maxMemoryBytes = *bytes;
  }

  /// Both parts of `a..b`; twice the text if it has no dots.
  static std::pair<std::string_view, std::string_view> rangeIn(std::string_view text) {
    const size_t dots = text.find("..");
    if (dots == std::string_view::npos) return {text, text};
    return {text.substr(0, dots), text.substr(dots + 2)};
  }

  void readTargetOption(const Occurrence& option) {
    if (auto target = api::readTarget(option.value, option.range, diagnostics_))
      settings_.request.target = std::move(*target);
  }

  void readDim(const Occurrence& option) {
    const size_t equals = option.value.rfind('=');
    const std::string name = option.value.substr(0, equals);
    int64_t size = 0;
    const char* begin = equals == std::string::npos ? nullptr : option.value.data() + equals + 1;
    const char* end = option.value.data() + option.value.size();
    if (!begin || name.empty())
      return fault(option, option.range, fmt::format("`{}` is not of the form `name=n`", option.value));
    const auto [stopped, error] = std::from_chars(begin, end, size);
    if (error != std::errc() || stopped != end || size < 1)
      return fault(option, option.range,
                   fmt::format("`{}` is not the size of a dimension; it takes an integer of at least 1", begin));
    if (!settings_.request.dims.emplace(name, size).second)
      fault(option, option.range, fmt::format("dimension `{}` is fixed twice", name));
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

  const Invocation& invocation_;
  const PassRegistry& registry_;
  SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  Settings& settings_;
  ScenarioOptions scenarios_{sources_, diagnostics_};
  Outcome outcome_ = Outcome::Done;
};

}  // namespace

Job jobOf(const Settings& settings) {
  if (settings.languageServer) return OnLanguageServer;
  if (settings.printRules) return OnRulePrint;
  if (settings.request.checkRules) return OnRuleCheck;
  return !settings.request.model && !settings.printPipeline ? OnTrace : OnModel;
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
