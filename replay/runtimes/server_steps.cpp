#include "replay/runtimes/server_steps.h"

#include <utility>

namespace amdahlc {
namespace {

/// Whether the number behind the first `word` is greater than 0; nullopt without one.
std::optional<bool> countsAny(std::string_view name, std::string_view word) {
  const size_t at = name.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view number = name.substr(at + word.size());
  number = number.substr(0, number.find_first_not_of("0123456789"));
  if (number.empty()) return std::nullopt;
  return number.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

std::optional<StepClass> stepClass(std::string_view annotation) {
  constexpr std::pair<std::string_view, StepClass> kBeginnings[] = {
      {"step[EXTEND ", StepClass::Prefill}, {"step[DECODE ", StepClass::Decode}, {"step[MIXED ", StepClass::Mixed},
      {"prefill[", StepClass::Prefill},     {"decode[", StepClass::Decode},
  };
  for (const auto& [beginning, meaning] : kBeginnings)
    if (annotation.starts_with(beginning)) return meaning;
  if (!annotation.starts_with("execute_")) return std::nullopt;
  const auto prompts = countsAny(annotation, "context_"), tokens = countsAny(annotation, "_generation_");
  if (!prompts || !tokens || (!*prompts && !*tokens)) return std::nullopt;
  return !*tokens ? StepClass::Prefill : !*prompts ? StepClass::Decode : StepClass::Mixed;
}

}  // namespace amdahlc
