#include "replay/schedule/scaled_lengths.h"

namespace amdahlc::schedule {
namespace {

/// Remainders are counted in these parts of a nanosecond: 2^-60.
constexpr int kPrecision = 60;
constexpr int64_t kNanosecond = int64_t{1} << kPrecision;
/// Half a nanosecond, and so much more that the error of a million parts does not turn a half into less.
constexpr int64_t kHalf = kNanosecond / 2 + (int64_t{1} << 30);

}  // namespace

int64_t scaledBetween(int64_t fromNs, int64_t toNs, const Rational& factor) {
  if (factor.numerator == factor.denominator) return toNs - fromNs;
  const auto moment = [&](int64_t ns) {
    const __int128 twice = 2 * static_cast<__int128>(ns) * factor.numerator + factor.denominator;
    const __int128 divisor = 2 * static_cast<__int128>(factor.denominator);
    return twice / divisor - (twice % divisor < 0 ? 1 : 0);
  };
  return static_cast<int64_t>(moment(toNs) - moment(fromNs));
}

int64_t ScaledLengths::next(int64_t ns, const Rational& factor, uint32_t track) {
  if (factor.numerator == factor.denominator) return ns;
  const __int128 exact = static_cast<__int128>(ns) * factor.numerator;
  const __int128 rest = exact % factor.denominator;
  int64_t& remainder = remainders_[track];
  remainder += static_cast<int64_t>((rest * kNanosecond + factor.denominator / 2) / factor.denominator);
  const int64_t rounded = (remainder + kHalf) >> kPrecision;
  remainder -= rounded * kNanosecond;
  return static_cast<int64_t>(exact / factor.denominator) + rounded;
}

std::vector<int64_t> scaledDurations(const Timeline& timeline, const std::vector<Rational>& factors) {
  ScaledLengths selected, others;
  std::vector<int64_t> lengthsNs;
  lengthsNs.reserve(timeline.size());
  for (EventIndex event = 0; event < timeline.size(); ++event)
    lengthsNs.push_back((timeline.isSelected(event) ? selected : others)
                            .next(timeline.durationNs[event], factors[event], timeline.track[event]));
  return lengthsNs;
}

}  // namespace amdahlc::schedule
