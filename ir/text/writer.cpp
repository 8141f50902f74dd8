#include "ir/text/writer.h"

#include <cmath>

namespace amdahlc::ir {

TextWriter& TextWriter::operator<<(double number) {
  if (std::isnan(number)) return *this << "nan";
  if (std::isinf(number)) return *this << (number < 0 ? "-inf" : "inf");
  char digits[40];
  const std::string_view text(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  out_ += text;
  if (text.find_first_of(".e") == std::string_view::npos) out_ += ".0";
  return *this;
}

}  // namespace amdahlc::ir
