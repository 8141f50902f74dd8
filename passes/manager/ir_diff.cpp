#include "passes/manager/ir_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <dtl/dtl.hpp>
#include <vector>

#include "support/limits.h"

namespace amdahlc {
namespace {

using Lines = std::vector<std::string>;

constexpr size_t kContext = 3;

Lines linesOf(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.emplace_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

/// Hunks of `@@ -1,2 +3,4 @@` and their lines. The lines before the first given ones are `skipped` on both sides.
std::string hunks(const Lines& before, const Lines& after, size_t skipped) {
  dtl::Diff<std::string> diff(before, after);
  diff.onHuge();
  diff.compose();
  diff.composeUnifiedHunks();
  std::string text;
  for (const auto& hunk : diff.getUniHunks()) {
    // An empty side has the number of the line before it.
    const auto start = [&](long long first, long long count) {
      return first + static_cast<long long>(skipped) - (count == 0 ? 1 : 0);
    };
    text += fmt::format("@@ -{},{} +{},{} @@\n", start(hunk.a, hunk.b), hunk.b, start(hunk.c, hunk.d), hunk.d);
    for (const auto& line : hunk.common[0]) text += " " + line.first;
    for (const auto& line : hunk.change)
      text += std::string(1, line.second.type == dtl::SES_ADD      ? '+'
                             : line.second.type == dtl::SES_DELETE ? '-'
                                                                   : ' ') +
              line.first;
    for (const auto& line : hunk.common[1]) text += " " + line.first;
  }
  return text;
}

}  // namespace

std::string unifiedDiff(std::string_view before, std::string_view after) {
  Lines a = linesOf(before), b = linesOf(after);
  // Passes add sections and leave the rest: the search for differences is for what is between the equal ends.
  const size_t shorter = std::min(a.size(), b.size());
  size_t prefix = 0, suffix = 0;
  while (prefix < shorter && a[prefix] == b[prefix]) ++prefix;
  while (suffix < shorter - prefix && a[a.size() - 1 - suffix] == b[b.size() - 1 - suffix]) ++suffix;
  const size_t changed = std::min(a.size(), b.size()) - prefix - suffix;
  if (changed > limits::kDiffedLines)
    return fmt::format("no diff: more than {} lines changed; `-print-changed` dumps all of them\n",
                       limits::kDiffedLines);
  prefix -= std::min(prefix, kContext);
  suffix -= std::min(suffix, kContext);
  const auto cut = [&](Lines& lines) {
    lines.erase(lines.end() - static_cast<ptrdiff_t>(suffix), lines.end());
    lines.erase(lines.begin(), lines.begin() + static_cast<ptrdiff_t>(prefix));
  };
  cut(a);
  cut(b);
  return hunks(a, b, prefix);
}

}  // namespace amdahlc
