#include "runs/ranks/matching.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "support/limits.h"
#include "support/sort_unique.h"
#include "support/statistics.h"

namespace amdahlc::ranks {
namespace {

/// A call in a common step.
struct Call {
  uint32_t key = 0, step = 0;
  int64_t sequence = -1;
  /// Among the calls of the rank with this key, step and sequence number.
  uint32_t place = 0;
  Participant part;

  auto operation() const { return std::tuple(key, step, sequence, place); }
};

class Matcher {
 public:
  Matcher(std::span<const RankRecord> ranks, std::span<const int64_t> numbers, const CommonSteps& common)
      : ranks_(ranks), numbers_(numbers), common_(common) {}

  Matching match() {
    collectKeys();
    collectCalls();
    findMembers();
    for (size_t begin = 0, end = 0; begin < calls_.size(); begin = end) {
      while (end < calls_.size() &&
             std::tuple(calls_[end].key, calls_[end].step) == std::tuple(calls_[begin].key, calls_[begin].step))
        ++end;
      matchStep(std::span(calls_).subspan(begin, end - begin));
    }
    return std::move(out_);
  }

 private:
  void collectKeys() {
    for (const RankRecord& rank : ranks_) out_.keys.insert(out_.keys.end(), rank.keys.begin(), rank.keys.end());
    sortUnique(out_.keys);
    for (const RankRecord& rank : ranks_) {
      auto& numbers = keyOf_.emplace_back();
      for (const CollectiveKey& key : rank.keys)
        numbers.push_back(static_cast<uint32_t>(std::ranges::lower_bound(out_.keys, key) - out_.keys.begin()));
    }
  }

  /// The median start of all calls.
  int64_t origin() const {
    std::vector<int64_t> starts;
    for (const RankRecord& rank : ranks_)
      for (const CollectiveCall& call : rank.calls) starts.push_back(call.startNs);
    return median(starts);
  }

  bool isNear(const CollectiveCall& call) const {
    const auto distance = [&](__int128 ns) { return ns < originNs_ ? originNs_ - ns : ns - originNs_; };
    return distance(call.startNs) <= kMostDistanceNs &&
           distance(static_cast<__int128>(call.startNs) + call.durationNs) <= kMostDistanceNs;
  }

  void collectCalls() {
    originNs_ = origin();
    for (uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      std::map<std::tuple<uint32_t, uint32_t, int64_t>, uint32_t> places;
      for (const CollectiveCall& call : ranks_[rank].calls) {
        const auto step = common_.positions[rank][call.step];
        if (!step) continue;
        const uint32_t key = keyOf_[rank][call.key];
        if (out_.keys[key].kind == CollectiveKind::PointToPoint) {
          ++out_.pointToPoint;
          continue;
        }
        if (!isNear(call)) {
          ++out_.farAway;
          continue;
        }
        calls_.push_back({key, *step, call.sequence, places[{key, *step, call.sequence}]++, {rank, &call}});
      }
    }
    std::ranges::sort(calls_, {}, [](const Call& call) { return std::tuple(call.operation(), call.part.rank); });
  }

  /// By key the given ranks that take part.
  void findMembers() {
    members_.resize(out_.keys.size());
    for (const Call& call : calls_) members_[call.key].push_back(call.part.rank);
    for (size_t key = 0; key < members_.size(); ++key) {
      const std::vector<int64_t> listed = ranksInText(out_.keys[key].groupRanks);
      for (const int64_t number : listed) {
        const auto found = std::ranges::lower_bound(numbers_, number);
        if (found != numbers_.end() && *found == number)
          members_[key].push_back(static_cast<uint32_t>(found - numbers_.begin()));
      }
      sortUnique(members_[key]);
      const auto given = static_cast<int64_t>(members_[key].size());
      isPartial_.push_back(given < std::max(out_.keys[key].groupSize, static_cast<int64_t>(listed.size())));
    }
  }

  /// Calls of one key and step.
  void matchStep(std::span<const Call> calls) {
    const std::vector<uint32_t>& members = members_[calls.front().key];
    if (members.size() < 2) {
      out_.alone += static_cast<int64_t>(calls.size());
      return;
    }
    // Without sequence numbers one call more or less in a rank moves all behind it.
    const bool byOrder = std::ranges::any_of(calls, [](const Call& call) { return call.sequence < 0; });
    if (byOrder && !haveEqualCounts(calls, members)) {
      out_.uneven += static_cast<int64_t>(calls.size());
      return;
    }
    for (size_t begin = 0, end = 0; begin < calls.size(); begin = end) {
      while (end < calls.size() && calls[end].operation() == calls[begin].operation()) ++end;
      if (end - begin != members.size()) {
        out_.uneven += static_cast<int64_t>(end - begin);
        continue;
      }
      MatchedCollective& matched = out_.collectives.emplace_back();
      matched.key = calls[begin].key;
      matched.step = calls[begin].step;
      matched.isPartial = isPartial_[calls[begin].key];
      for (size_t i = begin; i < end; ++i) matched.participants.push_back(calls[i].part);
    }
  }

  bool haveEqualCounts(std::span<const Call> calls, const std::vector<uint32_t>& members) const {
    std::map<uint32_t, size_t> counts;
    for (const Call& call : calls) ++counts[call.part.rank];
    return counts.size() == members.size() &&
           std::ranges::all_of(counts, [&](const auto& count) { return count.second == counts.begin()->second; });
  }

  std::span<const RankRecord> ranks_;
  std::span<const int64_t> numbers_;
  const CommonSteps& common_;
  Matching out_;
  /// By rank and key of the rank: into `Matching::keys`.
  std::vector<std::vector<uint32_t>> keyOf_;
  std::vector<Call> calls_;
  std::vector<std::vector<uint32_t>> members_;
  /// By key: whether ranks of the group have no trace.
  std::vector<bool> isPartial_;
  int64_t originNs_ = 0;
};

}  // namespace

Matching matchCollectives(std::span<const RankRecord> ranks, std::span<const int64_t> numbers,
                          const CommonSteps& common) {
  return Matcher(ranks, numbers, common).match();
}

std::vector<int64_t> ranksInText(std::string_view text) {
  const auto list = nlohmann::json::parse(text, nullptr, false);
  if (!list.is_array()) return {};
  std::vector<int64_t> numbers;
  for (const nlohmann::json& number : list) {
    if (!number.is_number_unsigned() || number.get<uint64_t>() > static_cast<uint64_t>(limits::kRankNumber)) return {};
    numbers.push_back(number.get<int64_t>());
  }
  return numbers;
}

}  // namespace amdahlc::ranks
