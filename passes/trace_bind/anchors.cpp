#include "passes/trace_bind/anchors.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "support/disjoint_sets.h"

namespace amdahlc::binding {

namespace {

/// Lengths of sequences, the longest first. One that is long does not occur twice by chance.
constexpr size_t kLengths[] = {16, 8, 4, 2, 1};
constexpr size_t kLong = 16;
/// Options that score less than the best one by no more than this agree as well as it does.
constexpr Score kAsGood = 30;

/// Hash of each sequence of `length` letters, by its first letter.
template <typename Letters>
std::vector<uint64_t> hashes(const Letters& letters, size_t length) {
  std::vector<uint64_t> result;
  if (letters.size() < length) return result;
  constexpr uint64_t kBase = 0x9E3779B97F4A7C15;
  uint64_t highest = 1, hash = 0;
  for (size_t i = 1; i < length; ++i) highest *= kBase;
  for (size_t i = 0; i < letters.size(); ++i) {
    if (i >= length) hash -= highest * (letters[i - length].letter + 1);
    hash = hash * kBase + letters[i].letter + 1;
    if (i + 1 >= length) result.push_back(hash);
  }
  return result;
}

}  // namespace

Anchors::Anchors(const Program& program, std::span<const AlignedCall> calls) {
  spell(program, calls);
  find();
}

void Anchors::spell(const Program& program, std::span<const AlignedCall> calls) {
  // Calls of a kind share their options.
  std::unordered_map<const Option*, uint32_t> known;  // looked up only
  std::vector<std::span<const Option>> kinds;
  std::vector<uint32_t> kindOf;
  for (const AlignedCall& call : calls) {
    const auto [entry, isNew] = known.try_emplace(call.options.data(), static_cast<uint32_t>(kinds.size()));
    if (isNew) kinds.push_back(call.options);
    kindOf.push_back(entry->second);
  }
  // Kinds that fit one position best are one letter.
  DisjointSets letters(kinds.size());
  const auto letterOf = [&](uint32_t kind) { return static_cast<uint32_t>(letters.find(kind)); };
  constexpr uint32_t kNone = 0xffffffffu;
  std::vector<uint32_t> kindAt(program.end(), kNone), behind(program.end(), 0);
  std::vector<bool> isLetter(kinds.size(), false);
  for (uint32_t kind = 0; kind < kinds.size(); ++kind) {
    if (kinds[kind].empty()) continue;
    const Score best = std::ranges::max_element(kinds[kind], {}, &Option::score)->score;
    for (const Option& option : kinds[kind]) {
      if (option.score + kAsGood < best || !program.units()[option.unit].mustRun) continue;
      isLetter[kind] = true;
      if (kindAt[option.from] == kNone)
        kindAt[option.from] = kind;
      else
        letters.unite(kindAt[option.from], kind);
      behind[option.from] = std::max(behind[option.from], option.to);
    }
  }
  for (size_t call = 0; call < calls.size(); ++call)
    if (isLetter[kindOf[call]] && calls[call].penalty == 0) calls_.push_back({letterOf(kindOf[call]), call});
  // What one call runs is one letter.
  for (uint32_t position = 0; position < program.end();) {
    if (kindAt[position] == kNone) {
      ++position;
      continue;
    }
    program_.push_back({letterOf(kindAt[position]), position});
    position = behind[position];
  }
}

void Anchors::find() {
  std::vector<std::optional<size_t>> unitOf(calls_.size());
  for (const size_t length : kLengths) {
    const std::vector<uint64_t> ofProgram = hashes(program_, length), ofCalls = hashes(calls_, length);
    std::vector<std::pair<uint64_t, size_t>> sorted;
    for (size_t i = 0; i < ofProgram.size(); ++i) sorted.emplace_back(ofProgram[i], i);
    std::ranges::sort(sorted);
    const auto hashOf = [](const auto& one) { return one.first; };
    size_t occurring = 0;
    for (size_t i = 0; i < ofCalls.size(); ++i) {
      if (unitOf[i]) continue;
      const auto same = std::ranges::equal_range(sorted, ofCalls[i], {}, hashOf);
      occurring += !same.empty();
      if (same.size() != 1) continue;
      unitOf[i] = same.front().second;
      if (length == kLong) long_.push_back({i, same.front().second});
    }
    constexpr size_t kFamiliarPart = 16;
    if (length == kLong) familiar_ = occurring > 0 && occurring * kFamiliarPart >= ofCalls.size();
  }
  for (size_t i = 0; i < calls_.size(); ++i)
    if (unitOf[i]) anchors_.push_back({calls_[i].place, static_cast<uint32_t>(program_[*unitOf[i]].place)});
}

std::vector<Anchor> Anchors::chain() const {
  constexpr size_t kNone = static_cast<size_t>(-1);
  std::vector<size_t> last, before(anchors_.size(), kNone);  // of the chains by length; of each anchor
  for (size_t i = 0; i < anchors_.size(); ++i) {
    const auto at =
        std::ranges::lower_bound(last, anchors_[i].position, {}, [&](size_t a) { return anchors_[a].position; });
    if (at != last.begin()) before[i] = *(at - 1);
    if (at == last.end())
      last.push_back(i);
    else
      *at = i;
  }
  std::vector<Anchor> chain;
  for (size_t i = last.empty() ? kNone : last.back(); i != kNone; i = before[i]) chain.push_back(anchors_[i]);
  std::ranges::reverse(chain);
  return chain;
}

std::vector<size_t> Anchors::restarts() const {
  std::vector<size_t> begins;
  for (size_t i = 1; i < long_.size(); ++i) {
    const Match &before = long_[i - 1], &after = long_[i];
    if (after.unit + program_.size() / 2 >= before.unit) continue;
    // As many letters before the anchor as the program has before its place, but behind the anchor before.
    const size_t letter = std::max(before.call + 1, after.call - std::min(after.call, after.unit));
    begins.push_back(calls_[letter].place);
  }
  return begins;
}

}  // namespace amdahlc::binding
