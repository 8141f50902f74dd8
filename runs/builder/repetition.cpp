#include <algorithm>
#include <map>
#include <tuple>

#include "runs/builder/iterations.h"

namespace amdahlc {
namespace {

/// Limit on candidate lengths; each costs one pass over the events. Only a sequence of one repeated kernel has many.
constexpr size_t kMaxLengths = 64;
/// Between layers of one pass there are microseconds of host work, more before some operators than before others.
/// Between repeated passes there is a synchronisation or work outside the model. If the pauses differ by less than this
/// factor, the sequence is one iteration.
constexpr int64_t kPauseFactor = 10;

/// The periods of the sequence, shortest first, up to half of its length: shifted by a period, it agrees with itself.
/// These are its length less each of its borders (Knuth, Morris and Pratt); linear time.
std::vector<size_t> repeatLengths(const std::vector<uint32_t>& identity) {
  const size_t count = identity.size();
  std::vector<size_t> border(count + 1,
                             0);  // by prefix: the length of its longest proper prefix that is also its suffix
  for (size_t i = 1, matched = 0; i < count; ++i) {
    while (matched > 0 && identity[i] != identity[matched]) matched = border[matched];
    if (identity[i] == identity[matched]) ++matched;
    border[i + 1] = matched;
  }
  std::vector<size_t> lengths;
  for (size_t matched = border[count]; matched > 0 && lengths.size() < kMaxLengths; matched = border[matched]) {
    const size_t length = count - matched;
    if (2 * length > count) break;
    lengths.push_back(length);
  }
  return lengths;
}

/// The host's work between one launch and the next.
struct Boundary {
  /// The launch is in another call of the top-level module than the launch before.
  bool startsCall = false;
  /// From the last end of all earlier launches to this launch; without a launch, times of the work itself. Zero if an
  /// earlier one has not ended.
  int64_t pauseNs = 0;
};

/// The top-level module frame around the launch; kNoRow without one.
Row topLevelModuleFrame(const EventTable& table, Row row) {
  Row topLevel = kNoRow;
  if (table.launch[row] == kNoRow) return topLevel;
  for (Row at = table.parent[table.launch[row]]; at != kNoRow; at = table.parent[at])
    if (table.kind[at] == EventKind::ModuleFrame) topLevel = at;
  return topLevel;
}

std::vector<Boundary> boundaries(const EventTable& table, const std::vector<Row>& launched, bool& hasModules) {
  std::vector<Boundary> out(launched.size());
  Row rootBefore = kNoRow;
  int64_t endBeforeNs = INT64_MIN;
  hasModules = false;
  for (size_t i = 0; i < launched.size(); ++i) {
    const Row root = topLevelModuleFrame(table, launched[i]);
    if (root != kNoRow) {
      out[i].startsCall = rootBefore != kNoRow && root != rootBefore && table.name[root] == table.name[rootBefore];
      rootBefore = root;
      hasModules = true;
    }
    const Row at = table.launch[launched[i]] == kNoRow ? launched[i] : table.launch[launched[i]];
    if (i > 0) out[i].pauseNs = std::max<int64_t>(table.startNs[at] - endBeforeNs, 0);
    endBeforeNs = std::max(endBeforeNs, table.endNs(at));
  }
  return out;
}

std::optional<Repetition> byModules(const std::vector<Boundary>& between, size_t length) {
  const auto start = std::ranges::find_if(between, [](const Boundary& b) { return b.startsCall; });
  if (start == between.end()) return std::nullopt;
  size_t first = static_cast<size_t>(start - between.begin());
  if (first > length) return std::nullopt;  // a whole copy is before the first new call
  if (first == length) first = 0;
  const size_t count = (between.size() - first) / length;
  if (count < 2) return std::nullopt;
  for (size_t i = first + 1; i < between.size(); ++i)
    if (between[i].startsCall != ((i - first) % length == 0)) return std::nullopt;
  return Repetition{first, length, count};
}

std::optional<Repetition> byPauses(const std::vector<Boundary>& between, size_t length) {
  // The phase with the longest of the shortest pauses starts the copies.
  std::vector<int64_t> shortest(length, INT64_MAX), longest(length, 0);
  for (size_t i = 1; i < between.size(); ++i) {
    shortest[i % length] = std::min(shortest[i % length], between[i].pauseNs);
    longest[i % length] = std::max(longest[i % length], between[i].pauseNs);
  }
  const size_t first = static_cast<size_t>(std::ranges::max_element(shortest) - shortest.begin());
  if (shortest[first] == 0) return std::nullopt;
  for (size_t phase = 0; phase < length; ++phase)
    if (phase != first && longest[phase] > shortest[first] / kPauseFactor) return std::nullopt;
  const size_t count = (between.size() - first) / length;
  // A copy with one event has no pause inside to compare with.
  if (count < 2 || length < 2) return std::nullopt;
  return Repetition{first, length, count};
}

/// Whether all work of a copy ends before that of the next copy begins. Launches may be far apart while their work
/// overlaps.
bool workIsApart(const EventTable& table, const std::vector<Row>& launched, const Repetition& repetition) {
  int64_t endBeforeNs = INT64_MIN;
  for (size_t copy = 0; copy < repetition.count; ++copy) {
    const auto begin = launched.begin() + static_cast<ptrdiff_t>(repetition.first + copy * repetition.length);
    int64_t endNs = endBeforeNs;
    for (auto event = begin; event != begin + static_cast<ptrdiff_t>(repetition.length); ++event) {
      if (table.startNs[*event] < endBeforeNs) return false;
      endNs = std::max(endNs, table.endNs(*event));
    }
    endBeforeNs = endNs;
  }
  return true;
}

}  // namespace

std::optional<Repetition> findRepetition(const EventTable& table, const std::vector<Row>& launched) {
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> identities;
  std::vector<uint32_t> identity;
  identity.reserve(launched.size());
  for (Row event : launched) {
    const Row op = table.launchOp[event];
    const std::tuple key(table.name[event].index, table.track[event], op == kNoRow ? 0 : table.name[op].index);
    identity.push_back(identities.emplace(key, static_cast<uint32_t>(identities.size())).first->second);
  }
  const std::vector<size_t> lengths = repeatLengths(identity);
  if (lengths.empty()) return std::nullopt;
  bool hasModules = false;
  const std::vector<Boundary> between = boundaries(table, launched, hasModules);
  for (size_t length : lengths) {
    const auto found = hasModules ? byModules(between, length) : byPauses(between, length);
    if (found && (hasModules || workIsApart(table, launched, *found))) return found;
  }
  return std::nullopt;
}

}  // namespace amdahlc
