#include "passes/manager/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "support/byte_rate.h"
#include "support/decimal_time.h"
#include "support/edit_distance.h"

namespace amdahlc {
namespace {

std::string joinChoices(const std::vector<std::string>& choices) {
  std::string text;
  for (size_t i = 0; i < choices.size(); ++i)
    text += fmt::format("{}`{}`", i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ", choices[i]);
  return text;
}

/// Why a value does not fit an option of `owner`, such as ``pass `fuse` ``; empty if it fits.
std::string mismatch(const PassOption& option, std::string_view owner, const PipelineParameter& parameter) {
  const std::string subject = fmt::format("option `{}` of {}", option.name, owner);
  if (option.kind == PassOption::Kind::Flag) return parameter.value ? subject + " is a flag and takes no value" : "";
  if (!parameter.value) return fmt::format("{} needs a value; write `{}=...`", subject, option.name);
  const std::string& value = *parameter.value;
  if (option.kind == PassOption::Kind::Integer) {
    int64_t number = 0;
    auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error == std::errc() && end == value.data() + value.size() && number >= option.minimum &&
        number <= option.maximum)
      return "";
    const std::string limits = option.maximum == INT64_MAX
                                   ? fmt::format("of at least {}", option.minimum)
                                   : fmt::format("from {} to {}", option.minimum, option.maximum);
    return fmt::format("`{}` does not fit {}; it takes an integer {}", value, subject, limits);
  }
  if (option.kind == PassOption::Kind::Duration) {
    const auto ns = parseDuration(value);
    if (ns && *ns >= 0 && *ns <= option.maximum) return "";
    return fmt::format("`{}` does not fit {}; it takes a time from 0us to {}us, such as `2us` or `1.5ms`", value,
                       subject, option.maximum / 1000);
  }
  if (option.kind == PassOption::Kind::ByteRate) {
    const auto rate = parseByteRate(value);
    if (rate && *rate >= option.minimum && *rate <= option.maximum) return "";
    return fmt::format("`{}` does not fit {}; it takes bytes per second up to {}, such as `12GB/s` or `800 MB/s`",
                       value, subject, formatByteRate(option.maximum));
  }
  if (option.kind == PassOption::Kind::TimeGoal)
    return parseTimeGoal(value) ? ""
                                : fmt::format(
                                      "`{}` does not fit {}; it takes a time with its unit such as `8ms`, or "
                                      "how many times as fast, such as `1.5x`",
                                      value, subject);
  if (option.choices.empty() || std::find(option.choices.begin(), option.choices.end(), value) != option.choices.end())
    return "";
  return fmt::format("`{}` does not fit {}; it takes {}{}", value, subject, joinChoices(option.choices),
                     didYouMean(value, option.choices));
}

}  // namespace

PassOption& DeclaredOptions::declare(std::string name, PassOption::Kind kind, OptionText text, std::string defaultValue,
                                     std::function<void(std::string_view)> set) {
  PassOption& option = options_.emplace_back();
  option.name = std::move(name);
  option.kind = kind;
  option.text = std::move(text);
  option.defaultValue = std::move(defaultValue);
  option.set = std::move(set);
  return option;
}

PassOption& DeclaredOptions::flag(std::string name, OptionText text, bool& storage) {
  return declare(std::move(name), PassOption::Kind::Flag, std::move(text), storage ? "true" : "false",
                 [&storage](std::string_view value) { storage = value == "true"; });
}

PassOption& DeclaredOptions::integer(std::string name, OptionText text, int64_t& storage, int64_t minimum,
                                     int64_t maximum) {
  PassOption& option = declare(
      std::move(name), PassOption::Kind::Integer, std::move(text), std::to_string(storage),
      [&storage](std::string_view value) { std::from_chars(value.data(), value.data() + value.size(), storage); });
  option.minimum = minimum;
  option.maximum = maximum;
  return option;
}

PassOption& DeclaredOptions::duration(std::string name, OptionText text, int64_t& storageNs, int64_t maximumNs) {
  PassOption& option =
      declare(std::move(name), PassOption::Kind::Duration, std::move(text),
              storageNs % 1000 == 0 ? fmt::format("{}us", storageNs / 1000) : fmt::format("{}ns", storageNs),
              [&storageNs](std::string_view value) { storageNs = parseDuration(value).value_or(0); });
  option.maximum = maximumNs;
  return option;
}

PassOption& DeclaredOptions::byteRate(std::string name, OptionText text, int64_t& storageBytesPerS,
                                      int64_t maximumBytesPerS) {
  PassOption& option = declare(std::move(name), PassOption::Kind::ByteRate, std::move(text),
                               formatByteRate(storageBytesPerS), [&storageBytesPerS](std::string_view value) {
                                 storageBytesPerS = parseByteRate(value).value_or(storageBytesPerS);
                               });
  option.minimum = 1;
  option.maximum = maximumBytesPerS;
  return option;
}

PassOption& DeclaredOptions::timeGoal(std::string name, OptionText text, std::optional<TimeGoal>& storage) {
  return declare(std::move(name), PassOption::Kind::TimeGoal, std::move(text), "",
                 [&storage](std::string_view value) { storage = parseTimeGoal(value); });
}

PassOption& DeclaredOptions::string(std::string name, OptionText text, std::string& storage,
                                    std::vector<std::string> choices) {
  PassOption& option = declare(std::move(name), PassOption::Kind::String, std::move(text), storage,
                               [&storage](std::string_view value) { storage = value; });
  option.choices = std::move(choices);
  return option;
}

PassOption& DeclaredOptions::list(std::string name, OptionText text, std::vector<std::string>& storage,
                                  std::vector<std::string> choices) {
  PassOption& option = declare(std::move(name), PassOption::Kind::List, std::move(text), "",
                               [&storage](std::string_view value) { storage.emplace_back(value); });
  option.choices = std::move(choices);
  return option;
}

void DeclaredOptions::set(const PipelineParameter& parameter) {
  if (PassOption* option = findOption(parameter.name))
    option->set(parameter.value ? std::string_view(*parameter.value) : "true");
  else
    findOption(std::string_view(parameter.name).substr(kNegation.size()))->set("false");
}

PassOption* DeclaredOptions::findOption(std::string_view name) {
  const auto found =
      std::find_if(options_.begin(), options_.end(), [&](const PassOption& option) { return option.name == name; });
  return found == options_.end() ? nullptr : &*found;
}

const PassOption* checkedOption(const std::vector<const PassOption*>& options, std::string_view owner,
                                const PipelineParameter& parameter, std::vector<std::string>& seen,
                                DiagnosticEngine& diagnostics) {
  std::vector<std::string> names;
  const PassOption* option = nullptr;
  for (const PassOption* candidate : options) {
    names.push_back(candidate->name);
    const bool isNegated =
        candidate->kind == PassOption::Kind::Flag && parameter.name == std::string(kNegation) + candidate->name;
    if (candidate->name == parameter.name || isNegated) option = candidate;
  }
  if (!option) {
    const std::string hint = didYouMean(parameter.name, names);
    diagnostics.error(DiagId::PipelineUnknownOption, parameter.nameRange,
                      names.empty() ? fmt::format("{} has no options", owner)
                                    : fmt::format("{} has no option `{}`{}", owner, parameter.name,
                                                  hint.empty() ? "; it has " + joinChoices(names) : hint));
    return nullptr;
  }
  if (option->kind != PassOption::Kind::List) {
    if (std::find(seen.begin(), seen.end(), option->name) != seen.end()) {
      diagnostics.error(DiagId::PipelineRepeatedOption, parameter.nameRange,
                        fmt::format("option `{}` of {} is given twice", option->name, owner));
      return nullptr;
    }
    seen.push_back(option->name);
  }
  if (const std::string why = mismatch(*option, owner, parameter); !why.empty()) {
    diagnostics.error(DiagId::PipelineOptionValue, parameter.valueRange, why);
    return nullptr;
  }
  if (option->check && !option->check(*parameter.value, parameter.valueRange, diagnostics)) return nullptr;
  return option;
}

}  // namespace amdahlc
