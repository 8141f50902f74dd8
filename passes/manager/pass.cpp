#include "passes/manager/pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "passes/manager/registry.h"
#include "support/byte_rate.h"
#include "support/decimal_time.h"

namespace amdahlc {

void PassContext::remark(RemarkKind kind, Location location, std::string message) {
  if (wants(kind) && remarkSink_) remarkSink_(kind, std::move(location), std::move(message));
}

PassOption& Pass::declare(std::string name, PassOption::Kind kind, OptionText text, std::string defaultValue,
                          std::function<void(std::string_view)> set) {
  PassOption& option = options_.emplace_back();
  option.name = std::move(name);
  option.kind = kind;
  option.text = std::move(text);
  option.defaultValue = std::move(defaultValue);
  option.set = std::move(set);
  return option;
}

PassOption& Pass::flag(std::string name, OptionText text, bool& storage) {
  return declare(std::move(name), PassOption::Kind::Flag, std::move(text), storage ? "true" : "false",
                 [&storage](std::string_view value) { storage = value == "true"; });
}

PassOption& Pass::integer(std::string name, OptionText text, int64_t& storage, int64_t minimum, int64_t maximum) {
  PassOption& option = declare(
      std::move(name), PassOption::Kind::Integer, std::move(text), std::to_string(storage),
      [&storage](std::string_view value) { std::from_chars(value.data(), value.data() + value.size(), storage); });
  option.minimum = minimum;
  option.maximum = maximum;
  return option;
}

PassOption& Pass::duration(std::string name, OptionText text, int64_t& storageNs, int64_t maximumNs) {
  PassOption& option =
      declare(std::move(name), PassOption::Kind::Duration, std::move(text),
              storageNs % 1000 == 0 ? fmt::format("{}us", storageNs / 1000) : fmt::format("{}ns", storageNs),
              [&storageNs](std::string_view value) { storageNs = parseDuration(value).value_or(0); });
  option.maximum = maximumNs;
  return option;
}

PassOption& Pass::byteRate(std::string name, OptionText text, int64_t& storageBytesPerS, int64_t maximumBytesPerS) {
  PassOption& option = declare(std::move(name), PassOption::Kind::ByteRate, std::move(text),
                               formatByteRate(storageBytesPerS), [&storageBytesPerS](std::string_view value) {
                                 storageBytesPerS = parseByteRate(value).value_or(storageBytesPerS);
                               });
  option.minimum = 1;
  option.maximum = maximumBytesPerS;
  return option;
}

PassOption& Pass::timeGoal(std::string name, OptionText text, std::optional<TimeGoal>& storage) {
  return declare(std::move(name), PassOption::Kind::TimeGoal, std::move(text), "",
                 [&storage](std::string_view value) { storage = parseTimeGoal(value); });
}

PassOption& Pass::string(std::string name, OptionText text, std::string& storage, std::vector<std::string> choices) {
  PassOption& option = declare(std::move(name), PassOption::Kind::String, std::move(text), storage,
                               [&storage](std::string_view value) { storage = value; });
  option.choices = std::move(choices);
  return option;
}

PassOption& Pass::list(std::string name, OptionText text, std::vector<std::string>& storage,
                       std::vector<std::string> choices) {
  PassOption& option = declare(std::move(name), PassOption::Kind::List, std::move(text), "",
                               [&storage](std::string_view value) { storage.emplace_back(value); });
  option.choices = std::move(choices);
  return option;
}

void Pass::hasOldSpelling(std::string name, std::string_view sets) {
  const PassOption& option = *findOption(sets);
  addsCommandOption({.name = std::move(name),
                     .argument = option.kind == PassOption::Kind::Flag ? "" : "value",
                     .once = option.kind != PassOption::Kind::List,
                     .sets = option.name,
                     .isOldSpelling = true});
}

void Pass::set(const PipelineParameter& parameter) {
  if (PassOption* option = findOption(parameter.name))
    option->set(parameter.value ? std::string_view(*parameter.value) : "true");
  else
    findOption(std::string_view(parameter.name).substr(kNegation.size()))->set("false");
}

PassOption* Pass::findOption(std::string_view name) {
  const auto found =
      std::find_if(options_.begin(), options_.end(), [&](const PassOption& option) { return option.name == name; });
  return found == options_.end() ? nullptr : &*found;
}

std::vector<const PassOption*> Pass::optionsOfOutput(std::string_view kind) const {
  std::vector<const PassOption*> options;
  for (const PassOption& option : options_)
    if (std::find(option.outputs.begin(), option.outputs.end(), kind) != option.outputs.end())
      options.push_back(&option);
  return options;
}

const PassOption* Pass::outputsOption() const {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [](const PassOption& option) { return option.kind == PassOption::Kind::Outputs; });
  return found == options_.end() ? nullptr : &*found;
}

void Pass::outputs(std::string name, std::string defaultKind, const PassRegistry& registry,
                   std::vector<OutputRequest>& storage) {
  std::vector<std::string> kinds;
  for (const OutputKind& kind : registry.outputKinds()) kinds.push_back(kind.name);
  OptionText text(
      fmt::format("Render an output: kind, kind=path, or `kind<option=value>=path`; {} if none is named.", defaultKind),
      "`-help=output` lists the kinds and their options.");
  declare(std::move(name), PassOption::Kind::Outputs, std::move(text), std::move(defaultKind),
          [&storage](std::string_view value) { storage.push_back(parseOutputRequest(value)); })
      .choices = std::move(kinds);
}

int64_t& Pass::statistic(std::string name, std::string description) {
  statistics_.push_back(std::make_unique<Statistic>(Statistic{std::move(name), std::move(description), 0}));
  return statistics_.back()->value;
}

}  // namespace amdahlc
