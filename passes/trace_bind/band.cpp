#include "passes/trace_bind/band.h"

#include <algorithm>
#include <unordered_map>

#include "passes/trace_bind/repeats.h"

namespace amdahlc::binding {

namespace {

/// Lets each row share a position with the next, without which no way leads from one to the other: anchors of adjacent
/// calls may be far apart.
void connect(Band& band) {
  for (size_t row = 1; row < band.low.size(); ++row) {
    band.low[row] = std::min(band.low[row], band.high[row - 1]);
    band.high[row] = std::max(band.high[row], band.low[row - 1]);
  }
}

}  // namespace

std::span<const Option> optionsIn(std::span<const Option> options, uint32_t low, uint32_t high) {
  const auto begin = std::ranges::lower_bound(options, low, {}, &Option::from);
  const auto end = std::ranges::upper_bound(begin, options.end(), high, {}, &Option::from);
  return {begin, end};
}

Band fullBand(const Program& program, size_t calls) {
  return {std::vector<uint32_t>(calls + 1, 0), std::vector<uint32_t>(calls + 1, program.end())};
}

Band bandAroundAnchors(const Program& program, size_t calls, std::vector<Anchor> anchors, uint32_t width) {
  Band band = fullBand(program, calls);
  anchors.insert(anchors.begin(), Anchor{0, 0});
  anchors.push_back({calls, program.end()});
  size_t next = 1;
  for (size_t row = 0; row <= calls; ++row) {
    while (next + 1 < anchors.size() && anchors[next].call < row) ++next;
    const Anchor& from = anchors[next - 1];
    const Anchor& to = anchors[next];
    const size_t length = std::max<size_t>(1, to.call - from.call);
    const auto center = static_cast<uint32_t>(from.position + (uint64_t{to.position} - from.position) *
                                                                  (std::min(row, to.call) - from.call) / length);
    band.low[row] = center > width ? center - width : 0;
    band.high[row] = std::min(program.end(), center + width);
  }
  band.low[0] = 0;
  band.high[calls] = program.end();
  for (size_t row = 1; row <= calls; ++row) band.high[row] = std::max(band.high[row], band.high[row - 1]);
  for (size_t row = calls; row-- > 0;) band.low[row] = std::min(band.low[row], band.low[row + 1]);
  connect(band);
  return band;
}

std::optional<Trips> tripsOf(const Program& program, std::span<const AlignedCall> calls) {
  const auto& loops = program.loops();
  const auto length = [](const Program::Loop& loop) { return loop.end - loop.begin; };
  const auto largest = std::ranges::max_element(loops, {}, length);
  if (largest == loops.end()) return std::nullopt;
  // Calls of a kind share their options.
  std::unordered_map<const Option*, uint32_t> known;  // looked up only
  std::vector<uint32_t> kinds;
  for (const AlignedCall& call : calls)
    kinds.push_back(known.try_emplace(call.options.data(), static_cast<uint32_t>(known.size())).first->second);
  // One call may run several units, and some units of a body do not run.
  constexpr uint32_t kUnitsPerCall = 4;
  Trips trips{*largest, repetitions(kinds, length(*largest) / kUnitsPerCall + 1)};
  if (trips.begins.empty()) return std::nullopt;
  const size_t last = trips.begins.back(), before = *(trips.begins.end() - 2);
  trips.begins.push_back(std::min(calls.size(), last + (last - before)));
  return trips;
}

Band bandAlongTrips(const Program& program, size_t calls, const Trips& trips, uint32_t width) {
  const auto between = [](uint32_t from, uint32_t to, size_t part, size_t whole) {
    return whole == 0 ? int64_t{from} : from + static_cast<int64_t>((uint64_t{to} - from) * part / whole);
  };
  const int64_t begin = trips.loop.begin, end = trips.loop.end, around = width;
  Band band = fullBand(program, calls);
  const auto& begins = trips.begins;
  size_t next = 0;  // the first begin behind the row
  for (size_t row = 1; row < calls; ++row) {
    while (next < begins.size() && begins[next] <= row) ++next;
    int64_t center = 0;
    if (next == 0)
      center = between(0, trips.loop.begin, row, begins.front());
    else if (next < begins.size())
      center = between(trips.loop.begin, trips.loop.end, row - begins[next - 1], begins[next] - begins[next - 1]);
    else
      center = between(trips.loop.end, program.end(), row - begins.back(), calls - begins.back());
    int64_t low = center - around, high = center + around;
    // Here the body may begin again.
    if (high >= begin && low <= end && (low < begin || high > end)) {
      low = std::min(low, begin - around);
      high = std::max(high, end + around);
    }
    band.low[row] = static_cast<uint32_t>(std::max<int64_t>(low, 0));
    band.high[row] = static_cast<uint32_t>(std::min<int64_t>(high, program.end()));
  }
  connect(band);
  return band;
}

std::vector<size_t> blocksOf(const Band& band, int64_t cells) {
  std::vector<size_t> begins{0};
  int64_t held = 0;
  for (size_t row = 0; row < band.low.size(); ++row) {
    const int64_t width = widthOf(band, row);
    if (held > 0 && held + width > cells) {
      begins.push_back(row);
      held = 0;
    }
    held += width;
  }
  begins.push_back(band.low.size());
  return begins;
}

}  // namespace amdahlc::binding
