/// The steps of servers of language models, by the annotations that these write around them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace amdahlc {

/// What a step computes for its requests.
enum class StepClass : uint8_t {
  /// Their prompts.
  Prefill,
  /// Their next tokens.
  Decode,
  /// Prompts of some, tokens of others.
  Mixed,
};
/// In the order of `StepClass`.
inline constexpr std::array<std::string_view, 3> kStepClassNames = {"prefill", "decode", "mixed"};

/// The class of a step; nullopt for another annotation, and for a step that names no class or has no request. Numbers
/// are of requests: `execute_context_1(888)_generation_32(32)`, as vLLM writes it; `step[EXTEND bs=2 toks=4096]`, as
/// SGLang does; `prefill[bs=2 tok=16384]`.
std::optional<StepClass> stepClass(std::string_view annotation);

}  // namespace amdahlc
