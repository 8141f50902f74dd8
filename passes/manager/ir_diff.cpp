// The shortest edit script by the algorithm of S. Wu, U. Manber, G. Myers, W. Miller, "An O(NP) sequence comparison
// algorithm", 1990: its time grows with the lines that are in the shorter text alone, and a pass mostly adds lines.
// Debian's library of it, dtl, does not compile with Clang.
#include "passes/manager/ir_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "support/limits.h"

namespace amdahlc {
namespace {

using Lines = std::vector<std::string_view>;

constexpr size_t kContext = 3;
/// Places that the search may visit.
constexpr size_t kMostPoints = 5'000'000;

Lines linesOf(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

struct Edit {
  /// ' ', '-' or '+'.
  char kind;
  std::string_view line;
};

/// Finds the edits from a shorter text to a longer one.
class Search {
 public:
  Search(const Lines& shorter, const Lines& longer)
      : shorter_(shorter),
        longer_(longer),
        offset_(static_cast<int64_t>(shorter.size()) + 1),
        furthest_(shorter.size() + longer.size() + 3, -1),
        last_(furthest_.size(), kNoPoint) {}

  /// The corners of the path through the matrix of both texts, from its end to its start; nullopt if it is too far.
  std::optional<std::vector<std::pair<size_t, size_t>>> corners() {
    const auto delta = static_cast<int64_t>(longer_.size()) - static_cast<int64_t>(shorter_.size());
    const auto end = static_cast<int64_t>(longer_.size());
    for (int64_t p = 0; at(furthest_, delta) != end; ++p) {
      if (points_.size() > kMostPoints) return std::nullopt;
      for (int64_t k = -p; k < delta; ++k) advance(k);
      for (int64_t k = delta + p; k > delta; --k) advance(k);
      advance(delta);
    }
    std::vector<std::pair<size_t, size_t>> found;
    for (size_t i = at(last_, delta); i != kNoPoint; i = points_[i].before)
      found.emplace_back(points_[i].x, points_[i].y);
    return found;
  }

 private:
  static constexpr size_t kNoPoint = SIZE_MAX;
  struct Point {
    size_t x, y, before;
  };

  template <typename T>
  T& at(std::vector<T>& values, int64_t diagonal) {
    return values[static_cast<size_t>(diagonal + offset_)];
  }

  /// Goes on along diagonal `k`, from the further one of its neighbours.
  void advance(int64_t k) {
    const int64_t above = at(furthest_, k - 1) + 1, below = at(furthest_, k + 1);
    const size_t before = at(last_, above > below ? k - 1 : k + 1);
    int64_t y = std::max(above, below);
    auto x = static_cast<size_t>(y - k);
    while (x < shorter_.size() && static_cast<size_t>(y) < longer_.size() &&
           shorter_[x] == longer_[static_cast<size_t>(y)]) {
      ++x;
      ++y;
    }
    at(furthest_, k) = y;
    at(last_, k) = points_.size();
    points_.push_back({x, static_cast<size_t>(y), before});
  }

  const Lines& shorter_;
  const Lines& longer_;
  const int64_t offset_;
  /// By diagonal.
  std::vector<int64_t> furthest_;
  std::vector<size_t> last_;
  std::vector<Point> points_;
};

std::optional<std::vector<Edit>> editsOf(const Lines& before, const Lines& after) {
  const bool swapped = before.size() > after.size();
  const Lines& shorter = swapped ? after : before;
  const Lines& longer = swapped ? before : after;
  const auto corners = Search(shorter, longer).corners();
  if (!corners) return std::nullopt;
  std::vector<Edit> edits;
  size_t x = 0, y = 0;
  for (auto corner = corners->rbegin(); corner != corners->rend(); ++corner)
    while (x < corner->first || y < corner->second) {
      if (corner->second + x > corner->first + y)
        edits.push_back({swapped ? '-' : '+', longer[y++]});
      else if (corner->second + x < corner->first + y)
        edits.push_back({swapped ? '+' : '-', shorter[x++]});
      else {
        edits.push_back({' ', shorter[x++]});
        ++y;
      }
    }
  // What went away stands before what came instead.
  for (auto change = edits.begin(); change != edits.end();) {
    const auto end = std::find_if(change, edits.end(), [](const Edit& edit) { return edit.kind == ' '; });
    std::stable_partition(change, end, [](const Edit& edit) { return edit.kind == '-'; });
    change = std::find_if(end, edits.end(), [](const Edit& edit) { return edit.kind != ' '; });
  }
  return edits;
}

/// Hunks of `@@ -1,2 +3,4 @@` and their lines. Both texts have `skipped` lines before the first edit.
std::string hunksOf(const std::vector<Edit>& edits, size_t skipped) {
  std::string text;
  size_t oldLine = skipped, newLine = skipped;
  for (size_t i = 0; i < edits.size();) {
    if (edits[i].kind == ' ') {
      ++oldLine, ++newLine, ++i;
      continue;
    }
    const size_t begin = i - std::min(i, kContext);
    // Up to a stretch of equal lines that is longer than the context of two hunks.
    size_t end = i, equal = 0;
    for (; end < edits.size() && equal <= 2 * kContext; ++end) equal = edits[end].kind == ' ' ? equal + 1 : 0;
    end -= equal - std::min(equal, kContext);
    size_t oldCount = 0, newCount = 0;
    std::string body;
    for (size_t line = begin; line < end; ++line) {
      oldCount += edits[line].kind != '+';
      newCount += edits[line].kind != '-';
      body += edits[line].kind;
      body += edits[line].line;
    }
    // An empty side has the number of the line before it.
    const size_t oldStart = oldLine - (i - begin) + (oldCount > 0), newStart = newLine - (i - begin) + (newCount > 0);
    text += fmt::format("@@ -{},{} +{},{} @@\n{}", oldStart, oldCount, newStart, newCount, body);
    oldLine += oldCount - (i - begin);
    newLine += newCount - (i - begin);
    i = end;
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
  const size_t changed = shorter - prefix - suffix;
  prefix -= std::min(prefix, kContext);
  suffix -= std::min(suffix, kContext);
  const auto cut = [&](Lines& lines) {
    lines.erase(lines.end() - static_cast<ptrdiff_t>(suffix), lines.end());
    lines.erase(lines.begin(), lines.begin() + static_cast<ptrdiff_t>(prefix));
  };
  cut(a);
  cut(b);
  const auto edits = changed > limits::kDiffedLines ? std::nullopt : editsOf(a, b);
  if (edits) return hunksOf(*edits, prefix);
  return fmt::format("no diff: more than {} lines changed, or in too many places; `-print-changed` dumps all of them\n",
                     limits::kDiffedLines);
}

}  // namespace amdahlc
