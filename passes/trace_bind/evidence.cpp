#include "passes/trace_bind/evidence.h"

#include <string_view>

namespace amdahlc::binding {

std::string evidence::describe(Rows rows) {
  constexpr std::string_view kNames[] = {
#define AMDAHLC_EVIDENCE(ID, ...) #ID,
#include "passes/trace_bind/evidence.def"
#undef AMDAHLC_EVIDENCE
  };
  std::string text;
  for (size_t row = 0; row < std::size(kNames); ++row) {
    if (!(rows >> row & 1)) continue;
    if (!text.empty()) text += '+';
    text += kNames[row];
  }
  return text;
}

}  // namespace amdahlc::binding
