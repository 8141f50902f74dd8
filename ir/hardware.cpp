#include "ir/hardware.h"

#include <re2/re2.h>

#include <algorithm>

namespace amdahlc::ir {

bool HardwareDescription::isFor(std::string_view device) const {
  return std::ranges::any_of(devices, [&](const std::string& pattern) {
    const re2::RE2 compiled(pattern, re2::RE2::Quiet);
    return compiled.ok() && re2::RE2::FullMatch(device, compiled);
  });
}

}  // namespace amdahlc::ir
