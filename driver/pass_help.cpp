#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "driver/help.h"
#include "report/outputs/output_options.h"
#include "report/outputs/output_requests.h"
#include "support/printable.h"

namespace amdahlc::driver {
namespace {

/// What `textOf` gives for each thing, with commas between them.
template <typename Things, typename TextOf>
std::string listed(const Things& things, TextOf textOf) {
  std::string text;
  for (const auto& thing : things) text.append(text.empty() ? "" : ", ").append(textOf(thing));
  return text;
}

std::string facetNames(const std::vector<ir::Facet>& facets) {
  return listed(facets, [](ir::Facet facet) { return ir::name(facet); });
}

/// `a trace, rules`
std::string inputNames(const PassInputs& inputs) {
  return listed(inputs, [](PassInput input) { return textOf(input).needed; });
}

std::string establishedBy(const Pass& pass) {
  return pass.establishes() ? std::string(ir::name(*pass.establishes())) : "";
}

std::string requirements(const Pass& pass) {
  std::string text = facetNames(pass.requiredFacets());
  if (const std::string ofRuns = facetNames(pass.facetsRequiredOfRuns()); !ofRuns.empty())
    text += fmt::format("{}of runs {}", text.empty() ? "" : ", ", ofRuns);
  if (pass.declaresHostEvents()) text += (text.empty() ? "" : ", ") + std::string("host events");
  return text;
}

/// The outputs that show what a pass finds; of the pass that renders them, those of the whole report.
std::vector<const Output*> outputsShowing(const PassInfo& info) {
  return outputsOf(info.name == kRenderingPass ? "" : info.name);
}

/// When the default pipeline contains a pass.
std::string_view defaultUseOf(const PassInfo& info, const Pass& pass) {
  const auto& options = pass.commandOptions();
  const bool hasOption = std::ranges::any_of(options, [](const CommandOption& option) { return option.asksForPass; });
  if (pass.defaultUse() == Pass::DefaultUse::Never) return "no";
  if (pass.defaultUse() == Pass::DefaultUse::Always) return "yes, if its inputs are given";
  if (!hasOption) return "if one of its outputs is requested";
  return outputsShowing(info).empty() ? "if its option is given"
                                      : "if one of its outputs is requested, or its option is given";
}

/// `default 8`, `repeatable`, or nothing.
std::string defaultNote(const PassOption& option) {
  if (option.kind == PassOption::Kind::List) return "repeatable";
  if (option.kind == PassOption::Kind::Flag || option.defaultValue.empty()) return "";
  return "default " + option.defaultValue;
}

std::string tableCell(std::string_view text) { return replaced(text, {{'|', "\\|"}}); }

std::string meaningOf(const PassOption& option) { return withDetails(option.text.summary, option.text.details); }

std::string describeOption(const PassOption& option) {
  const std::string note = defaultNote(option);
  return fmt::format("    {}\n        {}{}\n", valueForm(option), meaningOf(option),
                     note.empty() ? "" : " (" + note + ")");
}

}  // namespace

std::string withDetails(std::string_view summary, std::string_view details) {
  return fmt::format("{}{}{}", summary, details.empty() ? "" : " ", details);
}

std::string valueForm(const PassOption& option) {
  if (option.kind == PassOption::Kind::Flag) return option.defaultValue == "true" ? "no-" + option.name : option.name;
  return option.choices.empty() ? fmt::format("{}={}", option.name, option.form)
                                : fmt::format("{}={}", option.name, fmt::join(option.choices, "|"));
}

std::string describePass(const PassRegistry& registry, const PassInfo& info) {
  const Pass& pass = registry.declarations(info);
  std::string text = fmt::format("{}\n    {}\n", info.name, info.summary);
  const auto line = [&](std::string_view what, const std::string& value) {
    if (!value.empty()) text += fmt::format("    {}: {}\n", what, value);
  };
  line("default pipeline", std::string(defaultUseOf(info, pass)));
  line("needs", inputNames(pass.neededInputs()));
  line("requires", requirements(pass));
  line("establishes", establishedBy(pass));
  line("outputs", listed(outputsShowing(info), [](const Output* output) { return output->name; }));
  line("analyses to print",
       listed(pass.analysisPrinters(), [](const AnalysisPrinter& printer) { return printer.name; }));
  for (const PassOption& option : pass.options()) text += describeOption(option);
  for (const CommandOption& option : pass.commandOptions())
    if (!option.isOldSpelling)
      text += fmt::format("    {}\n        {}\n", formOf(option.name, option.argument),
                          withDetails(option.summary, option.details));
  return text;
}

std::string describeOutput(const Output& output) {
  std::string text = fmt::format("{}\n    {}\n", output.name, output.summary);
  const OutputOptions options;
  for (const std::string_view name : output.options) text += describeOption(*options.findOption(name));
  return text;
}

std::string describeOptionsOfOutputs() {
  std::string text;
  const OutputOptions options;
  for (const PassOption& option : options.options())
    if (!outputsTaking(option.name).empty()) text += describeOption(option);
  return text;
}

std::string describePasses(const PassRegistry& registry) {
  std::string text;
  for (const PassInfo& info : registry.passes()) text += describePass(registry, info);
  return text;
}

std::string passDocumentation(const PassRegistry& registry, const PassInfo& info) {
  const Pass* pass = &registry.declarations(info);
  std::string text = fmt::format("`{}`: {}\n\n", info.name, info.summary);
  const std::string inputs = inputNames(pass->neededInputs());
  const std::string required = requirements(*pass);
  const std::string established = establishedBy(*pass);
  text += fmt::format("Default pipeline: {}. Needs: {}. Requires: {}. Establishes: {}.\n", defaultUseOf(info, *pass),
                      inputs.empty() ? "nothing" : inputs, required.empty() ? "nothing" : required,
                      established.empty() ? "nothing" : established);
  if (const auto outputs = outputsShowing(info); !outputs.empty()) {
    text += "\n| output | content |\n|--|--|\n";
    for (const Output* output : outputs)
      text += fmt::format("| `{}` | {} |\n", output->name, tableCell(std::string(output->summary)));
  }
  if (!pass->analysisPrinters().empty()) {
    text += "\n| analysis to print | content |\n|--|--|\n";
    for (const AnalysisPrinter& printer : pass->analysisPrinters())
      text += fmt::format("| `print<{}>` | {} |\n", printer.name, tableCell(printer.summary));
  }
  if (!pass->options().empty()) {
    text += "\n| option | default | meaning |\n|--|--|--|\n";
    for (const PassOption& option : pass->options())
      text += fmt::format("| `{}` | {} | {} |\n", tableCell(valueForm(option)),
                          option.kind == PassOption::Kind::List   ? "repeatable"
                          : option.kind == PassOption::Kind::Flag ? (option.defaultValue == "true" ? "on" : "off")
                                                                  : tableCell(option.defaultValue),
                          tableCell(meaningOf(option)));
  }
  std::string ofCommand;
  for (const CommandOption& option : pass->commandOptions())
    if (!option.isOldSpelling)
      ofCommand += fmt::format("| `{}` | {} |\n", tableCell(formOf(option.name, option.argument)),
                               tableCell(withDetails(option.summary, option.details)));
  if (!ofCommand.empty()) text += "\n| option of the command | meaning |\n|--|--|\n" + ofCommand;
  if (!pass->statistics().empty()) {
    text += "\n| statistic | meaning |\n|--|--|\n";
    for (const auto& statistic : pass->statistics())
      text += fmt::format("| `{}` | {} |\n", statistic->name, tableCell(statistic->description));
  }
  if (pass->documentation() != nullptr) text += "\n" + pass->documentation()();
  return text;
}

}  // namespace amdahlc::driver
