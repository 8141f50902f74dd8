#include "passes/fuse/applicability.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace amdahlc {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool sameIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

/// `sm_80+` accepts `sm_80`, `sm_90`: the same prefix and a number that is not lower. Trailing letters (`sm_90a`) do not count.
bool archAccepts(std::string_view wanted, std::string_view actual) {
  if (wanted.empty() || wanted.back() != '+') return sameIgnoringCase(wanted, actual);
  wanted.remove_suffix(1);
  const auto split = [](std::string_view text) {
    const size_t digit = text.find_first_of("0123456789");
    uint64_t number = 0;
    if (digit == std::string_view::npos) return std::pair{text, number};
    std::from_chars(text.data() + digit, text.data() + text.size(), number);
    return std::pair{text.substr(0, digit), number};
  };
  const auto [wantedPrefix, wantedNumber] = split(wanted);
  const auto [actualPrefix, actualNumber] = split(actual);
  return sameIgnoringCase(wantedPrefix, actualPrefix) && actualNumber >= wantedNumber;
}

bool listed(const std::vector<std::string>& wanted, std::string_view actual) {
  return wanted.empty() || actual.empty() ||
         std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) { return archAccepts(name, actual); });
}

}  // namespace

bool applies(const ir::Applicability& where, std::string_view runtime, std::string_view vendor, std::string_view arch) {
  return listed(where.runtimes, runtime) && listed(where.vendors, vendor) && listed(where.archs, arch);
}

bool isApplicable(const ir::Module& module, const ir::Rule& rule) {
  bool known = false;
  if (!module.target.empty()) {
    known = true;
    if (applies(rule.where, module.target.runtime, module.target.vendor, module.target.arch)) return true;
  }
  for (const Timeline& timeline : module.timelines) {
    known = true;
    if (applies(rule.where, timeline.runtime, timeline.vendor, timeline.arch)) return true;
  }
  return !known;
}

}  // namespace amdahlc
