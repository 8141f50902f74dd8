#include "timeline/repetition.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace amdahlc {
namespace {

/// Candidate lengths that are examined; each costs one pass over the events. A sequence has many only where it is one
/// kernel over and over.
constexpr size_t kMaxLengths = 64;
/// Layers of one pass are microseconds of host work apart, more before one operator than before another; repeated
/// passes are parted by a synchronisation or by work outside the model. Where the difference is less than this factor
/// the sequence is one iteration.
constexpr int64_t kPauseFactor = 10;

/// Lengths by which the sequence, shifted, agrees with itself, shortest first, at most half of the whole.
std::vector<size_t> repeatLengths(const std::vector<uint32_t>& identity) {
  const size_t count = identity.size();
  std::vector<size_t> border(count + 1, 0);  // of each prefix: the longest proper prefix that is also its suffix
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

/// What the host did between one launch and the next.
struct Boundary {
  /// The launch is in another call of the top-level module of the launch before.
  bool startsCall = false;
  /// From the last end of all launches before to this launch; of the work itself where it has no launch. Zero where one
  /// of them is still under way: what overlaps is not apart, whatever its place in the sequence.
  int64_t pauseNs = 0;
};

std::vector<Boundary> boundaries(const EventTable& table, const std::vector<Row>& launched, bool& hasModules) {
  std::vector<Boundary> out(launched.size());
  Row rootBefore = kNoRow;
  int64_t endBeforeNs = INT64_MIN;
  hasModules = false;
  for (size_t i = 0; i < launched.size(); ++i) {
    const Row root = table.topLevelModuleFrame(launched[i]);
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
  const auto start = std::find_if(between.begin(), between.end(), [](const Boundary& b) { return b.startsCall; });
  if (start == between.end()) return std::nullopt;
  size_t first = static_cast<size_t>(start - between.begin());
  if (first > length) return std::nullopt;  // a whole copy ran before the first new call
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
  const size_t first = static_cast<size_t>(std::max_element(shortest.begin(), shortest.end()) - shortest.begin());
  if (shortest[first] == 0) return std::nullopt;
  for (size_t phase = 0; phase < length; ++phase)
    if (phase != first && longest[phase] > shortest[first] / kPauseFactor) return std::nullopt;
  const size_t count = (between.size() - first) / length;
  // With one event a copy there is no pause inside to be longer than.
  if (count < 2 || length < 2) return std::nullopt;
  return Repetition{first, length, count};
}

/// Whether all work of a copy has ended before the next copy's begins: launches may be far apart and their work not.
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
