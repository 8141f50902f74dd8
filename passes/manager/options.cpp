#include "passes/manager/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/bytes.h"
#include "support/decimal_time.h"
#include "support/edit_distance.h"

namespace amdahlc {
namespace {

/// Why a value does not fit an option of `owner`, such as ``pass `fuse` ``; empty if it fits.
std::string mismatch(const PassOption& option, std::string_view owner, const PipelineParameter& parameter) {
  const std::string subject = fmt::format("option `{}` of {}", option.name, owner);
  if (option.kind == PassOption::Kind::Flag) return parameter.value ? subject + " is a flag and takes no value" : "";
  if (!parameter.value) return fmt::format("{} needs a value; write `{}=...`", subject, option.name);
  const std::string& value = *parameter.value;
  const auto& choices = option.choices;
  const bool isChoice = choices.empty() || std::ranges::find(choices, value) != choices.end();
  if (option.fits ? option.fits(value) : isChoice) return "";
  return fmt::format("`{}` does not fit {}; it takes {}", value, subject,
                     option.fits ? option.takes : joinChoices(choices) + didYouMean(value, choices));
}

/// Reads the numbers of `parse` from `minimum` to `maximum`.
template <typename Parse>
auto within(Parse parse, int64_t minimum, int64_t maximum) {
  return [=](std::string_view text) -> std::optional<int64_t> {
    const std::optional<int64_t> number = parse(text);
    return number && *number >= minimum && *number <= maximum ? number : std::nullopt;
  };
}

}  // namespace

std::optional<TimeGoal> parseTimeGoal(std::string_view text) {
  if (text.ends_with('x')) {
    const auto times = Rational::parse(text.substr(0, text.size() - 1));
    return times && !times->isZero() ? std::optional<TimeGoal>({std::nullopt, times}) : std::nullopt;
  }
  const auto ns = text == "0" ? std::optional<int64_t>(0) : parseDuration(text);
  return ns && *ns >= 0 ? std::optional<TimeGoal>({ns, std::nullopt}) : std::nullopt;
}

std::string joinChoices(const std::vector<std::string>& choices) {
  std::string text;
  for (size_t i = 0; i < choices.size(); ++i)
    text += fmt::format("{}`{}`", i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ", choices[i]);
  return text;
}

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

template <typename Storage, typename Read>
PassOption& DeclaredOptions::declareValue(std::string name, OptionText text, std::string defaultValue, Storage& storage,
                                          Read read) {
  PassOption& option = declare(std::move(name), PassOption::Kind::Value, std::move(text), std::move(defaultValue),
                               [&storage, read](std::string_view value) { storage = *read(value); });
  option.fits = [read](std::string_view value) { return read(value).has_value(); };
  return option;
}

PassOption& DeclaredOptions::integer(std::string name, OptionText text, int64_t& storage, int64_t minimum,
                                     int64_t maximum) {
  PassOption& option = declareValue(std::move(name), std::move(text), std::to_string(storage), storage,
                                    within(parseWhole, minimum, maximum));
  const bool isOpen = maximum == INT64_MAX;
  option.form = isOpen ? fmt::format("<{}..>", minimum) : fmt::format("<{}..{}>", minimum, maximum);
  option.takes = isOpen ? fmt::format("an integer of at least {}", minimum)
                        : fmt::format("an integer from {} to {}", minimum, maximum);
  return option;
}

PassOption& DeclaredOptions::duration(std::string name, OptionText text, int64_t& storageNs, int64_t maximumNs) {
  PassOption& option =
      declareValue(std::move(name), std::move(text),
                   storageNs % 1000 == 0 ? fmt::format("{}us", storageNs / 1000) : fmt::format("{}ns", storageNs),
                   storageNs, within(parseDuration, 0, maximumNs));
  option.form = "<time>";
  option.takes = fmt::format("a time from 0us to {}us, such as `2us` or `1.5ms`", maximumNs / 1000);
  return option;
}

PassOption& DeclaredOptions::byteRate(std::string name, OptionText text, int64_t& storageBytesPerS,
                                      int64_t maximumBytesPerS) {
  PassOption& option = declareValue(std::move(name), std::move(text), formatByteRate(storageBytesPerS),
                                    storageBytesPerS, within(parseByteRate, 1, maximumBytesPerS));
  option.form = "<bytes per second>";
  option.takes =
      fmt::format("bytes per second up to {}, such as `12GB/s` or `800 MB/s`", formatByteRate(maximumBytesPerS));
  return option;
}

PassOption& DeclaredOptions::timeGoal(std::string name, OptionText text, std::optional<TimeGoal>& storage) {
  PassOption& option = declareValue(std::move(name), std::move(text), "", storage, parseTimeGoal);
  option.form = "<time or factor>";
  option.takes = "a time with its unit such as `8ms`, or how many times as fast, such as `1.5x`";
  return option;
}

PassOption& DeclaredOptions::string(std::string name, OptionText text, std::string& storage,
                                    std::vector<std::string> choices) {
  PassOption& option = declare(std::move(name), PassOption::Kind::Value, std::move(text), storage,
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
  const auto found = std::ranges::find(options_, name, &PassOption::name);
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
    if (std::ranges::find(seen, option->name) != seen.end()) {
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
