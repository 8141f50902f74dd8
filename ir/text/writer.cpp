#include "ir/text/writer.h"

#include <cmath>

namespace amdahlc::ir {

void appendNumber(std::string& out, double number) {
  if (std::isnan(number) || std::isinf(number)) {
    out += std::isnan(number) ? "nan" : number < 0 ? "-inf" : "inf";
    return;
  }
  char digits[40];
  const std::string_view text(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

}  // namespace amdahlc::ir
