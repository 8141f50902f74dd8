#include "passes/manager/command_option.h"

#include <fmt/format.h>

#include "support/rational.h"

namespace amdahlc {

bool hasPrefix(const CommandOption& option, std::string_view text) {
  return !option.prefix.empty() && text.starts_with(option.prefix);
}

std::optional<int64_t> readValue(const CommandOption& option, std::string_view text) {
  if (!option.maximum) return 0;
  if (hasPrefix(option, text)) text.remove_prefix(option.prefix.size());
  if (option.isPercent && text.ends_with('%')) text.remove_suffix(1);
  if (text.find('/') != std::string_view::npos) return std::nullopt;
  const auto number = Rational::parse(text);
  if (!number || Rational::of(*option.maximum) < *number) return std::nullopt;
  const Rational thousandths = *number * Rational::of(1000);
  return thousandths.denominator == 1 ? std::optional(thousandths.numerator) : std::nullopt;
}

std::string valuesOf(const CommandOption& option) {
  if (!option.maximum) return "any text";
  return fmt::format("a number from 0 to {} with at most three decimals{}", *option.maximum,
                     option.prefix.empty() ? "" : fmt::format(", also behind `{}`", option.prefix));
}

std::string formOf(std::string_view name, std::string_view argument) {
  if (argument.empty()) return fmt::format("-{}", name);
  const bool isForm = argument.find_first_of("[|=") != std::string_view::npos;
  return fmt::format("-{}={}{}{}", name, isForm ? "" : "<", argument, isForm ? "" : ">");
}

std::string formatThousandths(int64_t thousandths) {
  std::string text = fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace amdahlc
