#include "passes/trace_bind/band.h"

#include <algorithm>

namespace amdahlc::binding {

namespace {

struct Anchor {
  size_t call;
  uint32_t position;
};

/// The longest chain of calls with one option, ascending in both orders.
std::vector<Anchor> longestChain(std::span<const AlignedCall> calls) {
  std::vector<Anchor> single;
  for (size_t call = 0; call < calls.size(); ++call)
    if (calls[call].options.size() == 1) single.push_back({call, calls[call].options.front().from});
  constexpr size_t kNone = static_cast<size_t>(-1);
  std::vector<size_t> last, before(single.size(), kNone);  // of the chains by length; of each anchor
  for (size_t i = 0; i < single.size(); ++i) {
    const auto at = std::lower_bound(last.begin(), last.end(), single[i].position,
                                     [&](size_t a, uint32_t position) { return single[a].position < position; });
    if (at != last.begin()) before[i] = *(at - 1);
    if (at == last.end())
      last.push_back(i);
    else
      *at = i;
  }
  std::vector<Anchor> chain;
  for (size_t i = last.empty() ? kNone : last.back(); i != kNone; i = before[i]) chain.push_back(single[i]);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace

std::span<const Option> optionsIn(std::span<const Option> options, uint32_t low, uint32_t high) {
  const auto begin = std::lower_bound(options.begin(), options.end(), low,
                                      [](const Option& option, uint32_t position) { return option.from < position; });
  const auto end = std::upper_bound(begin, options.end(), high,
                                    [](uint32_t position, const Option& option) { return position < option.from; });
  return {begin, end};
}

Band fullBand(const Program& program, size_t calls) {
  return {std::vector<uint32_t>(calls + 1, 0), std::vector<uint32_t>(calls + 1, program.end())};
}

Band bandAroundAnchors(const Program& program, std::span<const AlignedCall> calls, uint32_t width) {
  Band band = fullBand(program, calls.size());
  std::vector<Anchor> anchors = longestChain(calls);
  anchors.insert(anchors.begin(), Anchor{0, 0});
  anchors.push_back({calls.size(), program.end()});
  size_t next = 1;
  for (size_t row = 0; row <= calls.size(); ++row) {
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
  band.high[calls.size()] = program.end();
  for (size_t row = 1; row <= calls.size(); ++row) band.high[row] = std::max(band.high[row], band.high[row - 1]);
  for (size_t row = calls.size(); row-- > 0;) band.low[row] = std::min(band.low[row], band.low[row + 1]);
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
