/// Halves of surrogate pairs in JSON, which editors write for text that they hold in UTF-16.
#pragma once

#include <string>
#include <string_view>

namespace amdahlc::lsp {

/// The JSON text with U+FFFD for each escaped half of a pair without its other half. It is one code unit of UTF-16 as
/// well, so that positions keep their meaning.
std::string withoutLoneSurrogates(std::string_view json);

}  // namespace amdahlc::lsp
