#include "passes/manager/pass.h"

#include <charconv>

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

int64_t& Pass::statistic(std::string name, std::string description) {
  statistics_.push_back(std::make_unique<Statistic>(Statistic{std::move(name), std::move(description), 0}));
  return statistics_.back()->value;
}

}  // namespace amdahlc
