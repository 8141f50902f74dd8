/// Attributes of operators as one line of text.
#pragma once

#include <string>

#include "ir/module.h"

namespace amdahlc {

/// `[3, 3]`, `0.1`, `SAME_UPPER`, `float32[1,128]` for a tensor. Long lists and texts are cut, and end in `...`. May
/// have any character.
std::string describeAttribute(const ir::AttributeValue& value);

}  // namespace amdahlc
