/// Texts in SVG: escaped, measured, cut.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace amdahlc::drawing {

/// `text` as the content of an element or of an attribute in quotes.
std::string escaped(std::string_view text);

/// About the width of a text in a sans-serif font of this size, rather too large than too small: the viewer chooses the
/// font.
double widthOf(std::string_view text, double fontSize);

/// At most `limit` characters: the middle of a longer text is `…`.
std::string shortened(std::string_view text, size_t limit);

/// Lines of at most `limit` characters.
std::vector<std::string> wrapped(std::string_view text, size_t limit);

}  // namespace amdahlc::drawing
