#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "runs/trace/kineto.h"
#include "support/json_text.h"
#include "support/limits.h"

namespace amdahlc::trace {
namespace {

/// Written keys keep their order.
using OrderedJson = nlohmann::ordered_json;

constexpr int64_t kVersion = 1;
// `LeftOutInfo::name` of it is empty.
constexpr std::string_view kWarmUp = "warm-up";

constexpr std::pair<const char*, std::string Target::*> kTargetMembers[] = {
    {"runtime", &Target::runtime}, {"vendor", &Target::vendor}, {"arch", &Target::arch}, {"device", &Target::device}};

std::string_view wordOf(LeftOut reason) {
  const auto row =
      std::ranges::find_if(kLeftOutReasons, [&](const LeftOutInfo& known) { return known.reason == reason; });
  return row->name.empty() ? kWarmUp : row->name;
}

LeftOut leftOutOf(const nlohmann::json& reason) {
  if (reason.is_null()) return LeftOut::None;
  const auto name = reason.get<std::string>();
  for (const LeftOutInfo& row : kLeftOutReasons)
    if (wordOf(row.reason) == name) return row.reason;
  throw std::runtime_error(fmt::format("`{}` is not a reason to leave out an iteration", name));
}

/// The library casts fractions, also those that no integer can hold.
int64_t integerOf(const nlohmann::json& value) {
  if (!value.is_number_integer()) throw std::runtime_error("a number is not an integer");
  return value.get<int64_t>();
}

Excerpt excerptFrom(const nlohmann::json& json) {
  if (!json.is_object()) throw std::runtime_error("it is no object");
  if (const auto version = integerOf(json.at("version")); version != kVersion)
    throw std::runtime_error(
        fmt::format("it was written by another version of the command: {} instead of {}", version, kVersion));
  Excerpt excerpt;
  excerpt.format = json.at("format").get<std::string>();
  const nlohmann::json& target = json.at("target");
  for (const auto& [key, member] : kTargetMembers) excerpt.target.*member = target.at(key).get<std::string>();
  excerpt.devices = json.at("devices").get<std::vector<std::string>>();
  excerpt.device = json.at("device").get<std::string>();
  excerpt.clockResolutionNs = integerOf(json.at("clock_resolution_ns"));
  if (excerpt.clockResolutionNs < 1 || excerpt.clockResolutionNs > 1000)
    throw std::runtime_error("the resolution of the clock is not between 1 and 1000 ns");
  const auto optionalNumber = [](const nlohmann::json& value) {
    return value.is_null() ? std::nullopt : std::optional(integerOf(value));
  };
  for (const nlohmann::json& stated : json.at("iterations")) {
    Iteration& iteration = excerpt.iterations.emplace_back();
    iteration.name = stated.at("name").get<std::string>();
    iteration.startNs = optionalNumber(stated.at("start_ns"));
    iteration.endNs = optionalNumber(stated.at("end_ns"));
    iteration.leftOut = leftOutOf(stated.at("left_out"));
    iteration.spillInNs = optionalNumber(stated.at("spill_in_ns"));
  }
  if (excerpt.iterations.empty()) throw std::runtime_error("it has no iterations");
  if (static_cast<int64_t>(excerpt.iterations.size()) > limits::kExcerptIterations)
    throw std::runtime_error("it has too many iterations");
  for (const nlohmann::json& problem : json.at("data_problems")) {
    const auto count = integerOf(problem.at("count"));
    if (count < 0) throw std::runtime_error("a data problem has a negative count");
    excerpt.problems.add(problem.at("name").get<std::string>(), count, problem.at("what").get<std::string>());
  }
  return excerpt;
}

}  // namespace

std::string writeStatement(const Excerpt& excerpt) {
  OrderedJson json{{"version", kVersion}, {"format", excerpt.format}};
  for (const auto& [key, member] : kTargetMembers) json["target"][key] = excerpt.target.*member;
  json["devices"] = excerpt.devices;
  json["device"] = excerpt.device;
  const auto orNull = [](const std::optional<int64_t>& number) {
    return number ? OrderedJson(*number) : OrderedJson(nullptr);
  };
  json["clock_resolution_ns"] = excerpt.clockResolutionNs;
  json["iterations"] = OrderedJson::array();
  // An excerpt has no events of what it leaves out, so that nothing is known of their launches.
  for (const Iteration& iteration : excerpt.iterations)
    json["iterations"].push_back(
        {{"name", iteration.name},
         {"start_ns", orNull(iteration.startNs)},
         {"end_ns", orNull(iteration.endNs)},
         {"left_out", iteration.selected() ? OrderedJson(nullptr) : OrderedJson(wordOf(iteration.leftOut))},
         {"spill_in_ns", orNull(iteration.selected() ? iteration.spillInNs : std::nullopt)}});
  json["data_problems"] = OrderedJson::array();
  for (const DataProblem& problem : excerpt.problems)
    json["data_problems"].push_back({{"name", problem.name}, {"count", problem.count}, {"what", problem.what}});
  return withEscapedControls(json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
}

Excerpt readExcerpt(std::string_view json) {
  try {
    return excerptFrom(nlohmann::json::parse(json));
  } catch (const nlohmann::json::exception& error) {
    const std::string_view what = error.what();
    throw std::runtime_error(std::string(what.substr(std::min(what.find("] ") + 2, what.size()))));
  }
}

}  // namespace amdahlc::trace
