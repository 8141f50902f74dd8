#include "driver/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "driver/completion.h"
#include "ir/expression/functions.h"
#include "ir/scenario.h"
#include "ir/selectors.h"
#include "report/outputs/output.h"
#include "support/printable.h"

namespace amdahlc::driver {
namespace {

constexpr size_t kColumns = 80;

/// `more` is what does not depend on the passes.
const TopicHelp kTopics[] = {
    {Topic::Input, "input", "models and traces",
     "The model is an ONNX file (binary, or ONNX text: .onnxtxt) or IR text (.air) as another run printed it; `-` "
     "reads it from stdin. Its kind follows from the name, else from the content. Weight files are never opened.\n\n"
     "A configuration file holds the same options:\n\n"
     "    model: bert.onnx\n"
     "    trace: {h100: h100.json.gz, mi300: mi300.json.gz}\n"
     "    passes: default\n"
     "    what-if: [sdpa=2x;gelu=0, plans.yaml]\n"
     "    emit: {summary: , json: report.json}\n"
     "    stats: true\n"},
    {Topic::Rules, "rules", "rules that group operators into kernels",
     "A name without a slash and without the ending .akp is a shipped library, a file in ../share/amdahlc/rules from "
     "the folder of the command. IR text that contains rules needs none; with `-rules=` it is grouped again.\n"},
    {Topic::Pipeline, "pipeline", "passes",
     "A pipeline that renders no output prints the IR at its end; `-passes=` (empty) prints it as it was read. Option "
     "values with `;`, `<` or `>` need double quotes. `-passes='default<host.batch-size=8>'` sets the option "
     "batch-size of the pass host, where `default` contains it. `-help=PASS` describes a pass with its options.\n"},
    {Topic::WhatIf, "what-if", "planned speed-ups",
     "New times: `2x`, `1.5x`, `3/2x` are so many times as fast; `10us`, `0.2ms`, `300ns` are times per iteration; "
     "`0` is free. Where two changes of a scenario select one kernel, the later one counts. The same selector twice "
     "is an error.\n\n"
     "A `;` separates changes where a whole one stands before it; another is a part of a name or a regular "
     "expression.\n\n"
     "A file of scenarios is JSON or YAML:\n\n"
     "    {\"speedups\": [{\"op_id\": \"2\", \"speedup\": 2}, {\"rule\": \"sdpa\", \"time\": \"10us\"}]}\n\n"
     "New times have the key `speedup` (a number) or `time`. The scenario is named by the key `name`, else by the "
     "file; its key `wall_model` takes `idle-constant`. Several in one file: {\"scenarios\": [{\"name\": ..., "
     "\"speedups\": ...}]}.\n"},
    {Topic::Output, "output", "outputs", ""},
    {Topic::Debug, "debug", "debugging",
     "A dump begins with an IR comment with its place in the pipeline, and can be the input of another run. It has "
     "the device events of a trace and not its host events, which `host` and `schedule` need. Dumps and reports go to "
     "stderr, outputs to stdout; -print-to= redirects the dumps. A run that fails still writes them.\n"},
    {Topic::General, "general", "about the command",
     "`-help=NAME` also takes the name of a pass (`-help=fuse`) or of an output (`-help=svg`), `passes` for all "
     "passes, and for programs `man-page`, `completion-bash`, `completion-zsh`, `completion-fish`, `schema-report`, "
     "`schema-bindings` and `schema-ranks`.\n\n"
     "Options take one or two dashes, and their value after `=` or as the next argument. `--` ends options.\n\n"
     "Exit codes: 0 success; 1 error in an input (model, trace, rules, pipeline text, speed-ups, configuration, or a "
     "file that cannot be read or written); 2 error in the command line; 3 the outputs are written, but a condition "
     "that the command line demands does not hold. With 1 or 2 no output is written.\n"},
};

/// Wraps `text` at blanks; lines after the first, and paragraphs, begin with `indent`. Lines that begin with four
/// blanks stay as they are.
std::string wrapped(std::string_view text, const std::string& indent) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with("    ")) {
      result += indent + std::string(line) + '\n';
      continue;
    }
    std::string current = line.empty() ? "" : indent;
    for (size_t begin = 0; begin < line.size();) {
      const size_t end = std::min(line.find(' ', begin), line.size());
      const std::string_view word = line.substr(begin, end - begin);
      if (current.size() > indent.size() && current.size() + 1 + word.size() > kColumns) {
        result += current + '\n';
        current = indent;
      }
      if (current.size() > indent.size()) current += ' ';
      current += word;
      begin = end + 1;
    }
    result += current + '\n';
  }
  return result;
}

std::string outputsText() {
  size_t width = 0;
  for (const Output* output : allOutputs()) width = std::max(width, output->name.size());
  std::string text = "Outputs:\n\n";
  for (const Output* output : allOutputs())
    text += fmt::format("    {:<{}}  {}\n", output->name, width, output->summary);
  text +=
      "\nOptions of outputs, as in `-emit='svg<fold=2;rankdir=LR>=out.svg'`. In `-passes='default<emit.fold=2>'` they "
      "are of all outputs that take them.\n\n";
  return text + describeOptionsOfOutputs() + "\nOutputs are written after all passes succeeded, all of them or none.\n";
}

/// Describes selectors, in options and in files.
std::string selectorsText() {
  std::vector<std::string_view> forms, keys;
  for (const ir::SelectorRow& row : ir::selectorTable())
    if (!row.form.empty()) forms.push_back(row.form);
  for (const ir::SelectorKey& key : ir::selectorKeys()) keys.push_back(key.key);
  return fmt::format(
      "Selectors: {}, `/REGEX/` (searched in labels and node names). Another bare name is tried as a name of "
      "kernels, in this order; the first kind that selects a kernel counts.\n\n"
      "Keys that select in a file: {}. `select` and `op_type` take a selector as the option does.\n",
      fmt::join(forms, ", "), fmt::join(keys, ", "));
}

/// Describes changes other than new times.
std::string changesText() {
  std::string text = "Other changes, in options as they are, in a file as {\"change\": \"fuse(sdpa)\"}:\n\n";
  for (const ir::ChangeRow& row : ir::changeTable())
    if (!row.form.empty()) text += fmt::format("    {}\n        {}\n", replaced(row.form, {{'`', ""}}), row.what);
  return text + "\nSELECTORS are selectors of kernels, separated by commas.\n";
}

/// Describes the default pipeline, and why passes may be missing in it.
std::string defaultText(const PassRegistry& registry) {
  std::string all, needs;
  for (const PassInfo& info : registry.passes()) {
    const Pass& pass = registry.declarations(info);
    if (pass.defaultUse() == Pass::DefaultUse::Never) continue;
    all += (all.empty() ? "" : ",") + info.name;
    std::string inputs;
    for (const PassInput input : pass.neededInputs())
      if (input != PassInput::Rules) inputs += fmt::format("{}{}", inputs.empty() ? "" : " and ", textOf(input).needed);
    if (!inputs.empty()) needs += fmt::format("{}{} needs {}", needs.empty() ? "" : ", ", info.name, inputs);
  }
  return fmt::format("`default` is `{}`, without the passes that lack an input ({}) or build on one that does.\n", all,
                     needs);
}

std::string textOf(const TopicHelp& topic) {
  std::string text = fmt::format("{}\n", topic.title);
  for (const OptionRow& row : optionTable())
    if (row.topic == topic.topic) text += "\n" + describeFully(row);
  if (!topic.more.empty()) text += "\n" + wrapped(topic.more, "");
  return text;
}

}  // namespace

std::string describe(const OptionRow& row) {
  std::string aliases;
  for (const std::string_view name : namesOf(row))
    if (name != row.name) aliases += fmt::format("-{}, ", name);
  if (row.arity != Arity::Optional) return aliases + formOf(row.name, row.arity == Arity::Flag ? "" : row.argument);
  const bool isForm = row.argument.find('|') != std::string_view::npos;
  return fmt::format("{}-{}[={}{}{}]", aliases, row.name, isForm ? "" : "<", row.argument, isForm ? "" : ">");
}

std::string describeFully(const OptionRow& row) {
  return "  " + describe(row) + "\n" + wrapped(withDetails(row.summary, row.details), "      ");
}

std::vector<TopicHelp> topicHelp(const PassRegistry& registry) {
  std::vector<TopicHelp> topics(std::begin(kTopics), std::end(kTopics));
  for (TopicHelp& topic : topics) {
    if (topic.topic == Topic::WhatIf) topic.more = selectorsText() + "\n" + changesText() + "\n" + topic.more;
    if (topic.topic == Topic::Pipeline) topic.more = defaultText(registry) + "\n" + topic.more;
    if (topic.topic == Topic::Output) topic.more = outputsText();
  }
  return topics;
}

std::string helpText() {
  std::string text = fmt::format("amdahlc: {}\n\nusage: {}\n\n{}", kPurpose, kUsage, kExamples);
  for (const TopicHelp& topic : kTopics) {
    text += fmt::format("\n{} (-help={}):\n", topic.title, topic.name);
    for (const OptionRow& row : optionTable()) {
      if (row.topic != topic.topic) continue;
      const std::string left = "  " + describe(row);
      text += left.size() < 27 ? fmt::format("{:<27} ", left) : left + "\n" + std::string(28, ' ');
      const std::string body = wrapped(row.summary, std::string(28, ' '));
      text += body.substr(28);
    }
  }
  return text;
}

std::vector<HelpText> helpTexts(const PassRegistry& registry) {
  std::vector<HelpText> texts;
  for (const TopicHelp& topic : topicHelp(registry))
    texts.push_back({std::string(topic.name), std::string(topic.title), [topic] { return textOf(topic); }});
  texts.push_back({"passes", "all passes with their options", [&] { return describePasses(registry); }});
  for (const PassInfo& pass : registry.passes())
    texts.push_back({pass.name, pass.summary, [&] { return describePass(registry, pass); }});
  for (const Output* output : allOutputs())
    texts.push_back(
        {std::string(output->name), std::string(output->summary), [output] { return describeOutput(*output); }});
  texts.push_back({"man-page", "the manual page, for `man -l -`", [&] { return manPage(registry); }});
  for (const CompletionShell& shell : completionShells())
    texts.push_back({fmt::format("completion-{}", shell.name),
                     fmt::format("a script that completes options in {}", shell.name),
                     [&registry, script = shell.script] { return script(registry); }});
  for (const Output* output : allOutputs())
    if (output->schema != nullptr)
      texts.push_back({fmt::format("schema-{}", output->schemaName),
                       fmt::format("the JSON Schema of the output {}", output->name), output->schema});
  texts.push_back({"rule-functions", "", expression::functionDocumentation, false});
  for (const PassInfo& pass : registry.passes())
    texts.push_back({"docs-" + pass.name, "", [&] { return passDocumentation(registry, pass); }, false});
  return texts;
}

}  // namespace amdahlc::driver
