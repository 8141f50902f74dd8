/// JSON text that is safe to print.
#pragma once

#include <string>
#include <string_view>

namespace amdahlc {

/// `json`, with the control characters that JSON allows inside strings (DEL, C1, marks that change the direction of
/// text) as escapes, so that the text reads as the same values and no terminal obeys it.
std::string withEscapedControls(std::string_view json);

/// A quoted string of JSON, as safe. What is not UTF-8 is replaced.
std::string jsonText(std::string_view text);

}  // namespace amdahlc
