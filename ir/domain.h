/// The one place that knows both spellings of ONNX's own domain.
#pragma once

#include <string_view>

namespace amdahlc::ir {

/// ONNX's own domain as it is shown. Text may also write the empty string.
inline constexpr std::string_view kOwnDomain = "ai.onnx";

/// The domain that `text` names, in the form of modules and rules: ONNX's own is empty. Every reader of text calls it,
/// so that all other code only tests for an empty domain.
constexpr std::string_view ownDomain(std::string_view text) { return text == kOwnDomain ? std::string_view() : text; }

/// The domain for output: `ai.onnx` if it is empty.
constexpr std::string_view describeDomain(std::string_view domain) { return domain.empty() ? kOwnDomain : domain; }

}  // namespace amdahlc::ir
