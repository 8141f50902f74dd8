#include "support/apportion.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace amdahlc {

std::vector<int64_t> apportion(int64_t whole, std::span<const int64_t> parts, int64_t divisor) {
  std::vector<int64_t> out;
  out.reserve(parts.size());
  for (const int64_t part : parts) {
    out.push_back(part / divisor);
    whole -= out.back();
  }
  if (whole <= 0) return out;
  std::vector<size_t> order(parts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return parts[a] % divisor > parts[b] % divisor; });
  for (size_t i = 0; i < order.size() && whole > 0; ++i, --whole) ++out[order[i]];
  return out;
}

}  // namespace amdahlc
