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

void Pass::flag(std::string name, std::string description, bool& storage) {
  PassOption option;
  option.name = std::move(name);
  option.kind = PassOption::Kind::Flag;
  option.description = std::move(description);
  option.defaultValue = storage ? "true" : "false";
  option.set = [&storage](std::string_view text) { storage = text == "true"; };
  options_.push_back(std::move(option));
}

void Pass::integer(std::string name, std::string description, int64_t& storage, int64_t minimum, int64_t maximum) {
  PassOption option;
  option.name = std::move(name);
  option.kind = PassOption::Kind::Integer;
  option.description = std::move(description);
  option.defaultValue = std::to_string(storage);
  option.minimum = minimum;
  option.maximum = maximum;
  option.set = [&storage](std::string_view text) { std::from_chars(text.data(), text.data() + text.size(), storage); };
  options_.push_back(std::move(option));
}

void Pass::duration(std::string name, std::string description, int64_t& storageNs, int64_t maximumNs) {
  PassOption option;
  option.name = std::move(name);
  option.kind = PassOption::Kind::Duration;
  option.description = std::move(description);
  option.defaultValue = storageNs % 1000 == 0 ? fmt::format("{}us", storageNs / 1000) : fmt::format("{}ns", storageNs);
  option.maximum = maximumNs;
  option.set = [&storageNs](std::string_view text) { storageNs = parseDuration(text).value_or(0); };
  options_.push_back(std::move(option));
}

void Pass::byteRate(std::string name, std::string description, int64_t& storageBytesPerS, int64_t maximumBytesPerS) {
  PassOption option;
  option.name = std::move(name);
  option.kind = PassOption::Kind::ByteRate;
  option.description = std::move(description);
  option.defaultValue = formatByteRate(storageBytesPerS);
  option.minimum = 1;
  option.maximum = maximumBytesPerS;
  option.set = [&storageBytesPerS](std::string_view text) {
    storageBytesPerS = parseByteRate(text).value_or(storageBytesPerS);
  };
  options_.push_back(std::move(option));
}

void Pass::timeGoal(std::string name, std::string description, std::optional<TimeGoal>& storage) {
  PassOption option;
  option.name = std::move(name);
  option.kind = PassOption::Kind::TimeGoal;
  option.description = std::move(description);
  option.set = [&storage](std::string_view text) { storage = parseTimeGoal(text); };
  options_.push_back(std::move(option));
}

void Pass::string(std::string name, std::string description, std::string& storage, std::vector<std::string> choices) {
  PassOption option;
  option.name = std::move(name);
  option.kind = PassOption::Kind::String;
  option.description = std::move(description);
  option.defaultValue = storage;
  option.choices = std::move(choices);
  option.set = [&storage](std::string_view text) { storage = text; };
  options_.push_back(std::move(option));
}

void Pass::list(std::string name, std::string description, std::vector<std::string>& storage,
                std::vector<std::string> choices) {
  PassOption option;
  option.name = std::move(name);
  option.kind = PassOption::Kind::List;
  option.description = std::move(description);
  option.choices = std::move(choices);
  option.set = [&storage](std::string_view text) { storage.emplace_back(text); };
  options_.push_back(std::move(option));
}

PassOption* Pass::findOption(std::string_view name) {
  const auto found =
      std::find_if(options_.begin(), options_.end(), [&](const PassOption& option) { return option.name == name; });
  return found == options_.end() ? nullptr : &*found;
}

const PassOption* Pass::outputsOption() const {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [](const PassOption& option) { return option.kind == PassOption::Kind::Outputs; });
  return found == options_.end() ? nullptr : &*found;
}

void Pass::outputs(std::string name, std::string defaultKind, const PassRegistry& registry,
                   std::vector<OutputRequest>& storage) {
  PassOption option;
  option.name = std::move(name);
  option.kind = PassOption::Kind::Outputs;
  for (const OutputKind& kind : registry.outputKinds()) option.choices.push_back(kind.name);
  option.description =
      fmt::format("a kind of output, or kind=path; {} if none is named; `-help=output` lists the kinds", defaultKind);
  option.defaultValue = std::move(defaultKind);
  option.set = [&storage](std::string_view text) { storage.push_back(parseOutputRequest(text)); };
  options_.push_back(std::move(option));
}

int64_t& Pass::statistic(std::string name, std::string description) {
  statistics_.push_back(std::make_unique<Statistic>(Statistic{std::move(name), std::move(description), 0}));
  return statistics_.back()->value;
}

}  // namespace amdahlc
